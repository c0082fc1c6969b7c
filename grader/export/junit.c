/* JUnit XML, as GitLab and Jenkins read it: a test case for the build, for every case and for every
 * finding that costs something. What was not run or not measured is skipped, and what was not
 * graded is an error, which readers keep apart from failures. */
#include <inttypes.h>
#include <math.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/export/page.h"
#include "grader/export/parts.h"

struct suite {
    const char *class_name;
    struct wg_buf cases;
    size_t tests, failures, errors, skipped;
};

enum outcome { PASSED, FAILED, BROKEN, SKIPPED };

/* One test case; type, message and detail may be NULL. */
static void put_case(struct suite *suite, const char *group, const char *name, double seconds,
                     enum outcome outcome, const char *type, const char *message,
                     const char *detail) {
    static const char *const tags[] = {NULL, "failure", "error", "skipped"};
    struct wg_buf *out = &suite->cases;
    wg_buf_puts(out, "    <testcase name=\"");
    wg_export_xml(out, name);
    wg_buf_puts(out, "\" classname=\"");
    wg_export_xml(out, suite->class_name);
    wg_buf_printf(out, ".%s\" time=\"%.6f\"", group, isfinite(seconds) ? seconds : 0.0);
    suite->tests++;
    suite->failures += outcome == FAILED;
    suite->errors += outcome == BROKEN;
    suite->skipped += outcome == SKIPPED;
    if (outcome == PASSED) {
        wg_buf_puts(out, "/>\n");
        return;
    }
    wg_buf_printf(out, ">\n      <%s", tags[outcome]);
    if (type) {
        wg_buf_puts(out, " type=\"");
        wg_export_xml(out, type);
        wg_buf_puts(out, "\"");
    }
    WG_CLEANUP(wg_freep) char *line = wg_export_line(message);
    wg_buf_puts(out, " message=\"");
    wg_export_xml(out, line);
    wg_buf_puts(out, "\"");
    if (detail) {
        wg_buf_puts(out, ">");
        wg_export_xml(out, detail);
        wg_buf_printf(out, "</%s>\n    </testcase>\n", tags[outcome]);
    } else {
        wg_buf_puts(out, "/>\n    </testcase>\n");
    }
}

static void put_build(struct suite *suite, const struct wg_result *result) {
    if (!result->build.reached) {
        return;
    }
    double seconds = result->build.wall_ms / 1000;
    if (result->build.ok) {
        put_case(suite, "build", "compiles", seconds, PASSED, NULL, NULL, NULL);
        return;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf detail = {0};
    for (size_t i = 0; i < result->build.diagnostic_count; i++) {
        const struct wg_result_diagnostic *d = &result->build.diagnostics[i];
        wg_buf_printf(&detail, "%s:%d: %s: %s\n", d->file ? d->file : "compiler", d->line,
                      d->severity ? d->severity : "error", d->message ? d->message : "");
    }
    /* A policy that the source breaks, or a fault of ours, ends in the build, too. */
    enum outcome outcome = result->verdict == WG_VERDICT_GRADER_ERROR ? BROKEN : FAILED;
    put_case(suite, "build", "compiles", seconds, outcome, wg_verdict_name(result->verdict),
             result->sentence, wg_buf_str(&detail));
}

static void put_one_case(struct suite *suite, const struct wg_result_case *one) {
    WG_CLEANUP(wg_buf_done) struct wg_buf name = {0};
    wg_page_dims(&name, one->dim_names, one->dims, one->dim_count, " ");
    double seconds = (double)one->wall_ns / 1e9;
    if (one->not_run) {
        put_case(suite, "cases", wg_buf_str(&name), seconds, SKIPPED, NULL,
                 "did not run: a case before it ended the process", NULL);
        return;
    }
    if (one->verdict == WG_VERDICT_PASS) {
        put_case(suite, "cases", wg_buf_str(&name), seconds, PASSED, NULL, NULL, NULL);
        return;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf detail = {0};
    if (one->has_first_wrong) {
        wg_buf_printf(&detail,
                      "first wrong element: %s[%" PRIu64 "], expected %.9g, got %.9g; %" PRIu64
                      " of %" PRIu64 " wrong; seed %" PRIu64 "\n",
                      one->output ? one->output : "", one->first_wrong_index, one->expected,
                      one->got, one->wrong_count, one->element_count, one->seed);
    }
    enum outcome outcome = one->verdict == WG_VERDICT_GRADER_ERROR ? BROKEN : FAILED;
    put_case(suite, "cases", wg_buf_str(&name), seconds, outcome, wg_verdict_name(one->verdict),
             one->sentence ? one->sentence : wg_verdict_words(one->verdict),
             detail.len ? detail.data : NULL);
}

static void put_finding(struct suite *suite, const struct wg_result_finding *finding) {
    if (!wg_export_is_error(finding->severity)) {
        return;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf name = {0};
    wg_buf_puts(&name, finding->kind ? finding->kind : "finding");
    if (finding->at.file) {
        wg_buf_printf(&name, " %s:%d", finding->at.file, finding->at.line);
    }
    put_case(suite, "findings", wg_buf_str(&name), 0, FAILED, finding->kind, finding->text, NULL);
}

/* What the cases above do not show by themselves: no file, no repository, a fault of ours. */
static void put_submission(struct suite *suite, const struct wg_result *result) {
    enum wg_verdict verdict = result->verdict;
    bool is_shown = suite->failures + suite->errors > 0 && verdict != WG_VERDICT_GRADER_ERROR;
    if (suite->errors > 0 || is_shown) {
        return;
    }
    bool is_ours = verdict == WG_VERDICT_GRADER_ERROR;
    if (verdict == WG_VERDICT_PASS) {
        put_case(suite, "submission", "graded", 0, PASSED, NULL, NULL, NULL);
        return;
    }
    put_case(suite, "submission", "graded", 0, is_ours ? BROKEN : FAILED, wg_verdict_name(verdict),
             result->sentence, NULL);
}

static void put_unmeasured(struct suite *suite, const struct wg_result *result) {
    for (size_t i = 0; i < result->rubric_count; i++) {
        const struct wg_result_rubric *line = &result->rubric[i];
        if (!line->measured) {
            put_case(suite, "points", wg_export_title(line), 0, SKIPPED, NULL, line->note, NULL);
        }
    }
}

static void put_property(struct wg_buf *out, const char *name, const char *value) {
    if (value && *value) {
        wg_buf_puts(out, "      <property name=\"");
        wg_export_xml(out, name);
        wg_buf_puts(out, "\" value=\"");
        wg_export_xml(out, value);
        wg_buf_puts(out, "\"/>\n");
    }
}

static void put_properties(struct wg_buf *out, const struct wg_result *result) {
    wg_buf_puts(out, "    <properties>\n");
    put_property(out, "verdict", wg_verdict_name(result->verdict));
    put_property(out, "assignment", result->assignment.id);
    put_property(out, "repository", result->submission.repository);
    put_property(out, "commit", result->submission.commit);
    put_property(out, "platform", result->environment.platform);
    put_property(out, "device", result->environment.device);
    put_property(out, "wavegrade", result->environment.wavegrade_version);
    WG_CLEANUP(wg_freep) char *seed = wg_strf("%" PRIu64, result->seed);
    put_property(out, "seed", result->seed ? seed : NULL);
    if (wg_export_is_graded(result)) {
        WG_CLEANUP(wg_freep) char *points = wg_strf("%.4g", result->points);
        WG_CLEANUP(wg_freep) char *most = wg_strf("%.4g", result->max_points);
        put_property(out, "points", points);
        put_property(out, "points_maximum", most);
    }
    wg_buf_puts(out, "    </properties>\n");
}

static void suite_done(struct suite *suite) {
    wg_buf_done(&suite->cases);
}

void wg_format_write_junit(const struct wg_result *result,
                           const struct wg_format_settings *settings, struct wg_buf *out) {
    (void)settings;
    const char *id = result->assignment.id ? result->assignment.id : "submission";
    WG_CLEANUP(suite_done) struct suite suite = {.class_name = id};
    put_build(&suite, result);
    for (size_t i = 0; i < result->case_count; i++) {
        put_one_case(&suite, &result->cases[i]);
    }
    for (size_t i = 0; i < result->finding_count; i++) {
        put_finding(&suite, &result->findings[i]);
    }
    put_submission(&suite, result);
    put_unmeasured(&suite, result);

    double seconds = wg_export_seconds(result);
    char moment[32] = "1970-01-01T00:00:00Z";
    if (result->environment.date_s > 0) {
        wg_clock_format_utc(result->environment.date_s, moment);
    }
    moment[19] = '\0'; /* readers of JUnit expect no zone */
    wg_buf_printf(out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<testsuites name=\"wavegrade\" time=\"%.6f\" tests=\"%zu\" failures=\"%zu\" "
                  "errors=\"%zu\">\n  <testsuite name=\"",
                  seconds, suite.tests, suite.failures, suite.errors);
    wg_export_xml(out, id);
    wg_buf_printf(out,
                  "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.6f\" "
                  "timestamp=\"%s\" hostname=\"wavegrade\">\n",
                  suite.tests, suite.failures, suite.errors, suite.skipped, seconds, moment);
    put_properties(out, result);
    wg_buf_puts(out, wg_buf_str(&suite.cases));
    WG_CLEANUP(wg_freep) char *report = wg_export_report(result, (size_t)256 << 10);
    wg_buf_puts(out, "    <system-out>");
    wg_export_xml(out, report);
    wg_buf_puts(out,
                "</system-out>\n    <system-err></system-err>\n  </testsuite>\n</testsuites>\n");
}
