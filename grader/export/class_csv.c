/* A class as lines: for spreadsheets, Canvas and Moodle.
 *
 * A gradebook knows its students by identifiers of its own, so the sure way is to fill in what it
 * exported: every row goes back as it came, with the grade's cell replaced where there is a grade.
 * Without an export the file holds what the roster knows. Nobody who was not graded gets a zero:
 * the cell stays as it was. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/csv.h"
#include "grader/base/encoding.h"
#include "grader/export/class.h"
#include "grader/export/parts.h"

#define NO_COLUMN SIZE_MAX

static bool is_graded(const struct wg_class_row *row) {
    return row->result && wg_export_is_graded(row->result);
}

/* NULL when there is no grade. The caller frees. */
static char *grade_of(const struct wg_class_row *row, const struct wg_gradebook *book) {
    if (!is_graded(row)) {
        return NULL;
    }
    double points = row->result->points;
    if (book->out_of > 0) {
        points = points / row->result->max_points * book->out_of;
    }
    char *text = wg_strf("%.2f", points);
    char *end = text + strlen(text);
    while (end[-1] == '0') {
        *--end = '\0';
    }
    if (end[-1] == '.') {
        end[-1] = '\0';
    }
    return text;
}

/* ---- A gradebook that was read ---- */

struct book {
    struct wg_csv_row *rows; /* the first one names the columns */
    size_t count;
    size_t *class_rows; /* for each row: whose it is, or NO_COLUMN */
};

static void book_done(struct book *book) {
    for (size_t i = 0; i < book->count; i++) {
        wg_csv_row_done(&book->rows[i]);
    }
    free(book->rows);
    free(book->class_rows);
}

static const char *cell_of(const struct wg_csv_row *row, size_t column) {
    return column < row->count ? row->cells[column] : "";
}

static enum wg_code read_book(const struct wg_gradebook *from, struct book *out,
                              struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf utf8 = {0};
    struct wg_csv csv;
    struct wg_csv_row row;
    if (wg_encoding_check_csv("the gradebook", from->text, from->bytes, err) != WG_OK) {
        return WG_EPARSE;
    }
    wg_encoding_to_utf8(&utf8, from->text, from->bytes);
    wg_csv_open(&csv, wg_buf_str(&utf8), utf8.len);
    while (wg_csv_next(&csv, &row)) {
        if (row.is_blank) {
            wg_csv_row_done(&row);
            continue;
        }
        out->rows = wg_realloc(out->rows, out->count + 1, sizeof *out->rows);
        out->class_rows = wg_realloc(out->class_rows, out->count + 1, sizeof *out->class_rows);
        out->class_rows[out->count] = NO_COLUMN;
        out->rows[out->count++] = row;
        if (row.open_quote || row.has_stray_text) {
            wg_fail(err, WG_EPARSE, "gradebook, line %zu: a quote is not closed properly",
                    row.line);
            return WG_EPARSE;
        }
    }
    if (out->count == 0) {
        wg_fail(err, WG_EPARSE, "the gradebook is empty");
        return WG_EPARSE;
    }
    return WG_OK;
}

static size_t find_column(const struct book *book, const char *name) {
    for (size_t i = 0; i < book->rows[0].count; i++) {
        if (strcasecmp(book->rows[0].cells[i], name) == 0) {
            return i;
        }
    }
    return NO_COLUMN;
}

/* Canvas calls a column "Name (123)". */
static bool names_assignment(const char *column, const char *name) {
    size_t len = name ? strlen(name) : 0;
    return len > 0 && strncasecmp(column, name, len) == 0 &&
           (column[len] == '\0' || strncmp(column + len, " (", 2) == 0);
}

/* Whose row it is: the student whose id is in one of the columns. */
static enum wg_code place_row(const struct wg_class *class, struct book *book, size_t at,
                              const size_t *columns, size_t column_count, struct wg_err *err) {
    for (size_t i = 0; i < class->row_count; i++) {
        for (size_t c = 0; c < column_count; c++) {
            const char *cell = cell_of(&book->rows[at], columns[c]);
            if (*cell && strcmp(cell, class->rows[i].student) == 0) {
                if (book->class_rows[at] != NO_COLUMN && book->class_rows[at] != i) {
                    return wg_fail(err, WG_EINVAL,
                                   "gradebook, line %zu: fits both '%.60s' and '%.60s'; --match "
                                   "names the column to go by",
                                   book->rows[at].line, class->rows[book->class_rows[at]].student,
                                   class->rows[i].student);
                }
                book->class_rows[at] = i;
            }
        }
    }
    return WG_OK;
}

/* Students to rows, by the named columns or those that hold identifiers. */
static enum wg_code place_all(const struct wg_class *class, const struct wg_gradebook *from,
                              const char *const *identifiers, struct book *book, size_t *missing,
                              struct wg_err *err) {
    size_t columns[8];
    size_t column_count = 0;
    for (size_t i = 0; !from->match && identifiers[i]; i++) {
        size_t column = find_column(book, identifiers[i]);
        if (column != NO_COLUMN) {
            columns[column_count++] = column;
        }
    }
    if (from->match) {
        columns[column_count++] = find_column(book, from->match);
    }
    if (column_count == 0 || columns[0] == NO_COLUMN) {
        return wg_fail(err, WG_EPARSE, "the gradebook has no column '%.80s'",
                       from->match ? from->match : identifiers[0]);
    }
    WG_CLEANUP(wg_freep) bool *seen = wg_calloc(class->row_count + 1, sizeof *seen);
    enum wg_code code = WG_OK;
    for (size_t i = 1; i < book->count && code == WG_OK; i++) {
        code = place_row(class, book, i, columns, column_count, err);
        size_t whose = book->class_rows[i];
        if (code == WG_OK && whose != NO_COLUMN) {
            if (seen[whose]) {
                code = wg_fail(err, WG_EINVAL, "gradebook, line %zu: '%.60s' is there twice",
                               book->rows[i].line, class->rows[whose].student);
            }
            seen[whose] = true;
        }
    }
    *missing = 0;
    for (size_t i = 0; i < class->row_count; i++) {
        *missing += !seen[i];
    }
    return code;
}

/* Writes the rows back, with new cells in some columns. */
struct change {
    size_t column;
    char *(*cell)(const struct wg_class_row *row,
                  const struct wg_gradebook *book); /* NULL: stays */
};

static void put_book(const struct wg_class *class, const struct wg_gradebook *from,
                     const struct book *book, const struct change *changes, size_t change_count,
                     struct wg_buf *out) {
    for (size_t i = 0; i < book->count; i++) {
        size_t whose = book->class_rows[i];
        for (size_t c = 0; c < book->rows[0].count; c++) {
            WG_CLEANUP(wg_freep) char *made = NULL;
            for (size_t k = 0; k < change_count && whose != NO_COLUMN; k++) {
                if (changes[k].column == c) {
                    made = changes[k].cell(&class->rows[whose], from);
                }
            }
            wg_csv_put(out, c == 0, made ? made : cell_of(&book->rows[i], c));
        }
        wg_csv_end(out);
    }
}

static enum wg_code check_names(const struct wg_class *class, const char *where,
                                struct wg_err *err) {
    if (class->anonymous) {
        return wg_fail(err, WG_EINVAL, "%s needs to know whose grades these are: not anonymously",
                       where);
    }
    for (size_t i = 0; i < class->row_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(class->rows[i].student, class->rows[k].student) == 0) {
                return wg_fail(err, WG_EINVAL,
                               "'%.80s' is there for more than one assignment: "
                               "one at a time for %s",
                               class->rows[i].student, where);
            }
        }
    }
    return WG_OK;
}

static const char *title_of(const struct wg_class *class) {
    for (size_t i = 0; i < class->row_count; i++) {
        if (class->rows[i].result && class->rows[i].result->assignment.title) {
            return class->rows[i].result->assignment.title;
        }
    }
    return class->row_count ? class->rows[0].assignment : NULL;
}

/* ---- Canvas ---- */

static enum wg_code canvas_column(const struct wg_class *class, const struct wg_gradebook *from,
                                  const struct book *book, size_t *out, struct wg_err *err) {
    const char *names[] = {from->column, title_of(class),
                           class->row_count ? class->rows[0].assignment : NULL};
    size_t name_count = from->column ? 1 : 3;
    *out = NO_COLUMN;
    for (size_t n = from->column ? 0 : 1; n < name_count && *out == NO_COLUMN; n++) {
        for (size_t c = 0; c < book->rows[0].count; c++) {
            if (!names_assignment(book->rows[0].cells[c], names[n])) {
                continue;
            }
            if (*out != NO_COLUMN) {
                return wg_fail(err, WG_EINVAL,
                               "the gradebook has more than one column '%.80s'; "
                               "--column with its number in parentheses",
                               names[n]);
            }
            *out = c;
        }
    }
    if (*out == NO_COLUMN) {
        return wg_fail(err, WG_EPARSE, "the gradebook has no column for '%.80s'; --column names it",
                       from->column ? from->column
                       : names[1]   ? names[1]
                                    : "this assignment");
    }
    return WG_OK;
}

static void put_canvas(const struct wg_class *class, const struct wg_gradebook *from,
                       struct wg_buf *out) {
    static const char *const columns[] = {"Student", "ID", "SIS User ID", "SIS Login ID",
                                          "Section"};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        wg_csv_put(out, i == 0, columns[i]);
    }
    wg_csv_put(out, false, from->column ? from->column : title_of(class));
    wg_csv_end(out);
    for (size_t i = 0; i < class->row_count; i++) {
        const struct wg_class_row *row = &class->rows[i];
        WG_CLEANUP(wg_freep) char *grade = grade_of(row, from);
        wg_csv_put(out, true, row->name ? row->name : row->student);
        wg_csv_put(out, false, NULL);
        wg_csv_put(out, false, NULL);
        wg_csv_put(out, false, row->student);
        wg_csv_put(out, false, NULL);
        wg_csv_put(out, false, grade);
        wg_csv_end(out);
    }
}

enum wg_code wg_export_canvas_csv(const struct wg_class *class, const struct wg_gradebook *from,
                                  struct wg_buf *out, size_t *missing, struct wg_err *err) {
    static const char *const identifiers[] = {"SIS Login ID", "SIS User ID", "ID", NULL};
    enum wg_code code = check_names(class, "Canvas", err);
    *missing = 0;
    if (code != WG_OK) {
        return code;
    }
    if (!from->text) {
        put_canvas(class, from, out);
        return WG_OK;
    }
    WG_CLEANUP(book_done) struct book book = {0};
    struct change change = {.cell = grade_of};
    code = read_book(from, &book, err);
    code = code ? code : canvas_column(class, from, &book, &change.column, err);
    code = code ? code : place_all(class, from, identifiers, &book, missing, err);
    if (code == WG_OK) {
        put_book(class, from, &book, &change, 1, out);
    }
    return code;
}

/* ---- Moodle ---- */

/* One plain line a student: what the grade stands for. */
static char *feedback_of(const struct wg_class_row *row, const struct wg_gradebook *book) {
    (void)book;
    return is_graded(row) ? wg_export_headline(row->result) : NULL;
}

/* Moodle's own words for a participant: "Participant 17". */
static char *participant_of(const char *student) {
    size_t digits = strspn(student, "0123456789");
    if (digits > 0 && student[digits] == '\0') {
        return wg_strf("Participant %s", student);
    }
    return strncmp(student, "Participant ", 12) == 0 ? wg_strdup(student) : NULL;
}

static enum wg_code put_moodle(const struct wg_class *class, const struct wg_gradebook *from,
                               struct wg_buf *out, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf lines = {0};
    static const char *const columns[] = {"Identifier", "Grade", "Feedback comments"};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        wg_csv_put(&lines, i == 0, columns[i]);
    }
    wg_csv_end(&lines);
    for (size_t i = 0; i < class->row_count; i++) {
        const struct wg_class_row *row = &class->rows[i];
        WG_CLEANUP(wg_freep) char *identifier = participant_of(row->student);
        WG_CLEANUP(wg_freep) char *grade = grade_of(row, from);
        WG_CLEANUP(wg_freep) char *feedback = feedback_of(row, from);
        if (!identifier) {
            return wg_fail(err, WG_EINVAL,
                           "Moodle knows '%.60s' as 'Participant N': download its grading "
                           "worksheet and give it with --gradebook",
                           row->student);
        }
        wg_csv_put(&lines, true, identifier);
        wg_csv_put(&lines, false, grade);
        wg_csv_put(&lines, false, feedback);
        wg_csv_end(&lines);
    }
    wg_buf_puts(out, wg_buf_str(&lines));
    return WG_OK;
}

enum wg_code wg_export_moodle_csv(const struct wg_class *class, const struct wg_gradebook *from,
                                  struct wg_buf *out, size_t *missing, struct wg_err *err) {
    static const char *const identifiers[] = {"ID number",  "Username",  "Email address",
                                              "Identifier", "Full name", NULL};
    enum wg_code code = check_names(class, "Moodle", err);
    *missing = 0;
    if (code != WG_OK) {
        return code;
    }
    if (!from->text) {
        return put_moodle(class, from, out, err);
    }
    WG_CLEANUP(book_done) struct book book = {0};
    code = read_book(from, &book, err);
    if (code != WG_OK) {
        return code;
    }
    struct change changes[] = {
        {find_column(&book, from->column ? from->column : "Grade"), grade_of},
        {find_column(&book, "Feedback comments"), feedback_of},
    };
    if (changes[0].column == NO_COLUMN || find_column(&book, "Identifier") == NO_COLUMN) {
        return wg_fail(err, WG_EPARSE, "not a grading worksheet: it has no column '%.80s'",
                       changes[0].column == NO_COLUMN ? from->column ? from->column : "Grade"
                                                      : "Identifier");
    }
    code = place_all(class, from, identifiers, &book, missing, err);
    if (code == WG_OK) {
        put_book(class, from, &book, changes, 2, out);
    }
    return code;
}

/* ---- Plain ---- */

static void put_number(struct wg_buf *out, bool known, double value) {
    WG_CLEANUP(wg_freep) char *text = known ? wg_strf("%.6g", value) : NULL;
    wg_csv_put(out, false, text);
}

static void put_row(const struct wg_class_row *row, bool anonymous, size_t number,
                    struct wg_buf *out) {
    const struct wg_result *result = row->result;
    bool graded = is_graded(row);
    WG_CLEANUP(wg_freep) char *stand_in = wg_strf("%zu", number);
    /* What is said about fetching names the repository; when one handed in is known to others. */
    bool tells_who = anonymous && result && result->verdict >= WG_VERDICT_MISSING_FILE;
    WG_CLEANUP(wg_freep)
    char *sentence = result && !tells_who ? wg_export_line(result->sentence) : NULL;
    char moment[32] = "";
    if (row->graded_s > 0 && !anonymous) {
        wg_clock_format_utc(row->graded_s, moment);
    }
    wg_csv_put(out, true, anonymous ? stand_in : row->student);
    if (!anonymous) {
        wg_csv_put(out, false, row->name);
    }
    wg_csv_put(out, false, row->assignment);
    wg_csv_put(out, false, result ? wg_verdict_name(result->verdict) : NULL);
    put_number(out, graded, graded ? result->points : 0);
    put_number(out, graded, graded ? result->max_points : 0);
    put_number(out, result != NULL, result ? result->total_points : 0);
    wg_csv_put(out, false, !result ? NULL : graded ? "yes" : "no");
    put_number(out, true, row->attempts);
    wg_csv_put(out, false, row->is_late ? "yes" : "no");
    put_number(out, true, row->same_source);
    wg_csv_put(out, false, moment);
    if (!anonymous) {
        wg_csv_put(out, false, result ? result->submission.repository : NULL);
        wg_csv_put(out, false, result ? result->submission.commit : NULL);
    }
    wg_csv_put(out, false, result ? result->environment.platform : NULL);
    wg_csv_put(out, false, result ? result->environment.device : NULL);
    wg_csv_put(out, false, sentence);
    wg_csv_end(out);
}

void wg_export_csv(const struct wg_class *class, struct wg_buf *out) {
    static const struct {
        const char *name;
        bool tells_who;
    } columns[] = {
        {"student", false},
        {"name", true},
        {"assignment", false},
        {"verdict", false},
        {"points", false},
        {"maximum", false},
        {"assignment_maximum", false},
        {"graded", false},
        {"attempts", false},
        {"late", false},
        {"same_source", false},
        {"graded_at", false},
        {"repository", true},
        {"commit", true},
        {"platform", false},
        {"device", false},
        {"sentence", false},
    };
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        if (!class->anonymous || !columns[i].tells_who) {
            wg_csv_put(out, i == 0, columns[i].name);
        }
    }
    wg_csv_end(out);
    for (size_t i = 0; i < class->row_count; i++) {
        put_row(&class->rows[i], class->anonymous, i + 1, out);
    }
}
