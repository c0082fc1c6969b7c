/* The amd platform as far as it goes without a GPU: code for every arch, facts that agree with the
 * compiler's own, libraries that load, refusals in words. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/platform/command.h"

#define ARCHES         "gfx906,gfx90a,gfx942,gfx1030,gfx1100,gfx1200,gfx1201"
#define ARCH_COUNT     7
#define FACTS_MAX      192
#define MATMUL         "ptr ptr ptr i32 i32 i32"
#define VECTOR_ADD     "ptr ptr ptr i32"
#define COMPILE        WG_TEST_LIBEXEC "/compile"
#define NAME_BYTES     128
#define TEST_TIMEOUT_S 1100

static char folder[] = "/tmp/wg-amd-XXXXXX";

static void set_up(void) {
    cr_assert_not_null(mkdtemp(folder));
}
static void tear_down(void) {
    command_run((const char *[]){"rm", "-rf", folder, NULL});
}
TestSuite(amd, .init = set_up, .fini = tear_down, .timeout = TEST_TIMEOUT_S);

static const char *in_folder(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *write_source(const char *name, const char *text) {
    FILE *file = fopen(in_folder(name), "w");
    cr_assert_not_null(file);
    fputs("#include <hip/hip_runtime.h>\n", file);
    fputs(text, file);
    fclose(file);
    return in_folder(name);
}

/* A file as a student has it: compiled where it lies. */
static const char *copy_source(const char *path, const char *name) {
    const struct command_result *result =
        command_run((const char *[]){"cp", path, in_folder(name), NULL});
    cr_assert_eq(result->status, 0, "%s", result->output);
    return in_folder(name);
}

/* ---- Facts ---------------------------------------------------------------------------------- */

struct fact {
    char arch[32], kernel[NAME_BYTES], file[NAME_BYTES], limited_by[32];
    int line, registers, spilled, scratch_bytes, shared_bytes, waves, waves_limit;
};
static struct fact facts[FACTS_MAX];
static int fact_count;

/* Columns as the compiler writes them, cells may be empty. */
static void read_fact(char *line, struct fact *out) {
    char *cells[18];
    int count = 0;
    char *rest = line;
    while (count < 18 && rest) {
        cells[count++] = strsep(&rest, "\t\n");
    }
    cr_assert_eq(count, 18, "%d cells: %s", count, line);
    *out = (struct fact){.line = atoi(cells[3]),
                         .registers = atoi(cells[5]),
                         .spilled = atoi(cells[8]),
                         .scratch_bytes = atoi(cells[10]),
                         .shared_bytes = atoi(cells[11]),
                         .waves = atoi(cells[14]),
                         .waves_limit = atoi(cells[15])};
    snprintf(out->arch, sizeof out->arch, "%s", cells[0]);
    snprintf(out->kernel, sizeof out->kernel, "%s", cells[1]);
    snprintf(out->file, sizeof out->file, "%s", cells[2]);
    snprintf(out->limited_by, sizeof out->limited_by, "%s", cells[16]);
}

static void read_facts(void) {
    char line[1024];
    FILE *file = fopen(in_folder("resources.tsv"), "r");
    cr_assert_not_null(file);
    fact_count = 0;
    while (fgets(line, sizeof line, file) && fact_count < FACTS_MAX) {
        if (strncmp(line, "arch\t", 5) != 0) {
            read_fact(line, &facts[fact_count++]);
        }
    }
    fclose(file);
}

static const struct command_result *compile_facts(const char *source, const char *arches,
                                                  const char *block) {
    return command_run((const char *[]){COMPILE, "--source", source, "--out", folder, "--facts",
                                        "--arch", arches, "--block", block, NULL});
}

static void expect_facts(const char *source, const char *arches, const char *block) {
    const struct command_result *result = compile_facts(source, arches, block);
    cr_assert_eq(result->status, 0, "%s: %s", source, result->output);
    read_facts();
    for (int i = 0; i < fact_count; i++) {
        cr_assert(facts[i].registers > 0 && facts[i].registers <= 512, "%s", facts[i].kernel);
        cr_assert(facts[i].waves > 0 && facts[i].waves <= facts[i].waves_limit, "%s: %d of %d",
                  facts[i].kernel, facts[i].waves, facts[i].waves_limit);
        cr_assert_eq(facts[i].waves == facts[i].waves_limit, *facts[i].limited_by == '\0');
        cr_assert(facts[i].line > 0 && *facts[i].file, "%s has no place", facts[i].kernel);
    }
}

Test(amd, tells_what_references_and_samples_take_on_every_arch) {
    static const char *const sources[] = {
        WG_TEST_SOURCE "/reference/vector_add/tuned.hip",
        WG_TEST_SOURCE "/reference/matmul/tuned.hip",
        WG_TEST_SOURCE "/scripts/samples/tutorial_program.hip",
    };
    for (size_t s = 0; s < sizeof sources / sizeof sources[0]; s++) {
        expect_facts(sources[s], ARCHES, "256");
        cr_assert(fact_count >= ARCH_COUNT && fact_count % ARCH_COUNT == 0, "%s: %d", sources[s],
                  fact_count);
        for (int i = 0; i < fact_count; i++) {
            cr_assert_eq(facts[i].spilled, 0, "%s spills on %s", facts[i].kernel, facts[i].arch);
        }
    }
}

Test(amd, shared_memory_is_exact) {
    expect_facts(WG_TEST_SOURCE "/scripts/samples/good_matmul.hip", ARCHES, "256");
    cr_assert_eq(fact_count, ARCH_COUNT);
    for (int i = 0; i < fact_count; i++) {
        cr_assert_eq(facts[i].shared_bytes, 2 * 16 * 16 * 4, "%s", facts[i].arch);
        cr_assert_eq(facts[i].scratch_bytes, 0);
    }
}

static const char spilling[] =
    "__global__ __launch_bounds__(1024) void many(float* a, int n) {\n"
    "    float v[300];\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < 300; i++) v[i] = a[i * 1024 + threadIdx.x];\n"
    "    for (int k = 0; k < n; k++) {\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < 300; i++) v[i] = v[i] * v[(i + 7) % 300] + 1;\n"
    "    }\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < 300; i++) a[i * 1024 + threadIdx.x] = v[i];\n"
    "}\n"
    "__global__ void few(float* a) { a[threadIdx.x] += 1; }\n";

Test(amd, tells_spills_and_where) {
    expect_facts(write_source("spills.hip", spilling), "gfx90a,gfx1100", "256");
    cr_assert_eq(fact_count, 4);
    for (int i = 0; i < fact_count; i++) {
        bool many = strcmp(facts[i].kernel, "many") == 0;
        cr_assert_eq(facts[i].spilled > 0, many, "%s: %d", facts[i].kernel, facts[i].spilled);
        cr_assert_eq(facts[i].scratch_bytes > 0, many);
        cr_assert_eq(facts[i].line, many ? 2 : 13);
        cr_assert_eq(*facts[i].limited_by != '\0', many);
    }
}

/* ---- The compiler's own words, which lie in the logs ---- */

/* Of one kernel in a log; -1: it is not there. */
static int remarked_waves(const char *arch, const char *kernel) {
    char name[64];
    char line[1024];
    int waves = -1;
    bool here = false;
    snprintf(name, sizeof name, "%s.co.log", arch);
    FILE *file = fopen(in_folder(name), "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file)) {
        const char *function = strstr(line, "Function Name: ");
        const char *occupancy = strstr(line, "Occupancy [waves/SIMD]: ");
        here = function ? strstr(function, kernel) != NULL : here;
        if (here && occupancy) {
            waves = atoi(occupancy + strlen("Occupancy [waves/SIMD]: "));
        }
    }
    fclose(file);
    return waves;
}

/* Kernels that differ in what limits them: shared memory from none to all, registers from few to
 * many. */
static void write_limited_kernels(void) {
    static const int shared_floats[] = {0, 512, 2048, 3000, 5000, 8192, 12000, 16384};
    char text[8192];
    int len = 0;
    for (size_t i = 0; i < sizeof shared_floats / sizeof shared_floats[0]; i++) {
        len += snprintf(text + len, sizeof text - (size_t)len,
                        "__global__ void shared%zu_(float* a) {\n"
                        "    __shared__ float s[%d];\n"
                        "    s[threadIdx.x] = a[threadIdx.x];\n"
                        "    __syncthreads();\n"
                        "    a[threadIdx.x] = s[1023 - threadIdx.x];\n"
                        "}\n",
                        i, shared_floats[i] ? shared_floats[i] : 1);
    }
    for (int values = 16; values <= 112; values += 16) {
        len += snprintf(text + len, sizeof text - (size_t)len,
                        "__global__ void values%d_(float* a, int n) {\n"
                        "    float v[%d];\n"
                        "#pragma unroll\n"
                        "    for (int i = 0; i < %d; i++) v[i] = a[i * 1024 + threadIdx.x];\n"
                        "    for (int k = 0; k < n; k++) {\n"
                        "#pragma unroll\n"
                        "        for (int i = 0; i < %d; i++) v[i] = v[i] * v[(i + 7) %% %d] + 1;\n"
                        "    }\n"
                        "#pragma unroll\n"
                        "    for (int i = 0; i < %d; i++) a[i * 1024 + threadIdx.x] = v[i];\n"
                        "}\n",
                        values, values, values, values, values, values);
    }
    write_source("limits.hip", text);
}

Test(amd, waves_are_those_that_the_compiler_tells) {
    write_limited_kernels();
    /* The compiler thinks of the largest block that it allows. */
    expect_facts(in_folder("limits.hip"), ARCHES ",gfx1010,gfx1102", "1024");
    cr_assert_eq(fact_count, 15 * (ARCH_COUNT + 2));
    for (int i = 0; i < fact_count; i++) {
        cr_assert_eq(facts[i].waves, remarked_waves(facts[i].arch, facts[i].kernel),
                     "%s on %s: %d waves, the compiler says %d (%d registers, %d bytes, %s)",
                     facts[i].kernel, facts[i].arch, facts[i].waves,
                     remarked_waves(facts[i].arch, facts[i].kernel), facts[i].registers,
                     facts[i].shared_bytes, facts[i].limited_by);
    }
}

/* ---- Libraries ------------------------------------------------------------------------------ */

static const struct command_result *compile(const char *source, const char *launcher,
                                            const char *kernels, const char *signature,
                                            const char *arches) {
    return command_run((const char *[]){COMPILE, "--source", source, "--out", folder, "--launcher",
                                        launcher, "--kernels", kernels, "--signature", signature,
                                        "--arch", arches, NULL});
}

static void expect_entry(const char *entry, const char *symbol) {
    char line[256] = "";
    FILE *file = fopen(in_folder("entry.txt"), "r");
    cr_assert_not_null(file);
    cr_assert_not_null(fgets(line, sizeof line, file));
    fclose(file);
    cr_assert_str_eq(line, entry);
    void *library = dlopen(in_folder("student.so"), RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(library, "%s", dlerror());
    cr_assert_not_null(dlsym(library, symbol));
    cr_assert_null(dlsym(library, "main"));
}

Test(amd, a_launcher_for_all_arches_loads_without_a_gpu) {
    const char *source = copy_source(WG_TEST_SOURCE "/reference/matmul/tuned.hip", "matmul.hip");
    const struct command_result *result = compile(source, "matmul", "matmul", MATMUL, ARCHES);
    cr_assert_eq(result->status, 0, "%s", result->output);
    expect_entry("launcher matmul matmul\n", "matmul");
}

Test(amd, a_tutorial_program_loads) {
    const char *source =
        copy_source(WG_TEST_SOURCE "/scripts/samples/tutorial_program.hip", "vector_add.hip");
    const struct command_result *result =
        compile(source, "vector_add", "vector_add,vadd,add", VECTOR_ADD, "gfx90a");
    cr_assert_eq(result->status, 0, "%s", result->output);
    expect_entry("kernel _Z10vector_addPKfS0_Pfi vector_add\n", "_Z10vector_addPKfS0_Pfi");
}

Test(amd, a_kernel_alone_is_an_entry_even_if_it_is_static) {
    write_source("alone.hip",
                 "namespace lab {\n"
                 "static __global__ void vadd(const float* a, const float* b, float* c,"
                 " int n) {\n"
                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "    if (i < n) c[i] = a[i] + b[i];\n"
                 "}\n"
                 "}\n"
                 "void use(float* a) { lab::vadd<<<1, 1>>>(a, a, a, 1); }\n");
    const struct command_result *result =
        compile(in_folder("alone.hip"), "vector_add", "vadd", VECTOR_ADD, "gfx1100");
    cr_assert_eq(result->status, 0, "%s", result->output);
    expect_entry("kernel _ZN3labL4vaddEPKfS1_Pfi vadd\n", "_ZN3labL4vaddEPKfS1_Pfi");
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void expect_refusal(int status, const char *words, const struct command_result *result) {
    cr_assert_eq(result->status, status, "%d: %s", result->status, result->output);
    cr_assert(strstr(result->output, words), "no \"%s\" in: %s", words, result->output);
}

Test(amd, refuses_in_words) {
    write_source("wrong.hip", "__global__ void f(float* a) { a[0] = b; }\n");
    expect_refusal(1, "wrong.hip:2:38: error: use of undeclared identifier 'b'",
                   compile_facts(in_folder("wrong.hip"), ARCHES, "256"));
    write_source("large.hip", "__global__ void f(float* a) {\n"
                              "    __shared__ float s[20000];\n"
                              "    s[threadIdx.x] = a[threadIdx.x];\n"
                              "    __syncthreads();\n"
                              "    a[threadIdx.x] = s[threadIdx.x ^ 1];\n"
                              "}\n");
    expect_refusal(1, "error: local memory (80000) exceeds limit (65536)",
                   compile_facts(in_folder("large.hip"), "gfx942", "256"));
    write_source("other.hip", "extern \"C\" void launch(float* a, int n) { (void)a; (void)n; }\n");
    expect_refusal(1, "but is called with",
                   compile(in_folder("other.hip"), "launch", "k", VECTOR_ADD, "gfx90a"));
    expect_refusal(1, "no function 'vector_add' was found",
                   compile(in_folder("other.hip"), "vector_add", "k", VECTOR_ADD, "gfx90a"));
    write_source("missing.hip", "void helper(float*);\n"
                                "extern \"C\" void launch(float* a) { helper(a); }\n");
    expect_refusal(1, "is declared but defined nowhere",
                   compile(in_folder("missing.hip"), "launch", "k", "ptr", "gfx90a"));
}

Test(amd, refuses_arches_that_it_cannot_compile_for) {
    static const char *const arches[] = {"gfx9zz", "sm_90", "gfx90a,../x", "gfx", "", ",", "-O0"};
    write_source("fine.hip", "__global__ void f(float* a) { a[0] = 1; }\n");
    for (size_t i = 0; i < sizeof arches / sizeof arches[0]; i++) {
        expect_refusal(64, "is no AMD GPU that this installation compiles for",
                       compile_facts(in_folder("fine.hip"), arches[i], "256"));
    }
}

/* ---- What old HIP lacks --------------------------------------------------------------------- */

Test(amd, wave_functions_with_a_mask_are_there) {
    write_source("waves.hip",
                 "__global__ void f(float* a, unsigned long long* m) {\n"
                 "    float v = a[threadIdx.x];\n"
                 "    v += __shfl_sync(~0ull, v, 0) + __shfl_up_sync(~0ull, v, 1);\n"
                 "    v += __shfl_down_sync(~0ull, v, 1, 32) + __shfl_xor_sync(~0ull, v, 1);\n"
                 "    if (__any_sync(~0ull, v > 0) && !__all_sync(~0ull, v > 1)) v = 0;\n"
                 "    m[threadIdx.x] = __ballot_sync(__activemask(), v > 0);\n"
                 "    __syncwarp();\n"
                 "    a[threadIdx.x] = v;\n"
                 "}\n");
    expect_facts(in_folder("waves.hip"), "gfx90a,gfx1100", "256");
    write_source("mask.hip", "__global__ void f(float* a) {\n"
                             "    a[0] = __shfl_down_sync(0xffffffff, a[1], 1);\n"
                             "}\n");
    expect_refusal(1, "The mask must be a 64-bit integer",
                   compile_facts(in_folder("mask.hip"), "gfx90a", "256"));
}

/* ---- The harness ---------------------------------------------------------------------------- */

Test(amd, the_harness_says_by_its_status_that_there_is_no_device) {
    if (access("/dev/kfd", F_OK) == 0) {
        cr_skip_test("there may be one");
    }
    const struct command_result *result =
        command_run((const char *[]){WG_TEST_LIBEXEC "/harness", "--probe", NULL});
    cr_assert_eq(result->status, 1, "%d: %s", result->status, result->output);
    cr_assert_str_empty(result->output);
}

/* ---- The corpus ----------------------------------------------------------------------------- */

/* The correct ones, which use most of the language. */
Test(amd, the_corpus_compiles) {
    glob_t files;
    cr_assert_eq(glob(WG_TEST_SOURCE "/tests/cases/corpus/ok-*/*.hip", 0, NULL, &files), 0);
    cr_assert_gt(files.gl_pathc, 10);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        const struct command_result *result = compile_facts(files.gl_pathv[i], "gfx942", "256");
        cr_expect_eq(result->status, 0, "%s: %s", files.gl_pathv[i], result->output);
    }
    globfree(&files);
}
