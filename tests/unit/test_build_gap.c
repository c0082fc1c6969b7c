#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "grader/build/gap.h"

static char *gap(const char *severity, const char *message) {
    struct wg_diagnostic d = {.file = (char *)"k.hip",
                              .line = 7,
                              .severity = (char *)severity,
                              .message = (char *)message};
    return wg_gap_in_words("cpu", "k.hip", &d, 1);
}

static void expect_gap(const char *message, const char *name, const char *what) {
    char *text = gap("error", message);
    cr_assert_not_null(text, "%s", message);
    cr_assert_not_null(strstr(text, name), "%s", text);
    cr_assert_not_null(strstr(text, what), "%s", text);
    cr_assert_not_null(strstr(text, "line 7"), "%s", text);
    free(text);
}

static void expect_no_gap(const char *severity, const char *message) {
    char *text = gap(severity, message);
    cr_assert_null(text, "%s", text);
}

Test(gap, what_hip_has_and_the_platform_has_not) {
    expect_gap("unknown type name 'hipGraph_t'", "hipGraph_t", "graphs");
    expect_gap("use of undeclared identifier 'hipStreamBeginCapture'", "hipStreamBeginCapture",
               "graphs");
    expect_gap("use of undeclared identifier 'tex1Dfetch'", "tex1Dfetch", "textures");
    expect_gap("'rocwmma/rocwmma.hpp' file not found", "rocwmma/rocwmma.hpp", "matrix");
    expect_gap("reference to __host__ function '__builtin_amdgcn_mov_dpp' in __global__ function",
               "__builtin_amdgcn_mov_dpp", "instruction");
    expect_gap("use of undeclared identifier 'hipGraphicsMapResources'", "hipGraphicsMapResources",
               "graphics");
    expect_gap("use of undeclared identifier 'hipCtxCreate'", "hipCtxCreate", "contexts");
    expect_gap("use of undeclared identifier '__fadd_rz'", "__fadd_rz", "rounding mode");
    expect_gap("no member named 'labeled_partition' in namespace 'cooperative_groups'",
               "labeled_partition", "groups by label");
    expect_gap("identifier \"hipGraph_t\" is undefined", "hipGraph_t", "cpu platform"); /* nvcc */
}

Test(gap, headers_below_hip) {
    expect_gap("'hip/texture_types.h' file not found", "hip/texture_types.h", "textures");
    expect_gap("'hip/hip_fp8.h' file not found", "hip/hip_fp8.h", "8 bits");
    expect_gap("'hip/amd_detail/amd_hip_fp16.h' file not found",
               "includes <hip/amd_detail/amd_hip_fp16.h>", "cpu platform does not have");
    expect_gap("'hip/amd_detail/helpers.hpp' file not found", "Not graded", "correct its name");
    expect_gap("hip/hip_bf16.h: No such file or directory", "includes <hip/hip_bf16.h>",
               "Not graded"); /* gcc */
    expect_no_gap("error", "tile.h: No such file or directory");
    expect_no_gap("error", "'hip/hip_runtime' file not found");
    expect_no_gap("error", "'hip/.h' file not found");
    expect_no_gap("error", "'hips/hip_runtime.h' file not found");
}

Test(gap, what_the_submission_has_wrong) {
    expect_no_gap("error", "use of undeclared identifier 'hipMaloc'; did you mean 'hipMalloc'?");
    expect_no_gap("error", "use of undeclared identifier 'cudaGraph_t'");
    expect_no_gap("error", "expected ';' after expression");
    expect_no_gap("error", "no matching function for call to 'hipGraphLaunch'");
    expect_no_gap("warning", "unknown type name 'hipGraph_t'");
    expect_no_gap("error", "unknown type name 'hipGraph_t"); /* cut short */
    cr_assert_null(wg_gap_in_words("cpu", "k.hip", NULL, 0));
}
