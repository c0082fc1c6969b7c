/* The nvidia platform as far as it goes without a GPU: programs compile, entries are found and can
 * be looked up, refusals come in words, the runtime says that there is no device. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/platform/command.h"

#define COMPILE    WG_TEST_LIBEXEC "/compile"
#define VECTOR_ADD "ptr ptr ptr i32"

enum { STUDENT_AT_FAULT = 1, TEST_TIMEOUT_S = 900 };

static char folder[] = "/tmp/wg-nvidia-XXXXXX";

static void set_up(void) {
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}
static void tear_down(void) {
    command_run((const char *[]){"rm", "-rf", folder, NULL});
}
TestSuite(nvidia, .init = set_up, .fini = tear_down, .timeout = TEST_TIMEOUT_S);

static const struct command_result *compile(const char *text) {
    FILE *file = fopen("k.hip", "w");
    cr_assert_not_null(file);
    fprintf(file, "#include <hip/hip_runtime.h>\n%s", text);
    fclose(file);
    return command_run((const char *[]){COMPILE, "--source", "k.hip", "--out", folder, "--launcher",
                                        "vector_add", "--kernels", "vector_add,vadd", "--signature",
                                        VECTOR_ADD, "--arch", "sm_90", NULL});
}

static const char *contents(const char *name) {
    static char text[4096];
    FILE *file = fopen(name, "r");
    cr_assert_not_null(file, "%s", name);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void expect_entry(const char *source, const char *entry, const char *symbol) {
    const struct command_result *result = compile(source);
    cr_assert_eq(result->status, 0, "%s", result->output);
    cr_expect_str_eq(contents("entry.txt"), entry);
    char path[256];
    snprintf(path, sizeof path, "%s/student.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(library, "%s", dlerror());
    cr_expect_not_null(dlsym(library, symbol));
}

#define KERNEL(qualifiers, name)                                                                   \
    qualifiers "__global__ void " name "(const float *a, const float *b, float *c, int n) {\n"     \
               "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                              \
               "    if (i < n) c[i] = a[i] + b[i];\n"                                              \
               "}\n"
#define LAUNCHER(qualifiers, kernel)                                                               \
    qualifiers "void vector_add(const float *a, const float *b, float *c, int n) {\n"              \
               "    " kernel "<<<(n + 255) / 256, 256>>>(a, b, c, n);\n"                           \
               "}\n"
#define OTHERS "int main() { return 0; }\n"

Test(nvidia, finds_a_launcher) {
    expect_entry(KERNEL("", "vadd") LAUNCHER("extern \"C\" ", "vadd") OTHERS,
                 "launcher vector_add vector_add\n", "vector_add");
}

Test(nvidia, finds_a_launcher_without_extern_c) {
    expect_entry(KERNEL("static ", "vadd") LAUNCHER("", "vadd"),
                 "launcher _Z10vector_addPKfS0_Pfi vector_add\n", "_Z10vector_addPKfS0_Pfi");
}

Test(nvidia, finds_a_kernel) {
    expect_entry(KERNEL("", "vector_add") OTHERS, "kernel _Z10vector_addPKfS0_Pfi vector_add\n",
                 "_Z10vector_addPKfS0_Pfi");
}

Test(nvidia, finds_a_kernel_in_a_namespace) {
    expect_entry("namespace mine {\n" KERNEL("", "vadd") "}\n",
                 "kernel _ZN4mine4vaddEPKfS1_Pfi vadd\n", "_ZN4mine4vaddEPKfS1_Pfi");
}

static void expect_refusal(const char *source, const char *words) {
    const struct command_result *result = compile(source);
    cr_expect_eq(result->status, STUDENT_AT_FAULT, "status %d", result->status);
    cr_expect(strstr(result->output, words) != NULL, "%s", result->output);
}

Test(nvidia, says_what_does_not_fit) {
    expect_refusal("typedef float real;\n"
                   "extern \"C\" void vector_add(const real *a, real *b, real *c) {}\n",
                   "k.hip:3:17: error: 'vector_add' takes (const real*, real*, real*), but is "
                   "called with (pointer, pointer, pointer, int)");
    expect_refusal(KERNEL("", "vectoradd"), "(did you mean 'vectoradd'?)");
    expect_refusal("__global__ void vadd(float *a) { a[0] = nothing; }\n",
                   "k.hip:2:41: error: identifier \"nothing\" is undefined");
    expect_refusal("__global__ void big(float *a) { __shared__ float s[20000];\n"
                   "    s[threadIdx.x] = a[0]; __syncthreads(); a[1] = s[3]; }\n",
                   "kernel 'big(float*)' uses 80000 bytes of shared memory; there are 49152");
    expect_refusal("void elsewhere();\n" KERNEL("", "vadd") "void f() { elsewhere(); }\n",
                   "'elsewhere()' is declared but defined nowhere");
}

Test(nvidia, tells_facts_for_each_arch) {
    FILE *file = fopen("k.hip", "w");
    cr_assert_not_null(file);
    fputs("#include <hip/hip_runtime.h>\n" KERNEL("", "vadd"), file);
    fclose(file);
    const struct command_result *result = command_run((const char *[]){
        COMPILE, "--source", "k.hip", "--out", folder, "--facts", "--arch", "sm_80,sm_90", NULL});
    cr_assert_eq(result->status, 0, "%s", result->output);
    const char *table = contents("resources.tsv");
    cr_expect(strstr(table, "\nsm_80\tvadd\tk.hip\t2\t32\t") != NULL, "%s", table);
    cr_expect(strstr(table, "\nsm_90\tvadd\tk.hip\t2\t32\t") != NULL, "%s", table);
}

/* Of the programs that the cpu platform runs, those that are about what our headers add to CUDA's.
 */
Test(nvidia, compiles_programs) {
    static const char *const programs[] = {
        "atomics",        "complex_numbers",    "cooperative_grid", "device_queries",
        "half_precision", "launches",           "managed_variable", "memory",
        "occupancy",      "integer_intrinsics", "streams_events",   "symbols",
        "warp_shuffle",   "warp_vote",
    };
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, WG_TEST_KERNELS "/%s.hip", programs[i]);
        const struct command_result *result = command_run((const char *[]){
            COMPILE, "--source", path, "--out", folder, "--program", "--arch", "sm_90", NULL});
        cr_expect_eq(result->status, 0, "%s: %s", path, result->output);
    }
}

Test(nvidia, says_that_there_is_no_device) {
    if (access("/dev/nvidiactl", F_OK) == 0) {
        cr_skip_test("there is one");
    }
    setenv("LD_LIBRARY_PATH", WG_TEST_CUDA_LIBRARIES, 1);
    const struct command_result *result =
        command_run((const char *[]){WG_TEST_LIBEXEC "/harness", "--probe", NULL});
    cr_expect_eq(result->status, 1);
    cr_expect_str_eq(result->output, "");
}
