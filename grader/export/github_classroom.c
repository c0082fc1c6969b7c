/* GitHub Classroom: what a grading step hands to the autograding reporter, base64 of JSON in one
 * line, for "result=..." in GITHUB_OUTPUT. The reporter prints messages as they are into the log of
 * a workflow, where a line can be a command: they are single lines that begin with our words.
 * max_score 0 makes it report no points at all, which is how a fault of ours is written. */
#include <stdint.h>
#include <stdlib.h>

#include "grader/base/cleanup.h"
#include "grader/export/parts.h"
#include "grader/result/json_write.h"

static void put_base64(struct wg_buf *out, const struct wg_buf *bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes->len; i += 3) {
        size_t left = bytes->len - i;
        uint32_t group = (uint32_t)(unsigned char)bytes->data[i] << 16;
        group |= left > 1 ? (uint32_t)(unsigned char)bytes->data[i + 1] << 8 : 0;
        group |= left > 2 ? (uint32_t)(unsigned char)bytes->data[i + 2] : 0;
        char four[4] = {digits[group >> 18], digits[group >> 12 & 63], digits[group >> 6 & 63],
                        digits[group & 63]};
        wg_buf_add(out, four, left > 2 ? 4 : left + 1);
        wg_buf_add(out, "==", left > 2 ? 0 : 3 - left);
    }
}

static void add_test(struct cJSON *tests, const char *name, const char *status, double score,
                     const char *message) {
    struct cJSON *test = wg_json_append_object(tests);
    wg_json_add_string(test, "name", name);
    wg_json_add_string(test, "status", status);
    wg_json_add_number(test, "score", score);
    wg_json_add_string(test, "message", message);
}

void wg_format_write_github_classroom(const struct wg_result *result,
                                      const struct wg_format_settings *settings,
                                      struct wg_buf *out) {
    (void)settings;
    bool graded = wg_export_is_graded(result);
    bool passed = result->verdict == WG_VERDICT_PASS;
    WG_CLEANUP(wg_freep) char *headline = wg_export_headline(result);
    struct cJSON *root = wg_json_new_object();
    wg_json_add_int(root, "version", 1);
    wg_json_add_string(root, "status", !graded ? "error" : passed ? "pass" : "fail");
    wg_json_add_number(root, "max_score", graded ? result->max_points : 0);
    struct cJSON *tests = wg_json_add_array(root, "tests");
    for (size_t i = 0; i < result->rubric_count && graded; i++) {
        const struct wg_result_rubric *line = &result->rubric[i];
        if (line->measured) {
            WG_CLEANUP(wg_freep) char *title = wg_export_line(wg_export_title(line));
            bool full = wg_export_is_full(line);
            WG_CLEANUP(wg_freep) char *note = wg_export_line(line->note);
            WG_CLEANUP(wg_freep) char *message = wg_strf("%s (%s)", note, headline);
            add_test(tests, title, full ? "pass" : "fail", line->points, full ? note : message);
        }
    }
    if (!graded) {
        add_test(tests, "grading", "error", 0, headline);
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf json = {0};
    wg_json_print(root, false, &json);
    put_base64(out, &json);
    wg_buf_puts(out, "\n");
}
