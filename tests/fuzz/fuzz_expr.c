/* Expressions in manifests: any text is parsed or refused, and what was parsed has a value or none
 * for any dimensions. */
#include "grader/manifest/expr.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    static const char *const names[] = {"n", "m", "k", "rows"};
    static const int64_t dims[][4] = {
        {1, 2, 3, 4}, {0, -1, 7, 1000}, {INT64_MAX, INT64_MIN, -1, 0}};
    char *text = fuzz_string(bytes, len);
    struct wg_expr *expr = NULL;
    struct wg_err err = {0};
    if (wg_expr_parse(text, names, 4, &expr, &err) == WG_OK) {
        for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++) {
            int64_t value = 0;
            (void)wg_expr_eval(expr, dims[i], &value, &err);
        }
        if (strcmp(wg_expr_text(expr), text) != 0) {
            abort();
        }
    }
    wg_expr_free(expr);
    free(text);
    return 0;
}
