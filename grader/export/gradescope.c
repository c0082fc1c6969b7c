/* Gradescope's results.json: a test a rubric line, the report as the output of the whole.
 *
 * Without a score and without tests that have one, Gradescope takes the run for a failure of the
 * autograder, which it is: what was not graded is written so. The report is text; Gradescope is
 * told not to read it as Markdown or HTML. */
#include <math.h>
#include <stdlib.h>

#include "grader/base/cleanup.h"
#include "grader/export/parts.h"
#include "grader/result/json_write.h"

#define REPORT_BYTES ((size_t)256 << 10)

static void add_test(struct cJSON *tests, const struct wg_result_rubric *line, bool graded) {
    WG_CLEANUP(wg_freep) char *title = wg_export_line(wg_export_title(line));
    WG_CLEANUP(wg_freep) char *note = wg_export_line(line->note);
    struct cJSON *test = wg_json_append_object(tests);
    wg_json_add_string(test, "name", title);
    wg_json_add_string(test, "name_format", "text");
    wg_json_add_string(test, "output", note);
    wg_json_add_string(test, "output_format", "text");
    wg_json_add_string(test, "visibility", "visible");
    if (graded && line->measured) {
        wg_json_add_number(test, "score", line->points);
        wg_json_add_number(test, "max_score", line->max_points);
        wg_json_add_string(test, "status", wg_export_is_full(line) ? "passed" : "failed");
    }
}

void wg_format_write_gradescope(const struct wg_result *result,
                                const struct wg_format_settings *settings, struct wg_buf *out) {
    (void)settings;
    bool graded = wg_export_is_graded(result);
    WG_CLEANUP(wg_freep) char *report = wg_export_report(result, REPORT_BYTES);
    struct cJSON *root = wg_json_new_object();
    if (graded) {
        wg_json_add_number(root, "score", result->points);
    }
    wg_json_add_number(root, "execution_time", ceil(wg_export_seconds(result)));
    wg_json_add_string(root, "output", report);
    wg_json_add_string(root, "output_format", "text");
    wg_json_add_string(root, "test_output_format", "text");
    wg_json_add_string(root, "test_name_format", "text");
    wg_json_add_string(root, "visibility", "visible");
    wg_json_add_string(root, "stdout_visibility", "hidden");
    struct cJSON *extra = wg_json_add_object(root, "extra_data");
    wg_json_add_string(extra, "verdict", wg_verdict_name(result->verdict));
    wg_json_add_string(extra, "commit", result->submission.commit);
    struct cJSON *tests = wg_json_add_array(root, "tests");
    for (size_t i = 0; i < result->rubric_count; i++) {
        add_test(tests, &result->rubric[i], graded);
    }
    wg_json_print(root, true, out);
    wg_buf_puts(out, "\n");
}
