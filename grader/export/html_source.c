/* The student's source with what was found beside its lines.
 *
 * Theory of operation. Everything that belongs to a line (a finding, its other side, a message of
 * the compiler) is a note. Lines near a note are shown, all others are there but folded, and a
 * short file is shown whole. Findings whose line is in no source that we have become cards above.
 */
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/export/html_parts.h"
#include "grader/export/page.h"

#define CONTEXT_LINES 8
#define SHORT_FILE    60 /* lines that are not worth folding */
#define SHORT_GAP     4

struct note {
    const struct wg_result_finding *finding; /* or */
    const struct wg_result_diagnostic *diagnostic;
    bool other_side; /* of the finding */
    int line, column;
};

struct notes {
    struct note *items;
    size_t count;
};

static bool same(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

static const char *tone_of(const char *severity) {
    return same(severity, "error") ? "bad" : "warn";
}

static bool in_source(const struct wg_result *result, const char *file, int line) {
    return line > 0 && result->submission.source && same(file, result->submission.file);
}

static void add_note(struct notes *notes, struct note note) {
    notes->items = wg_realloc(notes->items, notes->count + 1, sizeof *notes->items);
    notes->items[notes->count++] = note;
}

static struct notes collect(const struct wg_result *result) {
    struct notes notes = {0};
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct wg_result_finding *finding = &result->findings[i];
        const struct wg_result_place *at = &finding->at, *other = &finding->other;
        if (in_source(result, at->file, at->line)) {
            add_note(&notes,
                     (struct note){.finding = finding, .line = at->line, .column = at->column});
        }
        if (in_source(result, other->file, other->line) && other->line != at->line) {
            add_note(&notes, (struct note){.finding = finding,
                                           .other_side = true,
                                           .line = other->line,
                                           .column = other->column});
        }
    }
    for (size_t i = 0; i < result->build.diagnostic_count; i++) {
        const struct wg_result_diagnostic *d = &result->build.diagnostics[i];
        if (in_source(result, d->file, d->line)) {
            add_note(&notes, (struct note){.diagnostic = d, .line = d->line, .column = d->column});
        }
    }
    return notes;
}

/* ---- Findings in words ---- */

static void put_finding_kind(const struct wg_result *result,
                             const struct wg_result_finding *finding, struct wg_buf *out) {
    wg_html_kind(out, finding->kind);
    wg_buf_puts(out, " <span>");
    if (same(finding->severity, "warning") || same(finding->severity, "note")) {
        wg_buf_printf(out, "(%s) ", finding->severity);
    }
    if (finding->kernel) {
        const char *list = strchr(finding->kernel, '(');
        wg_buf_puts(out, "in ");
        wg_html_text_n(out, finding->kernel,
                       list && list > finding->kernel ? (size_t)(list - finding->kernel)
                                                      : strlen(finding->kernel));
        wg_buf_puts(out, " ");
    }
    if (finding->occurrences > 1) {
        wg_buf_puts(out, "\u00b7 ");
        wg_html_count(out, finding->occurrences);
        wg_buf_puts(out, " times ");
    }
    if (finding->case_index >= 0 && (size_t)finding->case_index < result->case_count) {
        const struct wg_result_case *one = &result->cases[finding->case_index];
        wg_buf_puts(out, "\u00b7 first at ");
        wg_html_dims(out, one->dim_names, one->dims, one->dim_count);
    }
    wg_buf_puts(out, "</span>");
}

static void put_line_link(int line, struct wg_buf *out) {
    wg_buf_printf(out, "<a href=\"#L%d\">line %d</a>", line, line);
}

static void put_access_line(const struct wg_result_finding *finding, bool other_side,
                            struct wg_buf *out) {
    const char *access = other_side ? finding->other_access : finding->access;
    const struct wg_result_place *place = other_side ? &finding->other : &finding->at;
    if (access || place->has_thread) {
        wg_buf_puts(out, "<p class=\"small\">This line ");
        wg_html_access(out, access, finding, place);
        wg_buf_puts(out, "</p>");
    }
}

static void put_note(const struct wg_result *result, const struct note *note, struct wg_buf *out) {
    const struct wg_result_finding *finding = note->finding;
    const char *tone = note->other_side ? "warn"
                       : finding        ? tone_of(finding->severity)
                                        : tone_of(note->diagnostic->severity);
    wg_buf_printf(out, "<div class=\"note tone-%s\"><p class=\"kind\">", tone);
    if (!finding) {
        wg_html_kind(out, note->diagnostic->severity);
        wg_buf_puts(out, " <span>from the compiler</span></p>");
        wg_html_element(out, "p", NULL, note->diagnostic->message);
    } else if (note->other_side) {
        wg_html_kind(out, finding->kind);
        wg_buf_puts(out, " <span>with ");
        put_line_link(finding->at.line, out);
        wg_buf_puts(out, "</span></p>");
        put_access_line(finding, true, out);
    } else {
        put_finding_kind(result, finding, out);
        wg_buf_puts(out, "</p>");
        wg_html_element(out, "p", NULL, finding->text);
        put_access_line(finding, false, out);
    }
    wg_buf_puts(out, "</div>");
}

/* ---- Source ---- */

struct lines {
    const char **starts;
    size_t *lengths;
    int count;
};

static struct lines split(const char *source) {
    struct lines lines = {0};
    if (strncmp(source, "\xef\xbb\xbf", 3) == 0) {
        source += 3;
    }
    while (*source) {
        size_t len = strcspn(source, "\n");
        size_t count = (size_t)lines.count;
        lines.starts = wg_realloc(lines.starts, count + 1, sizeof *lines.starts);
        lines.lengths = wg_realloc(lines.lengths, count + 1, sizeof *lines.lengths);
        lines.starts[count] = source;
        lines.lengths[count] = len && source[len - 1] == '\r' ? len - 1 : len;
        lines.count++;
        source += len + (source[len] == '\n');
    }
    return lines;
}

/* The line with what its notes point at marked; of several at one place, the first counts. */
static void put_code(const struct notes *notes, int number, const char *text, size_t len,
                     struct wg_buf *out) {
    size_t done = 0;
    for (;;) {
        const struct note *next = NULL;
        for (size_t i = 0; i < notes->count; i++) {
            const struct note *note = &notes->items[i];
            size_t at = note->column > 0 ? (size_t)note->column - 1 : len;
            bool fits = note->line == number && at >= done && at < len;
            if (fits && (!next || note->column < next->column)) {
                next = note;
            }
        }
        if (!next) {
            break;
        }
        size_t at = (size_t)next->column - 1;
        size_t thing = wg_page_thing_length(text + at, len - at);
        wg_html_text_n(out, text + done, at - done);
        wg_buf_puts(out, "<mark>");
        wg_html_text_n(out, text + at, thing);
        wg_buf_puts(out, "</mark>");
        done = at + thing;
    }
    wg_html_text_n(out, text + done, len - done);
}

static void put_line(const struct wg_result *result, const struct lines *lines,
                     const struct notes *notes, int number, struct wg_buf *out) {
    const char *tone = NULL;
    for (size_t i = 0; i < notes->count; i++) {
        const struct note *note = &notes->items[i];
        bool bad =
            note->line == number && !note->other_side &&
            same(note->finding ? note->finding->severity : note->diagnostic->severity, "error");
        if (note->line == number && (bad || !tone)) {
            tone = bad ? "bad" : "warn";
        }
    }
    wg_buf_printf(out, "<li id=\"L%d\"", number);
    if (tone) {
        wg_buf_printf(out, " class=\"marked tone-%s\"", tone);
    }
    wg_buf_printf(out, "><code data-line=\"%d\">", number);
    put_code(notes, number, lines->starts[number - 1], lines->lengths[number - 1], out);
    wg_buf_puts(out, "</code>");
    for (size_t i = 0; i < notes->count; i++) {
        if (notes->items[i].line == number) {
            put_note(result, &notes->items[i], out);
        }
    }
    wg_buf_puts(out, "</li>\n");
}

static bool is_shown(const struct wg_result *result, const struct lines *lines,
                     const struct notes *notes, int number) {
    bool is_asked_for = notes->count > 0 || result->verdict != WG_VERDICT_PASS;
    if (is_asked_for && lines->count <= SHORT_FILE) {
        return true;
    }
    for (size_t i = 0; i < notes->count; i++) {
        if (abs(notes->items[i].line - number) <= CONTEXT_LINES) {
            return true;
        }
    }
    return false;
}

static void put_source(const struct wg_result *result, const struct notes *notes,
                       struct wg_buf *out) {
    struct lines lines = split(result->submission.source);
    wg_buf_puts(out,
                "<div class=\"source\" tabindex=\"0\" role=\"region\" aria-label=\"Source of ");
    wg_html_text(out, result->submission.file ? result->submission.file : "the submission");
    wg_buf_puts(out, "\">\n");
    for (int number = 1; number <= lines.count;) {
        int end = number;
        bool shown = is_shown(result, &lines, notes, number);
        while (end <= lines.count && is_shown(result, &lines, notes, end) == shown) {
            end++;
        }
        bool folded = !shown && (end - number > SHORT_GAP || notes->count == 0);
        if (folded) {
            wg_buf_printf(out, "<details%s><summary>Lines %d to %d</summary>",
                          notes->count ? "" : " class=\"whole\"", number, end - 1);
        }
        wg_buf_printf(out, "<ol start=\"%d\">\n", number);
        for (; number < end; number++) {
            put_line(result, &lines, notes, number, out);
        }
        wg_buf_puts(out, folded ? "</ol></details>\n" : "</ol>\n");
    }
    wg_buf_puts(out, "</div>\n");
    free(lines.starts);
    free(lines.lengths);
}

/* ---- The section ---- */

static void put_cards(const struct wg_result *result, struct wg_buf *out) {
    WG_CLEANUP(wg_buf_done) struct wg_buf cards = {0};
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct wg_result_finding *finding = &result->findings[i];
        if (in_source(result, finding->at.file, finding->at.line)) {
            continue;
        }
        wg_buf_printf(&cards, "<li class=\"card tone-%s\"><h3>", tone_of(finding->severity));
        put_finding_kind(result, finding, &cards);
        wg_buf_puts(&cards, "</h3>");
        wg_html_element(&cards, "p", NULL, finding->text);
        if (finding->at.file) {
            wg_buf_puts(&cards, "<p class=\"small mono\">");
            wg_html_text(&cards, finding->at.file);
            if (finding->at.line > 0) {
                wg_buf_printf(&cards, ":%d", finding->at.line);
            }
            wg_buf_puts(&cards, "</p>");
        }
        wg_buf_puts(&cards, "</li>\n");
    }
    for (size_t i = 0; i < result->build.diagnostic_count; i++) {
        const struct wg_result_diagnostic *d = &result->build.diagnostics[i];
        if (in_source(result, d->file, d->line)) {
            continue;
        }
        wg_buf_printf(&cards, "<li class=\"card tone-%s\"><h3>", tone_of(d->severity));
        wg_html_kind(&cards, d->severity);
        wg_buf_puts(&cards, " <span>from the compiler");
        if (d->file) {
            wg_buf_puts(&cards, ", ");
            wg_html_text(&cards, d->file);
            if (d->line > 0) {
                wg_buf_printf(&cards, ":%d", d->line);
            }
        }
        wg_buf_puts(&cards, "</span></h3>");
        wg_html_element(&cards, "p", NULL, d->message);
        wg_buf_puts(&cards, "</li>\n");
    }
    if (cards.len > 0) {
        wg_buf_printf(out, "<ul class=\"cards\">\n%s</ul>\n", wg_buf_str(&cards));
    }
}

/* More than one note: a way to each. */
static void put_index(const struct notes *notes, struct wg_buf *out) {
    size_t places = 0;
    for (size_t i = 0; i < notes->count; i++) {
        places += !notes->items[i].other_side;
    }
    if (places < 2) {
        return;
    }
    wg_buf_puts(out, "<ul class=\"list\">\n");
    for (size_t i = 0; i < notes->count; i++) {
        const struct note *note = &notes->items[i];
        if (note->other_side) {
            continue;
        }
        wg_buf_puts(out, "<li>");
        put_line_link(note->line, out);
        wg_buf_puts(out, ": ");
        wg_html_kind(out, note->finding ? note->finding->kind : note->diagnostic->severity);
        if (note->finding && same(note->finding->severity, "warning")) {
            wg_buf_puts(out, " (warning)");
        }
        wg_buf_puts(out, "</li>\n");
    }
    wg_buf_puts(out, "</ul>\n");
}

void wg_html_findings(const struct wg_result *result, struct wg_buf *out) {
    bool anything = result->finding_count > 0 || result->build.diagnostic_count > 0;
    if (!anything && !result->submission.source) {
        return;
    }
    struct notes notes = collect(result);
    wg_buf_printf(out, "<section aria-labelledby=\"findings\">\n<h2 id=\"findings\">%s</h2>\n",
                  anything ? "Findings" : "Source");
    put_cards(result, out);
    put_index(&notes, out);
    if (result->submission.source) {
        put_source(result, &notes, out);
    } else {
        wg_buf_puts(out, "<p class=\"small\">The source is not part of this result.</p>\n");
    }
    if (result->findings_dropped) {
        wg_buf_puts(out, "<p class=\"small\">");
        wg_html_count(out, result->findings_dropped);
        wg_buf_puts(out, " more findings were not kept.</p>\n");
    }
    wg_buf_puts(out, "</section>\n");
    free(notes.items);
}
