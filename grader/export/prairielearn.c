/* PrairieLearn's results.json, at most 1 MB. gradable: false costs the student no attempt: that is
 * how a fault of ours is written. */
#include <stdlib.h>

#include "grader/base/cleanup.h"
#include "grader/export/parts.h"
#include "grader/result/json_write.h"

/* JSON may write each byte of the report as six. */
#define REPORT_BYTES ((size_t)100 << 10)

static void add_test(struct cJSON *tests, const struct wg_result_rubric *line) {
    WG_CLEANUP(wg_freep) char *title = wg_export_line(wg_export_title(line));
    WG_CLEANUP(wg_freep) char *note = wg_export_line(line->note);
    struct cJSON *test = wg_json_append_object(tests);
    wg_json_add_string(test, "name", title);
    wg_json_add_number(test, "points", line->points);
    wg_json_add_number(test, "max_points", line->max_points);
    wg_json_add_string(test, "message", note);
}

void wg_format_write_prairielearn(const struct wg_result *result,
                                  const struct wg_format_settings *settings, struct wg_buf *out) {
    (void)settings;
    bool graded = wg_export_is_graded(result);
    WG_CLEANUP(wg_freep) char *headline = wg_export_headline(result);
    WG_CLEANUP(wg_freep) char *report = wg_export_report(result, REPORT_BYTES);
    struct cJSON *root = wg_json_new_object();
    wg_json_add_bool(root, "gradable", graded);
    if (graded) {
        double share = result->points / result->max_points;
        wg_json_add_number(root, "score", share > 1 ? 1 : share);
    } else {
        wg_json_append_string(wg_json_add_array(root, "format_errors"), headline);
    }
    wg_json_add_string(root, "message", headline);
    wg_json_add_string(root, "output", report);
    struct cJSON *tests = wg_json_add_array(root, "tests");
    for (size_t i = 0; i < result->rubric_count && graded; i++) {
        if (result->rubric[i].measured) {
            add_test(tests, &result->rubric[i]);
        }
    }
    wg_json_print(root, true, out);
    wg_buf_puts(out, "\n");
}
