/* GitHub Actions. What a step prints is read for commands: "::error file=...,line=...::message"
 * puts the message beside the line of the diff. A student's text inside a message must not end it
 * and start another, so line ends and percent signs are escaped, and nothing is printed but
 * commands. GitHub shows about ten annotations a step: the most important come first, and no more
 * are written.
 *
 * The summary is Markdown; it is written as HTML inside, where Markdown in a student's text means
 * nothing. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/text.h"
#include "grader/export/page.h"
#include "grader/export/parts.h"

#define MOST_ANNOTATIONS 10
#define SUMMARY_BYTES    ((size_t)48 << 10)

struct annotations {
    const struct wg_result *result;
    const char *folder;
    struct wg_buf *out;
    size_t count;
};

static void put_escaped(struct wg_buf *out, const char *text, bool in_property) {
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    wg_text_terminal(&clean, text, strlen(text), true);
    for (const char *at = wg_buf_str(&clean); *at; at++) {
        bool escaped = strchr("%\r\n", *at) || (in_property && strchr(":,", *at));
        if (escaped) {
            wg_buf_printf(out, "%%%02X", (unsigned char)*at);
        } else {
            wg_buf_add(out, at, 1);
        }
    }
}

/* From the root of the repository, for the graded file; anything else is not in the diff. */
static void put_file(const struct annotations *to, const char *file) {
    const struct wg_result *result = to->result;
    WG_CLEANUP(wg_buf_done) struct wg_buf path = {0};
    if (to->folder && *to->folder) {
        wg_buf_printf(&path, "%s/", to->folder);
    }
    wg_buf_puts(&path, result->submission.path ? result->submission.path : file);
    wg_buf_puts(to->out, " file=");
    put_escaped(to->out, wg_buf_str(&path), true);
}

static void put_annotation(struct annotations *to, const char *level, const char *title,
                           const char *file, int line, int column, const char *message) {
    if (to->count == MOST_ANNOTATIONS) {
        return;
    }
    to->count++;
    const char *graded = to->result->submission.file;
    bool in_diff = file && graded && strcmp(file, graded) == 0;
    wg_buf_printf(to->out, "::%s", level);
    if (in_diff) {
        put_file(to, file);
        if (line > 0) {
            wg_buf_printf(to->out, ",line=%d", line);
        }
        if (line > 0 && column > 0) {
            wg_buf_printf(to->out, ",col=%d", column);
        }
    }
    wg_buf_puts(to->out, in_diff ? ",title=" : " title=");
    put_escaped(to->out, title, true);
    wg_buf_puts(to->out, "::");
    if (!in_diff && file) {
        put_escaped(to->out, file, false);
        wg_buf_puts(to->out, ": ");
    }
    put_escaped(to->out, message ? message : title, false);
    wg_buf_puts(to->out, "\n");
}

static const char *level_of(const char *severity) {
    return wg_export_is_error(severity)                   ? "error"
           : severity && strcmp(severity, "warning") == 0 ? "warning"
                                                          : "notice";
}

static void put_findings(struct annotations *to, bool errors) {
    for (size_t i = 0; i < to->result->finding_count; i++) {
        const struct wg_result_finding *finding = &to->result->findings[i];
        if (wg_export_is_error(finding->severity) == errors) {
            put_annotation(to, level_of(finding->severity),
                           finding->kind ? finding->kind : "finding", finding->at.file,
                           finding->at.line, finding->at.column, finding->text);
        }
    }
}

static void put_diagnostics(struct annotations *to, bool errors) {
    for (size_t i = 0; i < to->result->build.diagnostic_count; i++) {
        const struct wg_result_diagnostic *diagnostic = &to->result->build.diagnostics[i];
        if (wg_export_is_error(diagnostic->severity) == errors) {
            put_annotation(to, level_of(diagnostic->severity), "compiler", diagnostic->file,
                           diagnostic->line, diagnostic->column, diagnostic->message);
        }
    }
}

static bool has_finding(const struct wg_result *result, const char *kind) {
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct wg_result_finding *finding = &result->findings[i];
        if (wg_export_is_error(finding->severity) && finding->kind &&
            strcmp(finding->kind, kind) == 0) {
            return true;
        }
    }
    return false;
}

/* One for the file: what every failing case has to say is in the summary. */
static void put_cases(struct annotations *to) {
    const struct wg_result_case *first = NULL;
    size_t failed = 0;
    for (size_t i = 0; i < to->result->case_count; i++) {
        const struct wg_result_case *one = &to->result->cases[i];
        if (one->verdict != WG_VERDICT_PASS && one->verdict != WG_VERDICT_GRADER_ERROR) {
            first = first ? first : one;
            failed++;
        }
    }
    if (!first || has_finding(to->result, wg_verdict_name(first->verdict))) {
        return; /* nothing failed, or the line that did it has been told */
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf message = {0};
    wg_page_dims(&message, first->dim_names, first->dims, first->dim_count, " ");
    wg_buf_printf(&message, ": %s\n%zu of %zu cases fail.",
                  first->sentence ? first->sentence : wg_verdict_words(first->verdict), failed,
                  to->result->case_count);
    put_annotation(to, "error", wg_verdict_name(first->verdict), to->result->submission.file, 0, 0,
                   wg_buf_str(&message));
}

static void put_verdict(struct annotations *to) {
    const struct wg_result *result = to->result;
    if (result->verdict == WG_VERDICT_GRADER_ERROR) {
        put_annotation(to, "warning", "Not graded", NULL, 0, 0, result->sentence);
        return;
    }
    if (result->verdict != WG_VERDICT_PASS) {
        if (to->count == 0) {
            put_annotation(to, "error", wg_verdict_name(result->verdict), NULL, 0, 0,
                           result->sentence);
        }
        return;
    }
    WG_CLEANUP(wg_freep)
    char *points = result->max_points > 0 ? wg_strf(" %.4g of %.4g points that count here.",
                                                    result->points, result->max_points)
                                          : wg_strdup("");
    WG_CLEANUP(wg_freep)
    char *message =
        wg_strf("%s%s", result->sentence ? result->sentence : "Everything passed.", points);
    put_annotation(to, "notice", "PASS", NULL, 0, 0, message);
}

void wg_format_write_github(const struct wg_result *result,
                            const struct wg_format_settings *settings, struct wg_buf *out) {
    struct annotations to = {.result = result, .folder = settings->folder, .out = out};
    bool graded = result->verdict != WG_VERDICT_GRADER_ERROR;
    if (graded) {
        put_diagnostics(&to, true);
        put_findings(&to, true);
        put_cases(&to);
    }
    put_verdict(&to);
    if (graded) {
        put_findings(&to, false);
        put_diagnostics(&to, false);
    }
}

static void put_points(const struct wg_result *result, struct wg_buf *out) {
    if (!wg_export_is_graded(result)) {
        return;
    }
    wg_buf_puts(out, "<table>\n<tr><th>Points</th><th></th><th></th></tr>\n");
    for (size_t i = 0; i < result->rubric_count; i++) {
        const struct wg_result_rubric *line = &result->rubric[i];
        WG_CLEANUP(wg_freep) char *title = wg_export_line(wg_export_title(line));
        WG_CLEANUP(wg_freep) char *note = wg_export_line(line->note);
        if (line->measured) {
            wg_buf_printf(out, "<tr><td>%.4g of %.4g</td><td>", line->points, line->max_points);
        } else {
            wg_buf_puts(out, "<tr><td>not measured here</td><td>");
        }
        wg_export_xml(out, title);
        wg_buf_puts(out, "</td><td>");
        wg_export_xml(out, line->measured ? note : "");
        wg_buf_puts(out, "</td></tr>\n");
    }
    wg_buf_printf(out, "<tr><td><b>%.4g of %.4g</b></td><td></td><td></td></tr>\n</table>\n",
                  result->points, result->max_points);
}

void wg_export_github_summary(const struct wg_result *result, struct wg_buf *out) {
    WG_CLEANUP(wg_freep) char *headline = wg_export_headline(result);
    WG_CLEANUP(wg_freep)
    char *title =
        wg_export_line(result->assignment.title ? result->assignment.title : result->assignment.id);
    WG_CLEANUP(wg_freep) char *report = wg_export_report(result, SUMMARY_BYTES / 2);
    wg_buf_puts(out, "<h3>");
    wg_export_xml(out, *title ? title : "Submission");
    wg_buf_puts(out, "</h3>\n<p>");
    wg_export_xml(out, headline);
    wg_buf_puts(out, "</p>\n");
    put_points(result, out);
    wg_buf_puts(out, "<details><summary>The whole report</summary>\n<pre>");
    wg_export_xml(out, report);
    wg_buf_puts(out, "</pre>\n</details>\n\n");
}
