/* Which library a submission uses, from what the compiler read and what it missed. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "grader/build/libraries.h"
#include "grader/manifest/manifest.h"

static const char source[] = "#include <hip/hip_runtime.h>\n"
                             "// like rocblas_sgemm, but by hand\n"
                             "#include <thrust/device_ptr.h>\n"
                             "#include \"hipcub/hipcub.hpp\"\n";

static const struct wg_manifest strict; /* allows none */

static char *refuse_by_list(const struct wg_manifest *manifest, const char *includes) {
    return wg_libraries_refuse(manifest, "k.hip", source, strlen(source), includes, NULL, 0);
}

static char *refuse_by_message(const struct wg_manifest *manifest, const char *severity,
                               const char *message) {
    struct wg_diagnostic d = {.file = (char *)"k.hip",
                              .line = 9,
                              .severity = (char *)severity,
                              .message = (char *)message};
    return wg_libraries_refuse(manifest, "k.hip", source, strlen(source), "", &d, 1);
}

static void expect_words(char *sentence, const char *what, const char *place) {
    cr_assert_not_null(sentence, "%s is not refused", what);
    cr_assert_not_null(strstr(sentence, what), "%s", sentence);
    cr_assert_not_null(strstr(sentence, place), "%s", sentence);
    free(sentence);
}

static void expect_nothing(char *sentence) {
    cr_assert_null(sentence, "%s", sentence);
}

Test(libraries, included_ones_are_named_with_their_line) {
    expect_words(refuse_by_list(&strict, "x.o: k.hip \\\n /usr/include/thrust/device_ptr.h\n"),
                 "thrust/device_ptr.h", "line 3");
    expect_words(refuse_by_list(&strict, "x.o: k.hip /opt/a\\ b/hipcub/hipcub.hpp"),
                 "hipcub/hipcub.hpp", "line 4");
}

Test(libraries, a_header_that_another_one_includes_has_no_line) {
    expect_words(refuse_by_list(&strict, "x.o: k.hip /usr/include/rocprim/rocprim.hpp"),
                 "rocprim/rocprim.hpp", "k.hip uses");
}

Test(libraries, other_headers_are_nobodys_business) {
    expect_nothing(refuse_by_list(&strict, "x.o: k.hip /usr/include/c++/12/random"));
    expect_nothing(refuse_by_list(&strict, "x.o: k.hip /usr/include/mythrust/x.h"));
    expect_nothing(refuse_by_list(&strict, "x.o: k.hip"));
    expect_nothing(refuse_by_list(&strict, ""));
    expect_nothing(refuse_by_list(&strict, "no rule at all"));
}

Test(libraries, missing_ones_are_told_from_the_message) {
    expect_words(refuse_by_message(&strict, "error", "'cublas_v2.h' file not found"), "cublas_v2.h",
                 "line 9");
    expect_words(
        refuse_by_message(&strict, "error", "'rocblas_sgemm' is declared but defined nowhere"),
        "rocblas_sgemm", "line 9");
    expect_words(refuse_by_message(&strict, "error",
                                   "use of undeclared identifier 'hiprandCreateGenerator'"),
                 "hiprandCreateGenerator", "line 9");
}

Test(libraries, other_messages_are_not) {
    expect_nothing(refuse_by_message(&strict, "warning", "'cublas_v2.h' file not found"));
    expect_nothing(refuse_by_message(&strict, "error", "'helper.h' file not found"));
    expect_nothing(refuse_by_message(&strict, "error", "use of undeclared identifier 'blocks'"));
    expect_nothing(refuse_by_message(&strict, "error", "redefinition of 'cublasSgemm'"));
    expect_nothing(refuse_by_message(&strict, "error", "expected ';' after expression"));
}

Test(libraries, what_the_assignment_allows_is_let_through) {
    const struct wg_manifest lenient = {.libraries = {"primitives"}, .library_count = 1};
    expect_nothing(refuse_by_list(&lenient, "x.o: k.hip /usr/include/thrust/device_ptr.h"));
    expect_words(refuse_by_list(&lenient, "x.o: k.hip /u/thrust/a.h /u/rocblas/rocblas.h"),
                 "rocblas/rocblas.h", "k.hip");
}
