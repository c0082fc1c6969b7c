#include "grader/results_write.h"

#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/text.h"
#include "grader/result/json_write.h"

/* ---- Text ---- */

enum { CELL_MOST = 32 };

enum column { STUDENT, NAME, ASSIGNMENT, VERDICT, POINTS, TRIES, GRADED, COMMIT, NOTES, COLUMNS };
static const char *const titles[COLUMNS] = {"STUDENT", "NAME",   "ASSIGNMENT", "VERDICT", "POINTS",
                                            "TRIES",   "GRADED", "COMMIT",     "NOTES"};

struct line {
    char *cells[COLUMNS];
};

/* Characters, not bytes; good enough for what a roster holds. */
static size_t width_of(const char *text) {
    size_t width = 0;
    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80 ? 1 : 0;
    }
    return width;
}

static char *clean_cell(const char *text) {
    WG_CLEANUP(wg_buf_done) struct wg_buf escaped = {0};
    wg_text_terminal(&escaped, text, strlen(text), false);
    return wg_text_clean(wg_buf_str(&escaped), escaped.len, CELL_MOST);
}

static char *notes_of(const struct wg_store_attempt *attempt) {
    struct wg_buf notes = {0};
    if (attempt->is_late) {
        wg_buf_puts(&notes, "late");
    }
    if (attempt->same_source > 0) {
        wg_buf_printf(&notes, "%ssame source as %u other%s", notes.len > 0 ? ", " : "",
                      attempt->same_source, attempt->same_source == 1 ? "" : "s");
    }
    return notes.data != NULL ? notes.data : wg_strdup("");
}

static struct line line_of(const struct wg_store_attempt *attempt) {
    char date[32];
    wg_clock_format_utc(attempt->graded_s, date);
    bool has_points = attempt->verdict != WG_VERDICT_GRADER_ERROR && attempt->max_points > 0;
    return (struct line){
        .cells = {[STUDENT] = clean_cell(attempt->student),
                  [NAME] = clean_cell(attempt->name),
                  [ASSIGNMENT] = clean_cell(attempt->assignment[0] ? attempt->assignment : "?"),
                  [VERDICT] = wg_strdup(wg_verdict_name(attempt->verdict)),
                  [POINTS] = has_points ? wg_strf("%.4g/%.4g", attempt->points, attempt->max_points)
                                        : wg_strdup("-"),
                  [TRIES] = wg_strf("%u", attempt->attempts),
                  [GRADED] = wg_strdup(date),
                  [COMMIT] = wg_strf("%.10s", attempt->commit),
                  [NOTES] = notes_of(attempt)}};
}

static void put_line(const char *const *cells, const size_t widths[COLUMNS], struct wg_buf *out) {
    size_t pending = 0; /* blanks before the next cell: none at the end of a line */
    for (size_t c = 0; c < COLUMNS; c++) {
        if (widths[c] == 0) {
            continue;
        }
        if (cells[c][0] != '\0') {
            wg_buf_printf(out, "%*s%s", (int)pending, "", cells[c]);
            pending = 0;
        }
        pending += widths[c] - width_of(cells[c]) + 2;
    }
    wg_buf_puts(out, "\n");
}

void wg_results_put_text(const struct wg_store_attempts *attempts,
                         const struct wg_text_style *style, struct wg_buf *out) {
    if (attempts->count == 0) {
        wg_buf_puts(out, "no such rows\n");
        return;
    }
    size_t widths[COLUMNS] = {0};
    WG_CLEANUP(wg_freep) struct line *lines = wg_calloc(attempts->count + 1, sizeof *lines);
    for (size_t i = 0; i < attempts->count; i++) {
        lines[i] = line_of(&attempts->all[i]);
        for (size_t c = 0; c < COLUMNS; c++) {
            size_t width = width_of(lines[i].cells[c]);
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
    /* A column that is empty throughout is left out. */
    for (size_t c = 0; c < COLUMNS; c++) {
        size_t width = width_of(titles[c]);
        widths[c] = widths[c] > 0 && widths[c] < width ? width : widths[c];
    }
    wg_buf_puts(out, style->color ? "\x1b[1m" : "");
    put_line(titles, widths, out);
    wg_buf_puts(out, style->color ? "\x1b[0m" : "");
    for (size_t i = 0; i < attempts->count; i++) {
        put_line((const char *const *)lines[i].cells, widths, out);
        for (size_t c = 0; c < COLUMNS; c++) {
            free(lines[i].cells[c]);
        }
    }
    wg_buf_printf(out, "%zu row%s\n", attempts->count, attempts->count == 1 ? "" : "s");
}

/* ---- JSON ---- */

static void add_text(struct cJSON *object, const char *name, const char *text) {
    wg_json_add_string(object, name, text[0] != '\0' ? text : NULL);
}

static void add_date(struct cJSON *object, const char *name, int64_t seconds) {
    char date[32];
    wg_clock_format_utc(seconds, date);
    wg_json_add_string(object, name, seconds != 0 ? date : NULL);
}

static void add_points(struct cJSON *row, const struct wg_store_attempt *attempt) {
    struct cJSON *score = wg_json_add_object(row, "score");
    bool is_graded = attempt->verdict != WG_VERDICT_GRADER_ERROR && attempt->max_points > 0;
    if (is_graded) {
        wg_json_add_number(score, "points", attempt->points);
    } else {
        wg_json_add_null(score, "points"); /* not graded is not zero */
    }
    wg_json_add_number(score, "max_points", attempt->max_points);
    wg_json_add_number(score, "total_points", attempt->total_points);
    wg_json_add_bool(score, "complete", attempt->score_complete);
}

static struct cJSON *row_of(const struct wg_store_attempt *attempt) {
    struct cJSON *row = wg_json_new_object();
    wg_json_add_string(row, "student", attempt->student);
    add_text(row, "name", attempt->name);
    add_text(row, "assignment", attempt->assignment);
    wg_json_add_string(row, "verdict", wg_verdict_name(attempt->verdict));
    add_text(row, "sentence", attempt->sentence);
    add_points(row, attempt);
    add_text(row, "repository", attempt->repository);
    add_text(row, "ref", attempt->ref);
    add_text(row, "commit", attempt->commit);
    add_date(row, "commit_time", attempt->commit_time_s);
    add_date(row, "deadline", attempt->deadline_s);
    wg_json_add_bool(row, "late", attempt->is_late);
    add_date(row, "graded", attempt->graded_s);
    add_text(row, "batch", attempt->batch);
    add_text(row, "platform", attempt->platform);
    add_text(row, "wavegrade_version", attempt->version);
    wg_json_add_int(row, "attempts", attempt->attempts);
    wg_json_add_int(row, "same_source", attempt->same_source);
    wg_json_add_number(row, "wall_ms", attempt->wall_ms);
    wg_json_add_number(row, "cpu_ms", attempt->cpu_ms);
    return row;
}

static void trim_end(struct wg_buf *text, const char *what) {
    while (text->len > 0 && strchr(what, text->data[text->len - 1]) != NULL) {
        text->data[--text->len] = '\0';
    }
}

/* Results are kept as the JSON that they are given out as, so they are put in as they are; rows are
 * written one by one, so that a large store takes no more memory than its largest result. */
enum wg_code wg_results_put_json(struct wg_store *store, const struct wg_store_attempts *attempts,
                                 bool with_results, struct wg_buf *out, struct wg_err *err) {
    wg_buf_puts(out, "{\"schema\": \"" WG_RESULTS_SCHEMA "\", \"rows\": [");
    for (size_t i = 0; i < attempts->count; i++) {
        wg_buf_puts(out, i > 0 ? ",\n" : "\n");
        wg_json_print(row_of(&attempts->all[i]), false, out);
        trim_end(out, "\n");
        if (with_results) {
            out->data[--out->len] = '\0'; /* the closing brace */
            wg_buf_puts(out, ",\"result\":");
            enum wg_code code = wg_store_read_json(store, attempts->all[i].id, out, err);
            if (code != WG_OK) {
                return code;
            }
            trim_end(out, "\n");
            wg_buf_puts(out, "}");
        }
    }
    wg_buf_puts(out, "\n]}\n");
    return WG_OK;
}
