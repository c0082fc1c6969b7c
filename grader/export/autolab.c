/* Autolab: the report, a line that lays it out in stages, and as the last line the scores, a
 * problem a rubric line (its id). Autolab reads whatever comes last, so these two are single lines
 * in which no student's text can start another. A problem that has no score keeps the one it had:
 * what was not measured and what was not graded is left out. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "grader/base/cleanup.h"
#include "grader/export/page.h"
#include "grader/export/parts.h"
#include "grader/result/json_write.h"

#define REPORT_BYTES ((size_t)128 << 10)

static void add_test(struct cJSON *stage, const char *name, bool passed, const char *hint) {
    WG_CLEANUP(wg_freep) char *line = wg_export_line(name);
    struct cJSON *test = wg_json_add_object(stage, line);
    wg_json_add_bool(test, "passed", passed);
    if (!passed && hint) {
        WG_CLEANUP(wg_freep) char *words = wg_export_line(hint);
        wg_json_add_string(test, "hint", words);
    }
}

static void add_cases(struct cJSON *stage, const struct wg_result *result) {
    for (size_t i = 0; i < result->case_count; i++) {
        const struct wg_result_case *one = &result->cases[i];
        if (one->verdict == WG_VERDICT_GRADER_ERROR) {
            continue;
        }
        WG_CLEANUP(wg_buf_done) struct wg_buf name = {0};
        wg_page_dims(&name, one->dim_names, one->dims, one->dim_count, " ");
        add_test(stage, wg_buf_str(&name), one->verdict == WG_VERDICT_PASS,
                 one->sentence ? one->sentence : wg_verdict_words(one->verdict));
    }
    /* Numbered: names must differ. */
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct wg_result_finding *finding = &result->findings[i];
        if (wg_export_is_error(finding->severity)) {
            WG_CLEANUP(wg_freep)
            char *name = wg_strf("%zu. %s, line %d", i + 1,
                                 finding->kind ? finding->kind : "finding", finding->at.line);
            add_test(stage, name, false, finding->text);
        }
    }
}

static void add_times(struct cJSON *stage, const struct wg_result *result) {
    for (size_t i = 0; i < result->timing_count; i++) {
        const struct wg_result_timing *timing = &result->timings[i];
        if (!timing->emulated && timing->student.median_ms > 0) {
            WG_CLEANUP(wg_buf_done) struct wg_buf name = {0};
            wg_page_dims(&name, timing->dim_names, timing->dims, timing->dim_count, " ");
            wg_buf_puts(&name, " (ms)");
            wg_json_add_number(stage, wg_buf_str(&name), timing->student.median_ms);
        }
    }
}

static void put_stages(const struct wg_result *result, struct wg_buf *out) {
    struct cJSON *root = wg_json_new_object();
    wg_json_add_string(root, "_presentation", "semantic");
    struct cJSON *stages = wg_json_add_array(root, "stages");
    wg_json_append_string(stages, "Build");
    wg_json_append_string(stages, "Test");
    wg_json_append_string(stages, "Timing");
    struct cJSON *build = wg_json_add_object(root, "Build");
    if (result->build.reached) {
        add_test(build, "compiles", result->build.ok, result->sentence);
    } else {
        add_test(build, "submission", false, result->sentence);
    }
    add_cases(wg_json_add_object(root, "Test"), result);
    add_times(wg_json_add_object(root, "Timing"), result);
    wg_json_print(root, false, out);
    wg_buf_puts(out, "\n");
}

void wg_format_write_autolab(const struct wg_result *result,
                             const struct wg_format_settings *settings, struct wg_buf *out) {
    (void)settings;
    bool graded = wg_export_is_graded(result);
    WG_CLEANUP(wg_freep) char *report = wg_export_report(result, REPORT_BYTES);
    wg_buf_puts(out, report);
    wg_buf_puts(out, "\n");
    if (graded) {
        put_stages(result, out);
    }
    struct cJSON *root = wg_json_new_object();
    struct cJSON *scores = wg_json_add_object(root, "scores");
    for (size_t i = 0; i < result->rubric_count && graded; i++) {
        const struct wg_result_rubric *line = &result->rubric[i];
        if (line->measured) {
            wg_json_add_number(scores, line->id ? line->id : wg_export_title(line), line->points);
        }
    }
    wg_json_print(root, false, out);
    wg_buf_puts(out, "\n");
}
