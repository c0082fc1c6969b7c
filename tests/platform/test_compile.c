/* The compiler of the cpu platform through its real binary: which function is taken, what students
 * are told, where accesses are said to be, and odd programs end to end. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/platform/command.h"

#define VADD_PARAMS "const float *a, const float *b, float *c, int n"
#define INCLUDE     "#include <hip/hip_runtime.h>\n"
#define KERNEL(name)                                                                               \
    "__global__ void " name "(" VADD_PARAMS ") {\n"                                                \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                         \
    "    if (i < n) c[i] = a[i] + b[i];\n}\n"
#define LAUNCHER(before) before "void vector_add(" VADD_PARAMS ") { vadd<<<1, n>>>(a, b, c, n); }\n"

static const char compile_program[] = WG_TEST_LIBEXEC "/compile";
static const char run_program[] = WG_TEST_LIBEXEC "/run";

/* Every test is a process of its own and works in a folder of its own. */
static char folder[] = "/tmp/wg-compile-XXXXXX";

static void enter(void) {
    cr_assert_not_null(mkdtemp(folder));
    cr_assert(chdir(folder) == 0);
}

static void leave(void) {
    command_run((const char *[]){"rm", "-rf", folder, NULL});
}

TestSuite(compile, .init = enter, .fini = leave);

static void write_source(const char *text) {
    FILE *file = fopen("student.hip", "wb");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static const struct command_result *compile(const char *source, const char *more) {
    write_source(source);
    return command_run((const char *[]){compile_program, "--source", "student.hip", "--out", ".",
                                        "--launcher", "vector_add", "--kernels", "vector_add,vadd",
                                        "--signature", "ptr ptr ptr i32", more, NULL});
}

static void expect_entry(const char *source, const char *entry) {
    const struct command_result *got = compile(source, NULL);
    cr_assert(got->status == 0, "compile ended with %d:\n%s", got->status, got->output);
    char line[256] = "";
    FILE *file = fopen("entry.txt", "r");
    cr_assert_not_null(file);
    cr_expect_not_null(fgets(line, sizeof line, file));
    fclose(file);
    cr_expect_str_eq(line, entry);
    cr_expect(access("student.so", R_OK) == 0 && access("checked.so", R_OK) == 0);
}

static void expect_said(const struct command_result *got, int status, const char *words) {
    cr_expect(got->status == status, "ended with %d, not %d:\n%s", got->status, status,
              got->output);
    cr_expect(strstr(got->output, words) != NULL, "nothing says '%s':\n%s", words, got->output);
}

static void expect_not_said(const struct command_result *got, const char *words) {
    cr_expect(strstr(got->output, words) == NULL, "something says '%s':\n%s", words, got->output);
}

/* ---- Which function ------------------------------------------------------------------------- */

Test(compile, takes_a_launcher) {
    expect_entry(INCLUDE KERNEL("vadd") LAUNCHER("extern \"C\" "),
                 "launcher vector_add vector_add\n");
}

Test(compile, takes_a_launcher_without_extern_c) {
    expect_entry(INCLUDE KERNEL("vadd") LAUNCHER(""),
                 "launcher _Z10vector_addPKfS0_Pfi vector_add\n");
    expect_entry(INCLUDE KERNEL("vadd") "namespace hw {\n" LAUNCHER("") "}\n",
                 "launcher _ZN2hw10vector_addEPKfS1_Pfi vector_add\n");
}

Test(compile, takes_a_kernel_by_itself) {
    expect_entry(INCLUDE KERNEL("vadd"), "kernel _Z4vaddPKfS0_Pfi vadd\n");
    expect_entry(INCLUDE KERNEL("vector_add"), "kernel _Z10vector_addPKfS0_Pfi vector_add\n");
}

Test(compile, takes_an_instantiated_template) {
    expect_entry(INCLUDE "template <class T> __global__ void vadd(const T *, const T *, T *, int) "
                         "{}\nvoid use() { vadd<float><<<1, 1>>>(0, 0, 0, 1); }\n",
                 "kernel _Z4vaddIfEvPKT_S2_PS0_i vadd<float>\n");
}

Test(compile, prefers_the_overload_that_fits) {
    expect_entry(INCLUDE KERNEL("vadd") "void vector_add(float *, int) {}\n" LAUNCHER(""),
                 "launcher _Z10vector_addPKfS0_Pfi vector_add\n");
}

Test(compile, tells_two_that_fit) {
    const struct command_result *got =
        compile(INCLUDE "void vector_add(float *, float *, float *, int) {}\n"
                        "void vector_add(const float *, const float *, float *, int) {}\n",
                NULL);
    expect_said(got, 1, "student.hip:2:6: error: more than one 'vector_add' could be meant");
    expect_said(got, 1, "student.hip:3:6: note: another is here");
}

Test(compile, tells_wrong_parameters) {
    const struct command_result *got = compile(
        INCLUDE KERNEL("vadd") "extern \"C\" void vector_add(const float *a, double b) {}", NULL);
    expect_said(got, 1,
                "student.hip:6:17: error: 'vector_add' takes (const float*, double), but is called "
                "with (pointer, pointer, pointer, int)");
}

Test(compile, takes_the_kernel_beside_a_helper_of_the_launchers_name) {
    expect_entry(INCLUDE KERNEL("vadd") "void vector_add(double *) {}\n",
                 "kernel _Z4vaddPKfS0_Pfi vadd\n");
}

Test(compile, suggests_the_nearest_name) {
    expect_said(compile(INCLUDE "void vector_ad(" VADD_PARAMS ") {}\n", NULL), 1,
                "(did you mean 'vector_ad'?)");
}

Test(compile, tells_what_was_never_compiled) {
    expect_said(compile(INCLUDE "static " KERNEL("vadd"), NULL), 1,
                "student.hip:2:24: note: 'vadd' stands here but nothing uses it");
}

/* ---- What is said --------------------------------------------------------------------------- */

Test(compile, says_a_warning_once) {
    const struct command_result *got =
        compile(INCLUDE KERNEL("vadd") LAUNCHER("") "int twice() { int x; return x; }\n", NULL);
    const char *first = strstr(got->output, "warning: variable 'x' is uninitialized");
    cr_assert(got->status == 0 && first, "%s", got->output);
    cr_expect_null(strstr(first + 1, "warning:"), "%s", got->output);
}

Test(compile, says_what_only_the_device_pass_sees) {
    expect_said(compile(INCLUDE "__global__ void vadd(" VADD_PARAMS ") { c[0] = rand(); }\n", NULL),
                1, "student.hip:2:80: error: no matching function for call to 'rand'");
}

Test(compile, does_not_name_our_folders) {
    const struct command_result *got =
        compile(INCLUDE "__global__ void vadd(" VADD_PARAMS ") {\n"
                        "    c[0] = __shfl_down_sync(0xffffffff, a[0], 1);\n}\n",
                NULL);
    expect_said(got, 1, "student.hip:3:12: error:");
    expect_not_said(got, "/hip/detail");
}

Test(compile, takes_byte_order_mark_and_foreign_line_ends) {
    expect_entry("\xef\xbb\xbf#include <hip/hip_runtime.h>\r\n"
                 "__global__ void vadd(" VADD_PARAMS ")\r\n{\r\n  c[0] = a[0];\r\n}",
                 "kernel _Z4vaddPKfS0_Pfi vadd\n");
}

Test(compile, refuses_cuda) {
    expect_said(compile("#include <cuda_runtime.h>\n" KERNEL("vadd"), NULL), 1,
                "student.hip:1:10: fatal error: 'cuda_runtime.h' file not found");
}

Test(compile, needs_the_include_that_a_gpu_needs) {
    /* The headers are parsed ahead of time, which must not make them appear by themselves. */
    expect_said(
        compile("#define N 4\n__global__ void vadd(float *c) { c[threadIdx.x] = 1; }\n", NULL), 1,
        "use of undeclared identifier 'threadIdx'");
}

/* Whether this machine has HIP headers of its own makes no difference. */
Test(compile, takes_no_hip_header_of_the_machine) {
    static const char *const headers[] = {"hip/surface_types.h", "hip/amd_detail/hip_ldg.h"};
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        char text[1024], words[128];
        snprintf(text, sizeof text, INCLUDE "#include <%s>\n" KERNEL("vadd"), headers[i]);
        snprintf(words, sizeof words, "student.hip:2:10: fatal error: '%s' file not found",
                 headers[i]);
        expect_said(compile(text, NULL), 1, words);
    }
    expect_entry("#if __has_include(<hip/surface_types.h>)\n#error\n#endif\n"
                 "#include <hip/hip_runtime.h>\n" KERNEL("vadd"),
                 "kernel _Z4vaddPKfS0_Pfi vadd\n");
}

Test(compile, sees_what_is_defined_before_the_headers) {
    expect_entry("#define WG_TEST_BEFORE 1\n" INCLUDE
                 "#ifndef WG_TEST_BEFORE\n#error lost\n#endif\n" KERNEL("vadd"),
                 "kernel _Z4vaddPKfS0_Pfi vadd\n");
}

Test(compile, tells_undefined_functions_at_their_use) {
    expect_said(compile(INCLUDE "__device__ float helper(int);\n"
                                "__global__ void vadd(" VADD_PARAMS ") { c[0] = helper(n); }\n",
                        NULL),
                1, "student.hip:3:80: error: 'helper(int)' is declared but defined nowhere");
}

Test(compile, refuses_assembly_of_a_gpu) {
    expect_said(compile(INCLUDE "__global__ void vadd(" VADD_PARAMS ") {\n"
                                "    asm volatile(\"s_barrier\");\n}\n",
                        NULL),
                1, "student.hip:3:5: error: assembly language of a GPU");
}

Test(compile, survives_nonsense) {
    expect_said(compile("int x = ;;; }{ \x01\xff", NULL), 1, "error:");
    expect_said(compile("", NULL), 1, "error: no function 'vector_add' was found");
}

/* ---- Sites ---------------------------------------------------------------------------------- */

static const char site_source[] =
    INCLUDE "#define LOAD(p, i) \\\n"                                                   /* 2 */
            "    (p)[i]\n"                                                              /* 3 */
            "__constant__ float weights[8];\n"                                          /* 4 */
            "__device__ int hits;\n"                                                    /* 5 */
            "template <class T>\n"                                                      /* 6 */
            "__device__ T fetch(const T *from, int i) {\n"                              /* 7 */
            "    return from[i];\n"                                                     /* 8 */
            "}\n"                                                                       /* 9 */
            "__global__ void vadd(const float *a, const float *b, float *c, int n) {\n" /* 10 */
            "    __shared__ float tile[4][16];\n"                                       /* 11 */
            "    extern __shared__ double rest[];\n"                                    /* 12 */
            "    float own[4];\n"                                                       /* 13 */
            "    int sum;\n"                                                            /* 14 */
            "    tile[1][threadIdx.x] = LOAD(a, n);\n"                                  /* 15 */
            "    __syncthreads();\n"                                                    /* 16 */
            "    own[n] = fetch(b, n) + weights[n];\n"                                  /* 17 */
            "    if (n) sum = atomicAdd(&hits, 1);\n"                                   /* 18 */
            "    rest[n] = own[n + 1];\n"                                               /* 19 */
            "    c[n] = sum;\n"                                                         /* 20 */
            "}\n";

static void expect_site(const struct command_result *got, const char *site) {
    cr_expect(strstr(got->output, site) != NULL, "no site '%s' in:\n%s", site, got->output);
}

Test(compile, knows_where_accesses_are) {
    const struct command_result *got = compile(site_source, "--dump-sites");
    cr_assert(got->status == 0, "%s", got->output);
    expect_site(got, "kernel student.hip:10:1 _Z4vaddPKfS0_Pfi ");
    expect_site(got, "read student.hip:15:28 _Z4vaddPKfS0_Pfi kind=1 object=a bytes=0 element=4");
    expect_site(got, "write student.hip:15:26 _Z4vaddPKfS0_Pfi kind=2 object=tile bytes=256 "
                     "element=4");
    expect_site(got, "wait student.hip:16:5 ");
    /* A function that was inlined keeps its own lines, and the parameter it was given. */
    expect_site(got, "read student.hip:8:12 _Z5fetchIfET_PKS0_i kind=1 object=b bytes=0 element=4");
    expect_site(got, "read student.hip:17:28 _Z4vaddPKfS0_Pfi kind=6 object=weights bytes=32 "
                     "element=4");
    expect_site(got, "write-local student.hip:17:12 _Z4vaddPKfS0_Pfi kind=4 object=own bytes=16 "
                     "element=4");
    /* A function of our headers stands where it is called. */
    expect_site(got, "atomic student.hip:18:18 _Z4vaddPKfS0_Pfi kind=5 object=hits bytes=4 "
                     "element=4");
    expect_site(got, "read-local student.hip:19:15 ");
    expect_site(got, "write student.hip:19:13 _Z4vaddPKfS0_Pfi kind=3 object=rest bytes=0 "
                     "element=8");
    expect_site(got, "read-local student.hip:20:12 _Z4vaddPKfS0_Pfi kind=4 object=sum bytes=4 "
                     "element=4");
}

/* ---- Whole programs ------------------------------------------------------------------------- */

static void expect_runs(const char *source) {
    write_source(source);
    const struct command_result *got = command_run((const char *[]){
        compile_program, "--source", "student.hip", "--out", ".", "--program", NULL});
    cr_assert(got->status == 0, "compile ended with %d:\n%s", got->status, got->output);
    static const char *const libraries[] = {"./student.so", "./checked.so"};
    for (size_t i = 0; i < 2; i++) {
        got = command_run((const char *[]){"timeout", "60", run_program, libraries[i], NULL});
        cr_expect(got->status == 0, "%s ended with %d:\n%s", libraries[i], got->status,
                  got->output);
        expect_not_said(got, "wavegrade: ");
    }
}

#define MAIN_WITH_INTS(count)                                                                      \
    "int host[" #count "], *d;\n"                                                                  \
    "bool fetch() { return hipMemcpy(host, d, sizeof host, hipMemcpyDeviceToHost) == 0; }\n"       \
    "int main() {\n"                                                                               \
    "    if (hipMalloc(&d, sizeof host)) return 90;\n"

Test(compile, charges_a_kernel_only_for_what_it_uses) {
    expect_runs(INCLUDE
                "__device__ float both(int i) { __shared__ float s[256]; s[i] = i; return s[i]; }\n"
                "__global__ void large(float *o) { __shared__ float s[12000]; s[threadIdx.x] = 1;\n"
                "    o[0] = s[threadIdx.x] + both(threadIdx.x); }\n"
                "__global__ void other(float *o) { __shared__ float s[12000]; s[threadIdx.x] = 2;\n"
                "    o[0] = s[threadIdx.x]; }\n"
                "__global__ void small(float *o) { __shared__ float s[10]; s[threadIdx.x] = 2;\n"
                "    o[0] = s[threadIdx.x] + both(threadIdx.x); }\n"
                "static size_t bytes(void (*kernel)(float *)) {\n"
                "    hipFuncAttributes a; hipFuncGetAttributes(&a, (const void *)kernel);\n"
                "    return a.sharedSizeBytes; }\n"
                "int main() {\n"
                "    if (bytes(large) != 49024) return 1;\n"
                "    if (bytes(other) != 48000) return 2;\n"
                "    if (bytes(small) > 1088) return 3;\n"
                "    return 0; }\n");
}

Test(compile, recursion_finds_threads_and_dynamic_memory) {
    expect_runs(
        INCLUDE
        "__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n"
        "__device__ int last(int n, int *s) {\n"
        "    extern __shared__ int dynamic[];\n"
        "    if (n > 0) return last(n - 1, s);\n"
        "    dynamic[threadIdx.x] = s[threadIdx.x]; __syncthreads();\n"
        "    return dynamic[blockDim.x - 1 - threadIdx.x]; }\n"
        "__global__ void one(int *o) { __shared__ int s[64]; s[threadIdx.x] = threadIdx.x;\n"
        "    o[threadIdx.x] = fib(threadIdx.x % 8) * 100 + last(3, s); }\n"
        "__global__ void two(int *o) { __shared__ int pad[100], s[64]; pad[threadIdx.x] = 7;\n"
        "    s[threadIdx.x] = 2 * threadIdx.x; o[threadIdx.x] = last(2, s) + pad[threadIdx.x]; "
        "}\n" MAIN_WITH_INTS(
            64) "    static const int fibs[8] = {0, 1, 1, 2, 3, 5, 8, 13};\n"
                "    one<<<1, 64, 256>>>(d); if (!fetch()) return 1;\n"
                "    for (int i = 0; i < 64; i++) if (host[i] != fibs[i % 8] * 100 + 63 - i) "
                "return 2;\n"
                "    two<<<1, 64, 256>>>(d); if (!fetch()) return 3;\n"
                "    for (int i = 0; i < 64; i++) if (host[i] != 2 * (63 - i) + 7) return 4;\n"
                "    return 0; }\n");
}

Test(compile, function_pointers_work_and_may_wait) {
    expect_runs(
        INCLUDE
        "typedef int (*op)(int, int);\n"
        "__device__ int add(int a, int b) { return a + b; }\n"
        "__device__ int meet(int a, int b) { __syncthreads(); return a * b; }\n"
        "__device__ op table[2] = {add, meet};\n"
        "__global__ void pick(int *o, int w) { o[threadIdx.x] = table[w](threadIdx.x, 3); }\n"
        "template <op F> __global__ void fixed(int *o) { o[threadIdx.x] = F(threadIdx.x, 2); "
        "}\n" MAIN_WITH_INTS(
            32) "    pick<<<1, 32>>>(d, 0); if (!fetch() || host[5] != 8) return 1;\n"
                "    pick<<<1, 32>>>(d, 1); if (!fetch() || host[5] != 15) return 2;\n"
                "    fixed<meet><<<1, 32>>>(d); if (!fetch() || host[5] != 10) return 3;\n"
                "    void (*by_pointer)(int *) = fixed<add>;\n"
                "    by_pointer<<<1, 32>>>(d); if (!fetch() || host[5] != 7) return 4;\n"
                "    return 0; }\n");
}

Test(compile, parameters_of_all_shapes_arrive) {
    expect_runs(
        INCLUDE
        "struct Empty {};\n"
        "struct Odd { char c[5]; };\n"
        "struct Big { int v[40]; double d; long double ld; };\n"
        "struct Copied { int v; __host__ __device__ Copied(int x) : v(x) {}\n"
        "    __host__ __device__ Copied(const Copied &o) : v(o.v) {} };\n"
        "__global__ void all(int *o, Empty, bool yes, Odd odd, char c, Big big, float3 f, short "
        "s,\n"
        "                    Copied k, double d, uchar4 u, long long l, __int128 w, dim3 g) {\n"
        "    o[0] = yes + odd.c[4] + c + big.v[39] + (int)big.d + (int)big.ld + (int)f.z + s +\n"
        "           k.v + (int)d + u.w + (int)l + (int)(w >> 64) + g.z; }\n" MAIN_WITH_INTS(
            1) "    Big big{}; big.v[39] = 1000; big.d = 2000; big.ld = 4000;\n"
               "    all<<<1, 1>>>(d, Empty(), true, Odd{{0, 0, 0, 0, 2}}, 4, big, make_float3(0, "
               "0, 8),\n"
               "                  16, Copied(32), 64.0, make_uchar4(0, 0, 0, 128), 256,\n"
               "                  (__int128)512 << 64, dim3(1, 1, 16000));\n"
               "    return fetch() && host[0] == 24023 ? 0 : 1; }\n");
}

Test(compile, addresses_of_shared_arrays_travel) {
    expect_runs(INCLUDE
                "struct Tile { int v[4][4]; };\n"
                "__global__ void turn(int *o) {\n"
                "    __shared__ Tile t; __shared__ int a[16], b[16];\n"
                "    t.v[threadIdx.y][threadIdx.x] = threadIdx.y * 4 + threadIdx.x;\n"
                "    int *both[2] = {a, b}; int me = threadIdx.y * 4 + threadIdx.x;\n"
                "    for (int i = 0; i < 2; i++) both[i][me] = 100 * i;\n"
                "    __syncthreads();\n"
                "    int *p = &t.v[1][0]; int *q = threadIdx.x & 1 ? a : b;\n"
                "    o[me] = p[(int)threadIdx.x * 4 + (int)threadIdx.y - 4] + q[15 - me]; "
                "}\n" MAIN_WITH_INTS(
                    16) "    turn<<<1, dim3(4, 4)>>>(d); if (!fetch()) return 1;\n"
                        "    for (int y = 0; y < 4; y++) for (int x = 0; x < 4; x++)\n"
                        "        if (host[y * 4 + x] != x * 4 + y + (x & 1 ? 0 : 100)) return 2;\n"
                        "    return 0; }\n");
}

Test(compile, code_that_would_explode_stays_calls) {
    expect_runs(
        INCLUDE
        "template <int N> struct F { static __device__ float f(float x) {\n"
        "    return F<N - 1>::f(x) * 1.5f + F<N - 1>::f(x + 1) * F<N - 1>::f(x * 2); } };\n"
        "template <> struct F<0> { static __device__ float f(float x) { return x * x; } };\n"
        "__global__ void k(int *o) { o[0] = threadIdx.x < 99 ? 1 : (int)F<20>::f(threadIdx.x); "
        "}\n" MAIN_WITH_INTS(1) "    k<<<1, 1>>>(d); return fetch() && host[0] == 1 ? 0 : 1; }\n");
}

Test(compile, constructors_may_launch) {
    expect_runs(INCLUDE "__device__ int twice = 1;\n"
                        "__global__ void k() { twice *= 2; }\n"
                        "struct Early { Early() { k<<<1, 1>>>(); } } early;\n"
                        "int main() { int got = 0; k<<<1, 1>>>();\n"
                        "    if (hipMemcpyFromSymbol(&got, HIP_SYMBOL(twice), 4)) return 1;\n"
                        "    return got == 4 ? 0 : 2; }\n");
}

/* ---- The checked build ---------------------------------------------------------------------- */

static void expect_finding(const char *body, const char *words) {
    char source[4096];
    snprintf(source, sizeof source,
             INCLUDE "__global__ void k(float *o, int n) {\n%s\n}\nint main() { float *d;\n"
                     "    hipMalloc(&d, 256); hipMemset(d, 0, 256); k<<<1, 4>>>(d, 4);\n"
                     "    return hipDeviceSynchronize(); }\n",
             body);
    write_source(source);
    const struct command_result *got = command_run((const char *[]){
        compile_program, "--source", "student.hip", "--out", ".", "--program", NULL});
    cr_assert(got->status == 0, "compile ended with %d:\n%s", got->status, got->output);
    got = command_run((const char *[]){"timeout", "60", run_program, "./checked.so", NULL});
    if (words) {
        cr_expect(strstr(got->output, words) != NULL, "nothing says '%s':\n%s", words, got->output);
        cr_expect(strstr(got->output, "student.hip:3:") != NULL, "wrong line:\n%s", got->output);
    } else {
        expect_not_said(got, "wavegrade: ");
    }
}

Test(compile, finds_locals_read_too_early) {
    expect_finding("float sum; for (int i = 0; i < n; i++) sum += i; o[0] = sum;", "uninitialized");
    expect_finding("float s[4]; s[0] = 1; for (int i = 0; i < n; i++) o[i] = s[i];",
                   "uninitialized");
    expect_finding("float4 q; q.x = n; o[threadIdx.x] = q.x + q.w;", "uninitialized");
    expect_finding("float v; if (n > 8) v = 1; if (n < 8) o[threadIdx.x] = v;", "uninitialized");
}

Test(compile, finds_locals_left) {
    expect_finding("float s[4] = {0}; for (int i = 0; i <= n; i++) s[i] = 1; o[0] = s[0];",
                   "out of bounds");
    expect_finding("int s[2][2] = {{0}}; o[0] = s[n][0];", "out of bounds");
}

Test(compile, stays_silent_about_sound_locals) {
    expect_finding("float v; if (n > 2) v = 1; if (n > 2) o[threadIdx.x] = v;", NULL);
    expect_finding("float s[4]; for (int i = 0; i < n; i++) s[i] = i;\n"
                   "for (int i = 0; i < n; i++) o[threadIdx.x * 4 + i] = s[n - 1 - i];",
                   NULL);
    /* Copying is not reading: one member of the struct is nobody's business. */
    expect_finding("__shared__ float4 s[4]; float4 q; q.x = n; s[threadIdx.x] = q;\n"
                   "float4 r = s[threadIdx.x]; float4 t = r; o[threadIdx.x] = t.x;",
                   NULL);
    expect_finding("struct { unsigned a : 3, b : 5; } f; f.a = 1; f.b = 2; o[threadIdx.x] = f.a;",
                   NULL);
    expect_finding("float s[4]; float *p = n > 2 ? s : s + 1; for (int i = 0; i < 3; i++) p[i] = i;"
                   "\no[threadIdx.x] = p[2];",
                   NULL);
    expect_finding("auto twice = [&](int i) { return o[i] * n; }; float x = twice(threadIdx.x);\n"
                   "o[16 + threadIdx.x] = x;",
                   NULL);
}
