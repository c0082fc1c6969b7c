#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "grader/build/advice.h"

static void expect_before(const char *source, size_t len, const char *words) {
    char *text = wg_advice_before_build("k.hip", source, len);
    if (words == NULL) {
        cr_assert_null(text, "%s", text);
    } else {
        cr_assert_not_null(text);
        cr_assert_not_null(strstr(text, words), "%s", text);
    }
    free(text);
}

/* Of a literal, which may hold NUL bytes. */
#define EXPECT_BEFORE(source, words) expect_before(source, sizeof(source) - 1, words)

Test(advice, bytes_that_are_no_source) {
    EXPECT_BEFORE("", "is empty");
    EXPECT_BEFORE("\xef\xbb\xbf \r\n\t", "is empty");
    EXPECT_BEFORE("\x7f"
                  "ELF\2\1\1\0text with few others",
                  "binary");
    EXPECT_BEFORE("int a;\0\0\0\0b", "binary");
    EXPECT_BEFORE("// a NUL byte \0 in a comment\nint a;\n", NULL);
    EXPECT_BEFORE("i\0n\0t\0 \0a\0;\0\n\0", "UTF-16");
    EXPECT_BEFORE("\0i\0n\0t\0 \0a\0;\0\n", "UTF-16");
    EXPECT_BEFORE("i\0\0\0n\0\0\0t\0\0\0\n\0\0\0", "UTF-32");
    EXPECT_BEFORE("\0\0\0i\0\0\0n\0\0\0t\0\0\0\n", "UTF-32");
    EXPECT_BEFORE("\xff\xfe\0\0i\0\0\0", "UTF-32");
    EXPECT_BEFORE("\xff\xfei\0n\0t\0", "UTF-16");
    const char *lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:1\n";
    expect_before(lfs, strlen(lfs), "Git LFS pointer");
    EXPECT_BEFORE("int a;", NULL);
    EXPECT_BEFORE("\xef\xbb\xbfint a;\r\n", NULL);
}

static void expect_name(const char *cuda, const char *hip) {
    char *name = wg_advice_hip_name(cuda, strlen(cuda));
    if (hip == NULL) {
        cr_assert_null(name, "%s became %s", cuda, name);
    } else {
        cr_assert_str_eq(name, hip);
    }
    free(name);
}

Test(advice, cuda_names_in_hip) {
    expect_name("cudaMemcpyHostToDevice", "hipMemcpyHostToDevice");
    expect_name("cudaError_t", "hipError_t");
    expect_name("cudaThreadSynchronize", "hipDeviceSynchronize");
    expect_name("cuda_runtime.h", "hip/hip_runtime.h");
    expect_name("cuda_fp16.h", "hip/hip_fp16.h");
    expect_name("cuda", NULL);
    expect_name("cudar", NULL);
    expect_name("hipMalloc", NULL);
    expect_name("barracudaFish", NULL);
}

static char *advise(const char *source, int line, const char *message) {
    struct wg_diagnostic d = {.file = line > 0 ? (char *)"k.hip" : NULL,
                              .line = line,
                              .severity = (char *)"error",
                              .message = (char *)message};
    return wg_advice_after_build("k.hip", source, strlen(source), &d, 1);
}

static void expect_after(const char *source, int line, const char *message, const char *words) {
    char *text = advise(source, line, message);
    cr_assert_not_null(strstr(text, words), "%s", text);
    free(text);
}

static const char cuda_source[] = "#include <hip/hip_runtime.h>\n"
                                  "#include <cuda_runtime.h>\n"
                                  "// cudaMalloc is not called\n"
                                  "void f() {\n"
                                  "    cudaDeviceSynchronize();\n"
                                  "}\n";

Test(advice, cuda_header_and_calls_are_named_with_lines) {
    char *text = advise(cuda_source, 2, "'cuda_runtime.h' file not found");
    cr_assert_not_null(strstr(text, "written for CUDA"), "%s", text);
    cr_assert_not_null(
        strstr(text, "line 2: include <hip/hip_runtime.h> instead of <cuda_runtime.h>"), "%s",
        text);
    cr_assert_not_null(strstr(text, "line 5: write hipDeviceSynchronize for cudaDeviceSynchronize"),
                       "%s", text);
    cr_assert_null(strstr(text, "cudaMalloc"), "a comment counts: %s", text);
    free(text);
}

Test(advice, cuda_that_did_not_cause_the_error_is_left_alone) {
    expect_after("#ifdef __NVCC__\n#include <cuda_runtime.h>\n#endif\nint x = y;\n", 4,
                 "use of undeclared identifier 'y'", "line 4: use of undeclared identifier 'y'");
}

Test(advice, other_causes) {
    expect_after("#include \"tile.h\"\n", 1, "'tile.h' file not found",
                 "only k.hip is taken from your work");
    expect_after("#include <rocblas.h>\n", 1, "'rocblas.h' file not found", "not available here");
    expect_after("#include <hip/hip_runtime>\n", 1, "'hip/hip_runtime' file not found",
                 "line 1 includes <hip/hip_runtime>, and HIP has no such header here");
    expect_after("s += __shfl_down_sync(0xffffffff, s, 1);\n", 1,
                 "static assertion failed: the mask must be a 64-bit integer",
                 "mask of __shfl_down_sync must have 64 bits");
    expect_after("asm(\"mov.u32 %0, %laneid;\");\n", 1, "invalid instruction", "inline assembly");
    expect_after("int x\n", 1, "expected ';'", "k.hip does not compile; line 1: expected ';'");
    expect_after("int x;\n", 0, "no function vector_add", "k.hip: no function vector_add");
}

Test(advice, a_failure_without_words) {
    char *text = wg_advice_after_build("k.hip", "", 0, NULL, 0);
    cr_assert_str_eq(text, "k.hip does not compile");
    free(text);
}

Test(advice, a_line_behind_the_end) {
    expect_after("x", 4000, "cudaMalloc", "line 4000");
}
