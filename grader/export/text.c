/* The report that a student reads: what is wrong, where, why, and what to do next, in that order;
 * what is fine takes one line. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/export/page.h"

#define FINDINGS_IN_FULL 4
#define FAILURES_IN_FULL 3

static bool same(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

static bool ends_with(const char *text, const char *end) {
    size_t len = text ? strlen(text) : 0;
    size_t end_len = end ? strlen(end) : 0;
    return end_len > 0 && len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static enum wg_ink ink_of_severity(const char *severity) {
    return same(severity, "error") ? WG_INK_RED : WG_INK_YELLOW;
}

static const char *tick(const struct wg_page *page, bool good) {
    if (page->style->unicode) {
        return good ? "\u2713" : "\u2717";
    }
    return good ? "ok" : "X";
}

/* ---- Head ---- */

static void put_head(const struct wg_page *page, const struct wg_result *result) {
    bool good = result->verdict == WG_VERDICT_PASS;
    bool graded = result->verdict != WG_VERDICT_GRADER_ERROR;
    enum wg_ink ink = good ? WG_INK_GREEN : graded ? WG_INK_RED : WG_INK_YELLOW;
    wg_page_put(page, ink, "%s ", tick(page, good));
    if (result->assignment.id) {
        wg_page_quote(page, WG_INK_BOLD, result->assignment.id);
        wg_page_put(page, WG_INK_PLAIN, ": ");
    }
    wg_page_put(page, ink, "%s", wg_verdict_name(result->verdict));
    if (!graded) {
        wg_page_put(page, ink, " (not graded)");
    } else if (result->max_points > 0) {
        wg_page_put(page, WG_INK_PLAIN, "  %.4g of %.4g points%s", result->points,
                    result->max_points, result->score_complete ? "" : " that count here");
    }
    wg_page_newline(page);
    wg_page_paragraph(page, 2, WG_INK_PLAIN, result->sentence);
}

static void put_origin(const struct wg_page *page, const struct wg_result *result) {
    WG_CLEANUP(wg_buf_done) struct wg_buf line = {0};
    const char *path = result->submission.path ? result->submission.path : result->submission.file;
    wg_buf_puts(&line, path ? path : "");
    if (result->submission.commit && *result->submission.commit) {
        wg_buf_printf(&line, "%sat commit %.10s", line.len ? " " : "", result->submission.commit);
        if (result->submission.ref) {
            wg_buf_printf(&line, " (%s)", result->submission.ref);
        }
    }
    if (result->submission.repository) {
        wg_buf_printf(&line, "%sin %s", line.len ? " " : "", result->submission.repository);
    }
    if (result->environment.platform) {
        wg_buf_printf(&line, "%s%s platform", line.len ? ", " : "", result->environment.platform);
        if (result->environment.warp_size) {
            wg_buf_printf(&line, ", %d lanes a wave", result->environment.warp_size);
        }
    }
    wg_page_paragraph(page, 2, WG_INK_DIM, wg_buf_str(&line));
}

/* ---- Build ---- */

static void put_diagnostic(const struct wg_page *page, const struct wg_result *result,
                           const struct wg_result_diagnostic *diagnostic) {
    wg_page_put(page, WG_INK_PLAIN, "  ");
    wg_page_quote(page, WG_INK_BOLD, diagnostic->file ? diagnostic->file : "compiler");
    if (diagnostic->line > 0) {
        wg_page_put(page, WG_INK_BOLD, ":%d", diagnostic->line);
    }
    wg_page_put(page, WG_INK_PLAIN, "  ");
    wg_page_quote(page, ink_of_severity(diagnostic->severity), diagnostic->severity);
    wg_page_newline(page);
    bool in_source = diagnostic->line > 0 && result->submission.source &&
                     same(diagnostic->file, result->submission.file);
    if (!in_source) {
        wg_page_paragraph(page, 4, WG_INK_PLAIN, diagnostic->message);
        return;
    }
    struct wg_page_mark mark = {.line = diagnostic->line,
                                .column = diagnostic->column,
                                .label = diagnostic->message,
                                .ink = ink_of_severity(diagnostic->severity)};
    wg_page_source(page, result->submission.source, &mark, 1);
}

static void put_build(const struct wg_page *page, const struct wg_result *result) {
    if (!result->build.reached || (result->build.ok && !page->style->verbose)) {
        return;
    }
    size_t limit = page->style->verbose ? result->build.diagnostic_count : 3;
    size_t shown = 0;
    wg_page_heading(page, "Compiler", NULL);
    for (size_t i = 0; i < result->build.diagnostic_count && shown < limit; i++) {
        put_diagnostic(page, result, &result->build.diagnostics[i]);
        shown++;
    }
    if (shown < result->build.diagnostic_count) {
        wg_page_put(page, WG_INK_DIM, "  and %zu more; --verbose shows them all\n",
                    result->build.diagnostic_count - shown);
    }
    bool log_is_news = shown == 0 || page->style->verbose;
    if (log_is_news && result->build.log) {
        wg_page_paragraph(page, 4, WG_INK_DIM, result->build.log);
    }
    if (page->style->verbose && result->build.command) {
        wg_page_paragraph(page, 2, WG_INK_DIM, result->build.command);
    }
}

/* ---- Findings ---- */

static void describe_access(struct wg_buf *out, const char *access, const char *object,
                            bool has_element, int64_t element,
                            const struct wg_result_place *place) {
    if (access) {
        wg_buf_printf(out, "%s",
                      same(access, "write")  ? "writes"
                      : same(access, "read") ? "reads"
                                             : "updates atomically");
        if (object) {
            wg_buf_printf(out, " %s", object);
        }
        if (object && has_element) {
            wg_buf_printf(out, "[%" PRId64 "]", element);
        }
    }
    if (place->has_thread) {
        wg_buf_printf(out, "%sthread (%u,%u,%u) of block (%u,%u,%u)", out->len ? ": " : "",
                      place->thread[0], place->thread[1], place->thread[2], place->block[0],
                      place->block[1], place->block[2]);
    }
}

/* A demangled kernel without its parameter list: "scale<float>(float*)" is scale<float> here. */
static size_t name_length(const char *kernel) {
    size_t len = strlen(kernel);
    if (len == 0 || kernel[len - 1] != ')') {
        return len;
    }
    size_t at = len;
    int depth = 0;
    do {
        at--;
        depth += kernel[at] == ')';
        depth -= kernel[at] == '(';
    } while (at > 0 && depth > 0);
    return at > 0 ? at : len;
}

static void put_finding_head(const struct wg_page *page, const struct wg_result *result,
                             const struct wg_result_finding *finding) {
    wg_page_put(page, WG_INK_PLAIN, "  ");
    wg_page_quote(page, ink_of_severity(finding->severity),
                  finding->kind ? finding->kind : "FINDING");
    if (same(finding->severity, "warning") || same(finding->severity, "note")) {
        wg_page_put(page, WG_INK_PLAIN, " (%s)", finding->severity);
    }
    if (finding->at.file) {
        wg_page_put(page, WG_INK_PLAIN, "  ");
        wg_page_quote(page, WG_INK_BOLD, finding->at.file);
        if (finding->at.line > 0) {
            wg_page_put(page, WG_INK_BOLD, ":%d", finding->at.line);
        }
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf rest = {0};
    if (finding->kernel) {
        wg_buf_printf(&rest, "  in %.*s", (int)name_length(finding->kernel), finding->kernel);
    }
    if (finding->occurrences > 1) {
        wg_buf_printf(&rest, "%s%" PRIu64 " times", rest.len ? ", " : "  ", finding->occurrences);
    }
    if (finding->case_index >= 0 && (size_t)finding->case_index < result->case_count) {
        const struct wg_result_case *one = &result->cases[finding->case_index];
        wg_buf_puts(&rest, rest.len ? ", first at " : "  first at ");
        wg_page_dims(&rest, one->dim_names, one->dims, one->dim_count, " ");
    }
    wg_page_quote(page, WG_INK_DIM, wg_buf_str(&rest));
    wg_page_newline(page);
}

static void put_finding(const struct wg_page *page, const struct wg_result *result,
                        const struct wg_result_finding *finding) {
    put_finding_head(page, result, finding);
    WG_CLEANUP(wg_buf_done) struct wg_buf label = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf other = {0};
    describe_access(&label, finding->access, finding->object, finding->has_element,
                    finding->element, &finding->at);
    describe_access(&other, finding->other_access, finding->object, finding->has_element,
                    finding->element, &finding->other);
    struct wg_page_mark marks[2] = {
        {.line = finding->at.line,
         .column = finding->at.column,
         .label = wg_buf_str(&label),
         .ink = ink_of_severity(finding->severity)},
        {.line = finding->other.line,
         .column = finding->other.column,
         .label = wg_buf_str(&other),
         .ink = WG_INK_YELLOW},
    };
    const char *file = result->submission.file;
    bool shows_source = finding->at.line > 0 && same(finding->at.file, file);
    if (shows_source) {
        bool both = finding->other.line > 0 && same(finding->other.file, file);
        wg_page_source(page, result->submission.source, marks, both ? 2 : 1);
    }
    if (!shows_source || !ends_with(result->sentence, finding->text)) {
        wg_page_paragraph(page, 4, WG_INK_PLAIN, finding->text);
    }
}

static void put_findings(const struct wg_page *page, const struct wg_result *result) {
    if (result->finding_count == 0) {
        return;
    }
    wg_page_heading(page, "Findings", NULL);
    size_t full = page->style->verbose ? result->finding_count : FINDINGS_IN_FULL;
    for (size_t i = 0; i < result->finding_count; i++) {
        if (i < full) {
            if (i > 0) {
                wg_page_newline(page);
            }
            put_finding(page, result, &result->findings[i]);
            continue;
        }
        if (i == full) {
            wg_page_newline(page);
        }
        put_finding_head(page, result, &result->findings[i]);
    }
    if (result->findings_dropped) {
        wg_page_put(page, WG_INK_DIM, "  and %" PRIu64 " more that were not kept\n",
                    result->findings_dropped);
    }
}

/* ---- Cases ---- */

static void describe_number(struct wg_buf *out, double value) {
    if (isnan(value)) {
        wg_buf_puts(out, "NaN");
    } else {
        wg_buf_printf(out, "%.9g", value);
    }
}

static void put_first_wrong(const struct wg_page *page, const struct wg_result_case *one) {
    WG_CLEANUP(wg_buf_done) struct wg_buf line = {0};
    wg_buf_printf(&line, "first wrong element: %s[%" PRIu64 "]", one->output ? one->output : "",
                  one->first_wrong_index);
    if (one->first_wrong_row >= 0) {
        wg_buf_printf(&line, " (row %" PRId64 ", column %" PRId64 ")", one->first_wrong_row,
                      one->first_wrong_column);
    }
    wg_buf_puts(&line, ", expected ");
    describe_number(&line, one->expected);
    wg_buf_puts(&line, ", got ");
    describe_number(&line, one->got);
    wg_buf_printf(&line, "; %" PRIu64 " of %" PRIu64 " wrong", one->wrong_count,
                  one->element_count);
    wg_page_paragraph(page, 6, WG_INK_PLAIN, wg_buf_str(&line));
}

/* What a finding above says in full is not said again for every case. */
static bool is_told(const struct wg_result *result, const char *sentence) {
    for (size_t i = 0; i < result->finding_count; i++) {
        if (ends_with(sentence, result->findings[i].text)) {
            return true;
        }
    }
    return false;
}

static void put_case(const struct wg_page *page, const struct wg_result *result,
                     const struct wg_result_case *one) {
    WG_CLEANUP(wg_buf_done) struct wg_buf dims = {0};
    wg_page_dims(&dims, one->dim_names, one->dims, one->dim_count, " ");
    bool good = one->verdict == WG_VERDICT_PASS;
    wg_page_put(page, good ? WG_INK_GREEN : WG_INK_RED, "  %s ", tick(page, good));
    wg_page_quote(page, WG_INK_BOLD, wg_buf_str(&dims));
    wg_page_put(page, WG_INK_PLAIN, "  %s\n", wg_verdict_name(one->verdict));
    if (one->sentence && !is_told(result, one->sentence)) {
        wg_page_paragraph(page, 6, WG_INK_PLAIN, one->sentence);
    } else if (one->has_first_wrong && one->verdict < WG_VERDICT_NO_KERNEL) {
        /* Where nothing ran to its end, the elements say nothing. */
        put_first_wrong(page, one);
    }
}

/* All cases of one verdict that were not shown, in a wrapped line: "right: n=1, n=2, n=64". */
static void put_case_list(const struct wg_page *page, const struct wg_result *result,
                          enum wg_verdict verdict, bool ran, const bool *shown, const char *what) {
    WG_CLEANUP(wg_buf_done) struct wg_buf list = {0};
    wg_buf_printf(&list, "%s ", what);
    size_t count = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const struct wg_result_case *one = &result->cases[i];
        if (one->verdict == verdict && one->not_run == !ran && !shown[i]) {
            wg_buf_puts(&list, count++ ? ", " : "");
            wg_page_dims(&list, one->dim_names, one->dims, one->dim_count, ",");
        }
    }
    if (count) {
        bool good = verdict == WG_VERDICT_PASS;
        wg_page_item(page, good ? WG_INK_GREEN : WG_INK_RED, tick(page, good), wg_buf_str(&list));
    }
}

/* One sentence is worth saying once: the first cases of a verdict that each say something new. */
static void put_failures(const struct wg_page *page, const struct wg_result *result,
                         enum wg_verdict verdict, bool *shown) {
    const char *last = NULL;
    size_t count = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const struct wg_result_case *one = &result->cases[i];
        bool repeats = count > 0 && (same(one->sentence, last) || (!one->sentence && !last));
        bool fits = count < FAILURES_IN_FULL && !repeats;
        if (one->verdict != verdict || one->not_run || (!fits && !page->style->verbose)) {
            continue;
        }
        put_case(page, result, one);
        last = one->sentence;
        shown[i] = true;
        count++;
    }
    WG_CLEANUP(wg_freep) char *what = wg_strf("%s as well:", wg_verdict_words(verdict));
    put_case_list(page, result, verdict, true, shown, what);
    put_case_list(page, result, verdict, false, shown, "not run after that:");
}

static void put_cases(const struct wg_page *page, const struct wg_result *result) {
    if (result->case_count == 0) {
        return;
    }
    WG_CLEANUP(wg_freep) bool *shown = wg_calloc(result->case_count, sizeof *shown);
    size_t passed = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        passed += result->cases[i].verdict == WG_VERDICT_PASS;
    }
    WG_CLEANUP(wg_freep) char *beside = wg_strf("%zu of %zu right", passed, result->case_count);
    wg_page_heading(page, "Cases", beside);
    for (int v = WG_VERDICT_COUNT - 1; v > WG_VERDICT_PASS; v--) {
        put_failures(page, result, (enum wg_verdict)v, shown);
    }
    put_case_list(page, result, WG_VERDICT_PASS, true, shown, "right:");
}

/* ---- Foot ---- */

static void put_output(const struct wg_page *page, const struct wg_result *result) {
    if (!result->output || !*result->output) {
        return;
    }
    size_t lines = 0;
    const char *end = result->output;
    size_t most = page->style->verbose ? SIZE_MAX : 5;
    while (*end && lines < most) {
        end += strcspn(end, "\n");
        end += *end == '\n';
        lines++;
    }
    wg_page_heading(page, "Output of the submission", NULL);
    bool more = *end != '\0';
    while (end > result->output && end[-1] == '\n') {
        end--;
    }
    WG_CLEANUP(wg_freep) char *part = strndup(result->output, (size_t)(end - result->output));
    wg_page_paragraph(page, 4, WG_INK_DIM, part);
    if (more) {
        wg_page_put(page, WG_INK_DIM, "    ... --verbose shows all of it\n");
    }
}

static void put_environment(const struct wg_page *page, const struct wg_result *result) {
    const struct {
        const char *name, *value;
    } rows[] = {
        {"device", result->environment.device},
        {"arch", result->environment.arch},
        {"compiler", result->environment.compiler_version},
        {"runtime", result->environment.runtime_version},
        {"cpu", result->environment.cpu},
        {"system", result->environment.os},
        {"isolation", result->environment.isolation},
        {"wavegrade", result->environment.wavegrade_version},
    };
    wg_page_heading(page, "Environment", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].value) {
            wg_page_put(page, WG_INK_PLAIN, "  %-10s ", rows[i].name);
            wg_page_quote(page, WG_INK_PLAIN, rows[i].value);
            wg_page_newline(page);
        }
    }
    wg_page_put(page, WG_INK_PLAIN, "  %-10s ", "stages");
    for (size_t i = 0; i < result->stage_count; i++) {
        wg_page_put(page, WG_INK_PLAIN, "%s", i ? ", " : "");
        wg_page_quote(page, WG_INK_PLAIN, result->stages[i].name);
        wg_page_put(page, WG_INK_PLAIN, " %.0f ms", result->stages[i].wall_ms);
    }
    wg_page_newline(page);
}

static double size_of(const struct wg_result_case *one) {
    double size = 1;
    for (size_t d = 0; d < one->dim_count; d++) {
        size *= (double)one->dims[d];
    }
    return size;
}

/* All that fail are larger than all that are right, and more is right than fails. */
static bool only_large_ones_fail(const struct wg_result *result) {
    double largest_right = 0, smallest_wrong = INFINITY;
    size_t right = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const struct wg_result_case *one = &result->cases[i];
        bool is_right = one->verdict == WG_VERDICT_PASS;
        right += is_right;
        largest_right = is_right ? fmax(largest_right, size_of(one)) : largest_right;
        smallest_wrong = is_right ? smallest_wrong : fmin(smallest_wrong, size_of(one));
    }
    return right * 2 > result->case_count && smallest_wrong > largest_right;
}

static void put_next(const struct wg_page *page, const struct wg_result *result) {
    WG_CLEANUP(wg_buf_done) struct wg_buf next = {0};
    const struct wg_result_finding *finding =
        result->finding_count && same(result->findings[0].severity, "error") ? &result->findings[0]
                                                                             : NULL;
    if (result->verdict == WG_VERDICT_PASS || result->verdict == WG_VERDICT_GRADER_ERROR) {
        return; /* its sentence says what there is to say */
    }
    if (result->build.reached && !result->build.ok) {
        wg_buf_puts(&next, "Fix the first error; later ones often follow from it.");
    } else if (finding && finding->at.line > 0) {
        wg_buf_printf(&next, "Start with line %d; wrong numbers are often its consequence.",
                      finding->at.line);
    } else if (result->verdict == WG_VERDICT_WRONG_ANSWER) {
        wg_buf_puts(&next, only_large_ones_fail(result)
                               ? "Only the largest sizes fail: does an index outgrow its type?"
                               : "Work through a small failing case on paper.");
    } else if (!result->case_count) {
        return;
    }
    if (result->case_count && result->seed) {
        wg_buf_printf(&next, "%sThe same inputs again: --seed %" PRIu64, next.len ? " " : "",
                      result->seed);
    }
    wg_page_heading(page, "Next", wg_buf_str(&next));
}

void wg_export_text(const struct wg_result *result, const struct wg_text_style *style,
                    struct wg_buf *out) {
    int columns = style->columns < 40 ? 40 : style->columns > 100 ? 100 : style->columns;
    struct wg_page page = {.out = out, .style = style, .columns = columns};
    put_head(&page, result);
    if (style->brief) {
        return;
    }
    put_origin(&page, result);
    put_build(&page, result);
    put_findings(&page, result);
    put_cases(&page, result);
    wg_page_timing(&page, result);
    if (result->verdict == WG_VERDICT_PASS || style->verbose) {
        wg_page_counters(&page, result); /* the work of a wrong kernel teaches nothing */
        wg_page_resources(&page, result);
    }
    put_output(&page, result);
    wg_page_score(&page, result);
    if (style->verbose) {
        put_environment(&page, result);
    }
    put_next(&page, result);
}
