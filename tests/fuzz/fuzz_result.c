/* Results that anyone may have written: what is read is written again and has to be read as the
 * same; and it goes to a terminal as people see it. */
#include <stdio.h>

#include "grader/export/export.h"
#include "grader/result/result.h"
#include "tests/fuzz/fuzz.h"

static void write_and_read_again(const struct wg_result *result) {
    struct wg_buf first = {0};
    struct wg_buf second = {0};
    struct wg_result *again = NULL;
    struct wg_err err = {0};
    wg_result_to_json_with_source(result, &first);
    if (wg_result_from_json(first.data, first.len, &again, &err) != WG_OK) {
        fprintf(stderr, "%s\n", err.msg);
        abort();
    }
    wg_result_to_json_with_source(again, &second);
    if (first.len != second.len || memcmp(first.data, second.data, first.len) != 0) {
        abort();
    }
    wg_result_free(again);
    wg_buf_done(&first);
    wg_buf_done(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct wg_result *result = NULL;
    struct wg_err err = {0};
    char *text = fuzz_string(bytes, len);
    if (wg_result_from_json(text, len, &result, &err) == WG_OK) {
        struct wg_buf report = {0};
        const struct wg_text_style style = {.columns = 100, .verbose = true, .unicode = true};
        write_and_read_again(result);
        wg_export_text(result, &style, &report);
        fuzz_check_terminal(report.data, report.len);
        wg_buf_done(&report);
    }
    wg_result_free(result);
    free(text);
    return 0;
}
