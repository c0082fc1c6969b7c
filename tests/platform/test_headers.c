/* The HIP headers by themselves: what must compile, and what must not and with which words. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/platform/command.h"

enum pass { HOST_PASS, DEVICE_PASS };

static char folder[] = "/tmp/wg-headers-XXXXXX";
static char source[sizeof folder + 16];

static void set_up(void) {
    cr_assert_not_null(mkdtemp(folder));
}
static void tear_down(void) {
    command_run((const char *[]){"rm", "-rf", folder, NULL});
}
TestSuite(headers, .init = set_up, .fini = tear_down, .timeout = 300);

static void write_source(const char *name, const char *text) {
    snprintf(source, sizeof source, "%s/%s", folder, name);
    FILE *file = fopen(source, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static const struct command_result *compile_hip(enum pass pass, const char *text) {
    write_source("test.hip", text);
    const char *argv[] = {WG_TEST_CLANGXX,
                          "-x",
                          "hip",
                          "--cuda-host-only",
                          "-nogpuinc",
                          "-nogpulib",
                          "-fuse-cuid=none",
                          "-Wall",
                          "-Wextra",
                          "-Werror",
                          "-fsyntax-only",
                          "-I",
                          WG_TEST_INCLUDE,
                          "-include",
                          "hip/host_defines.h",
                          source,
                          pass == DEVICE_PASS ? "-Xclang" : NULL,
                          "-fcuda-is-device",
                          "-Xclang",
                          "-fcuda-allow-variadic-functions",
                          NULL};
    return command_run(argv);
}

static const struct command_result *compile_c(const char *standard, const char *text) {
    write_source("test.c", text);
    return command_run((const char *[]){WG_TEST_CC, standard, "-Wall", "-Wextra", "-Wpedantic",
                                        "-Wconversion", "-Wstrict-prototypes", "-Werror",
                                        "-fsyntax-only", "-I", WG_TEST_INCLUDE, source, NULL});
}

static void expect_compiles(const char *text) {
    for (enum pass pass = HOST_PASS; pass <= DEVICE_PASS; pass++) {
        const struct command_result *got = compile_hip(pass, text);
        cr_expect(got->status == 0, "pass %d of\n%s\n%s", (int)pass, text, got->output);
    }
}

static void expect_device_error(const char *text, const char *wanted) {
    const struct command_result *got = compile_hip(DEVICE_PASS, text);
    cr_expect(got->status == 1, "ended with %d: %s", got->status, got->output);
    cr_expect(strstr(got->output, wanted) != NULL, "no '%s' in: %s", wanted, got->output);
}

static void expect_alone(const char *pattern) {
    glob_t found;
    cr_assert(glob(pattern, 0, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char text[512];
        snprintf(text, sizeof text, "#include <%s>\n",
                 found.gl_pathv[i] + strlen(WG_TEST_INCLUDE) + 1);
        expect_compiles(text);
    }
    globfree(&found);
}

Test(headers, each_alone_in_both_passes) {
    expect_alone(WG_TEST_INCLUDE "/hip/*.h");
    expect_alone(WG_TEST_INCLUDE "/hip/detail/*.h");
}

Test(headers, api_is_clean_c) {
    static const char text[] = "#include <hip/hip_runtime_api.h>\n"
                               "int main(void) { return (int)hipSetDevice(0); }\n";
    for (int i = 0; i < 2; i++) {
        const struct command_result *got = compile_c(i == 0 ? "-std=c11" : "-std=c17", text);
        cr_expect(got->status == 0, "%s", got->output);
    }
}

Test(headers, standard_headers_in_any_order) {
    expect_compiles(
        "#include <iostream>\n#include <vector>\n#include <cmath>\n#include <algorithm>\n"
        "#include <hip/hip_runtime.h>\n"
        "__global__ void k(float *p) { *p = std::sqrt(*p) + sqrtf(*p) + sin(1.0); }\n"
        "int main() { std::cout << std::sqrt(2.0) << std::vector<int>(3).size(); }\n");
    expect_compiles(
        "#include <hip/hip_runtime.h>\n#include <math.h>\n#include <random>\n"
        "#include <functional>\n#include <memory>\n#include <thread>\n#include <regex>\n"
        "__global__ void k(double *p) { *p = pow(*p, 2) + abs(-1) + fabs(*p); }\n"
        "int main() { return std::abs(-1) + (int)sqrt(4.0) + min(1, 2); }\n");
}

/* What ROCm's <hip/hip_runtime.h> includes, its users need not. */
Test(headers, what_the_runtime_header_brings) {
    expect_compiles("#include <hip/hip_runtime.h>\n"
                    "__global__ void k(int *p) { *p = *p < INT_MAX ? SCHAR_MIN : (int)UINT_MAX; }\n"
                    "std::array<int, 3> a; std::pair<int, uint64_t> b; std::thread c;\n"
                    "std::complex<float> d; hipDataType e = HIP_R_32F;\n"
                    "int f = std::numeric_limits<int>::max() - (int)std::max(1, 2);\n");
}

Test(headers, groups_by_predicate_are_for_lanes) {
    static const char body[] = "#include <hip/hip_runtime.h>\n"
                               "#include <hip/hip_cooperative_groups.h>\n"
                               "namespace cg = cooperative_groups;\n"
                               "__global__ void k() {\n"
                               "  cg::binary_partition(cg::this_thread_block(), true);\n}\n";
    expect_device_error(body, "test.hip:5:");
}

Test(headers, match_takes_numbers_of_4_or_8_bytes) {
    expect_device_error("#include <hip/hip_runtime.h>\n"
                        "__global__ void k(char *p) { __match_any(*p); }\n",
                        "values of 4 or 8 bytes are matched");
}

Test(headers, no_cuda_header) {
    cr_expect(access(WG_TEST_INCLUDE "/cuda_runtime.h", F_OK) != 0);
}

Test(headers, host_containers_in_kernels) {
    expect_device_error("#include <hip/hip_runtime.h>\n#include <vector>\n"
                        "__global__ void k(int *p) { std::vector<int> v(3); *p = v[0]; }\n",
                        "__host__ function");
}

/* The error must stand at the student's line, not in our header. */
Test(headers, narrow_lane_masks) {
    static const char *const calls[] = {"__shfl_sync(0xffffffff, 1, 0)", "__any_sync(~0u, 1)",
                                        "__ballot_sync(-1, 1)", "(__syncwarp(0xffffffffu), 0)"};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "#include <hip/hip_runtime.h>\n__global__ void k(int *p) {\n *p = (int)%s;\n}\n",
                 calls[i]);
        expect_device_error(text, "test.hip:3:");
        expect_device_error(text, "error: the lane mask must be 64 bits wide");
    }
}

Test(headers, launch_of_a_wrong_argument) {
    const struct command_result *got = compile_hip(
        HOST_PASS, "#include <hip/hip_runtime.h>\n__global__ void k(int *p) { *p = 1; }\n"
                   "void f() { k<<<1, 1>>>(3.5f); }\n");
    cr_expect(got->status == 1 && strstr(got->output, "test.hip:3:24: error:") != NULL, "%s",
              got->output);
}

Test(headers, printf_formats_are_checked) {
    expect_device_error("#include <hip/hip_runtime.h>\n"
                        "__global__ void k(int n) { printf(\"%s\\n\", n); }\n",
                        "format specifies type");
    expect_compiles("#include <hip/hip_runtime.h>\n"
                    "__global__ void k(int n) { printf(\"%d of %d\\n\", n, warpSize); }\n");
}
