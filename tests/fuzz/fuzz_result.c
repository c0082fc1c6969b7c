/* Results that anyone may have written: what is read is written again and has to be read as the
 * same; and it goes to a terminal as people see it, and into every format. */
#include <stdio.h>

#include "grader/export/formats.h"
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

/* Every format ends, and what GitHub reads are commands of ours and nothing else. */
static void write_all(const struct wg_result *result) {
    const struct wg_format_settings settings = {.style = {.columns = 80}, .folder = "lab"};
    for (size_t i = 0; i < WG_FORMAT_COUNT; i++) {
        struct wg_buf out = {0};
        wg_formats[i].write(result, &settings, &out);
        const char *line = wg_buf_str(&out);
        for (; i == WG_FORMAT_github && *line; line += strcspn(line, "\n") + 1) {
            if (strncmp(line, "::", 2) != 0) {
                abort();
            }
        }
        wg_buf_done(&out);
    }
    struct wg_buf summary = {0};
    wg_export_github_summary(result, &summary);
    wg_buf_done(&summary);
}

static const char *no_variable(const char *name) {
    (void)name;
    return NULL;
}

/* The report for people, and one of the others: writing them all would take most of the time. */
static void write_formats(const struct wg_result *result, size_t other) {
    const struct wg_format_settings settings = {
        .style = {.columns = 100, .verbose = true, .unicode = true},
        .with_source = true,
        .variable = no_variable};
    struct wg_buf text = {0};
    wg_formats[WG_FORMAT_text].write(result, &settings, &text);
    fuzz_check_terminal(wg_buf_str(&text), text.len);
    wg_buf_clear(&text);
    if (other < WG_FORMAT_COUNT) {
        wg_formats[other].write(result, &settings, &text);
    } else {
        wg_export_github_summary(result, &text);
        if (text.len > (64 << 10)) {
            abort();
        }
    }
    wg_buf_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct wg_result *result = NULL;
    struct wg_err err = {0};
    char *text = fuzz_string(bytes, len);
    if (wg_result_from_json(text, len, &result, &err) == WG_OK) {
        write_and_read_again(result);
        write_formats(result, len % (WG_FORMAT_COUNT + 1));
        write_all(result);
    }
    wg_result_free(result);
    free(text);
    return 0;
}
