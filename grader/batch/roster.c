#include "grader/batch/roster.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/csv.h"
#include "grader/base/encoding.h"
#include "grader/base/file.h"
#include "grader/base/text.h"

enum { ID_MOST_BYTES = 200, CELL_MOST_BYTES = 4096 };

/* ---- Columns ---- */

enum column { ID, NAME, FIRST_NAME, LAST_NAME, REPOSITORY, REF, FOLDER, ASSIGNMENT, COLUMN_COUNT };

/* What the columns are called elsewhere, without spaces, signs and capitals; the first that is
 * there counts. GitHub Classroom: identifier, github_username (roster); roster_identifier,
 * student_repository_url (grades). Moodle: ID number, First name, Last name. Canvas: SIS User ID,
 * Student. */
static const char *const aliases[COLUMN_COUNT][10] = {
    [ID] = {"id", "studentid", "identifier", "rosteridentifier", "idnumber", "sisuserid", "userid",
            "username", "githubusername"},
    [NAME] = {"name", "fullname", "studentname", "student"},
    [FIRST_NAME] = {"firstname", "givenname"},
    [LAST_NAME] = {"lastname", "surname", "familyname"},
    [REPOSITORY] = {"repository", "repo", "url", "repositoryurl", "repourl", "giturl", "cloneurl",
                    "studentrepositoryurl", "git"},
    [REF] = {"ref", "branch", "tag", "commit"},
    [FOLDER] = {"folder", "subfolder", "directory", "subdirectory", "dir"},
    [ASSIGNMENT] = {"assignment"},
};

/* What is pasted from web pages has non-breaking spaces around it. */
static void trim_cell(char *cell) {
    static const char space[] = "\xc2\xa0";
    char *begin = cell, *end = cell + strlen(cell);
    while (*begin == ' ' || strncmp(begin, space, 2) == 0) {
        begin += *begin == ' ' ? 1 : 2;
    }
    while (end > begin &&
           (end[-1] == ' ' || (end - begin >= 2 && memcmp(end - 2, space, 2) == 0))) {
        end -= end[-1] == ' ' ? 1 : 2;
    }
    memmove(cell, begin, (size_t)(end - begin));
    cell[end - begin] = '\0';
}

static bool next_row(struct wg_csv *csv, struct wg_csv_row *row) {
    if (!wg_csv_next(csv, row)) {
        return false;
    }
    row->is_blank = true;
    for (size_t i = 0; i < row->count; i++) {
        trim_cell(row->cells[i]);
        row->is_blank &= row->cells[i][0] == '\0';
    }
    return true;
}

struct reading {
    struct wg_csv csv;
    struct wg_csv_row header;
    char **keys; /* of the header's cells: without spaces, signs and capitals */
    size_t at[COLUMN_COUNT];
    const char *template;
    struct wg_roster *out;
};

static char *make_key(const char *text, size_t len) {
    char *key = wg_calloc(len + 1, 1), *to = key;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (isalnum(c) || c >= 0x80) {
            *to++ = (char)tolower(c);
        }
    }
    return key;
}

static size_t find_key(const struct reading *reading, const char *key) {
    for (size_t i = 0; i < reading->header.count; i++) {
        if (strcmp(reading->keys[i], key) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static size_t find_column(const struct reading *reading, enum column column) {
    for (size_t a = 0; a < 10 && aliases[column][a] != NULL; a++) {
        size_t found = find_key(reading, aliases[column][a]);
        if (found != SIZE_MAX) {
            return found;
        }
    }
    return SIZE_MAX;
}

/* The header's cells for a message: "id, name, e-mail". */
static char *list_columns(const struct reading *reading) {
    WG_CLEANUP(wg_buf_done) struct wg_buf list = {0};
    for (size_t i = 0; i < reading->header.count && list.len < 120; i++) {
        wg_buf_printf(&list, "%s%s", i > 0 ? ", " : "", reading->header.cells[i]);
    }
    return wg_text_clean(wg_buf_str(&list), list.len, 120);
}

static enum wg_code check_twice(const struct reading *reading, struct wg_err *err) {
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        size_t first = reading->at[c];
        for (size_t i = first; first != SIZE_MAX && ++i < reading->header.count;) {
            if (strcmp(reading->keys[i], reading->keys[first]) == 0) {
                return wg_fail(err, WG_EPARSE, "line %zu: there are two columns '%.60s'",
                               reading->header.line, reading->header.cells[i]);
            }
        }
    }
    return WG_OK;
}

static enum wg_code read_header(struct reading *reading, struct wg_err *err) {
    do {
        wg_csv_row_done(&reading->header);
        if (!next_row(&reading->csv, &reading->header)) {
            return wg_fail(err, WG_EPARSE,
                           "the roster is empty: it needs a line with the names of "
                           "its columns (id, repository, ...)");
        }
    } while (reading->header.is_blank);
    reading->keys = wg_calloc(reading->header.count, sizeof *reading->keys);
    for (size_t i = 0; i < reading->header.count; i++) {
        reading->keys[i] = make_key(reading->header.cells[i], strlen(reading->header.cells[i]));
    }
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        reading->at[c] = find_column(reading, c);
    }
    WG_CLEANUP(wg_freep) char *columns = list_columns(reading);
    if (reading->at[ID] == SIZE_MAX) {
        return wg_fail(err, WG_EPARSE,
                       "line %zu: no column is called id (or identifier, "
                       "student_id, ...); there is %s",
                       reading->header.line, columns);
    }
    if (reading->at[REPOSITORY] == SIZE_MAX && reading->template == NULL) {
        return wg_fail(err, WG_EPARSE,
                       "line %zu: no column is called repository; there is %s. "
                       "--repository-template can make addresses of these",
                       reading->header.line, columns);
    }
    return check_twice(reading, err);
}

/* ---- Templates ---- */

/* What may go into an address as it is. No slash, and no part that begins with a dot or a dash:
 * cells come from students. */
static bool fits_address(const char *cell) {
    for (const char *p = cell; *p != '\0'; p++) {
        if (!isalnum((unsigned char)*p) && strchr("._-@+", *p) == NULL) {
            return false;
        }
    }
    return cell[0] != '.' && cell[0] != '-';
}

/* The next {COLUMN} from *at on, which moves behind it: its column's index (SIZE_MAX: none such),
 * and where it begins (*begin NULL: there is no further one). */
static size_t next_placeholder(const struct reading *reading, const char **at, const char **begin,
                               size_t *len) {
    *begin = strchr(*at, '{');
    const char *close = *begin != NULL ? strchr(*begin, '}') : NULL;
    if (close == NULL) {
        *begin = NULL;
        return SIZE_MAX;
    }
    *len = (size_t)(close - *begin) - 1;
    *at = close + 1;
    WG_CLEANUP(wg_freep) char *key = make_key(*begin + 1, *len);
    return find_key(reading, key);
}

static enum wg_code check_template(const struct reading *reading, struct wg_err *err) {
    const char *at = reading->template, *begin = NULL;
    size_t len = 0, count = 0;
    while (at != NULL) {
        size_t column = next_placeholder(reading, &at, &begin, &len);
        if (begin == NULL) {
            break;
        }
        if (column == SIZE_MAX) {
            WG_CLEANUP(wg_freep) char *columns = list_columns(reading);
            return wg_fail(err, WG_EINVAL, "the template names a column '%.*s'; there is %s",
                           (int)(len > 60 ? 60 : len), begin + 1, columns);
        }
        count++;
    }
    if (at != NULL && count == 0) {
        return wg_fail(err, WG_EINVAL,
                       "the template has no {COLUMN}: every row would be the same "
                       "repository");
    }
    return WG_OK;
}

/* ---- Rows ---- */

void wg_roster_add_problem(struct wg_roster *roster, size_t line, const char *text) {
    struct wg_roster_problem *all =
        wg_realloc(roster->problems, roster->problem_count + 1, sizeof *all);
    size_t at = roster->problem_count++;
    for (; at > 0 && all[at - 1].line > line; at--) {
        all[at] = all[at - 1];
    }
    all[at] = (struct wg_roster_problem){.line = line, .text = wg_strdup(text)};
    roster->problems = all;
}

static void add_problem(struct reading *reading, size_t line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void add_problem(struct reading *reading, size_t line, const char *fmt, ...) {
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    WG_CLEANUP(wg_freep) char *clean = wg_text_clean(text, strlen(text), 400);
    wg_roster_add_problem(reading->out, line, clean);
}

static const char *cell_of(const struct reading *reading, const struct wg_csv_row *row,
                           enum column column) {
    size_t at = reading->at[column];
    return at < row->count ? row->cells[at] : "";
}

static char *copy_cell(const struct reading *reading, const struct wg_csv_row *row,
                       enum column column) {
    const char *cell = cell_of(reading, row, column);
    return cell[0] != '\0' ? wg_text_clean(cell, strlen(cell), CELL_MOST_BYTES) : NULL;
}

/* NULL after a problem; "" when a cell that it is made of is empty. */
static char *fill_template(struct reading *reading, const struct wg_csv_row *row) {
    WG_CLEANUP(wg_buf_done) struct wg_buf filled = {0};
    const char *at = reading->template, *begin = NULL;
    for (;;) {
        const char *rest = at;
        size_t len = 0, column = next_placeholder(reading, &at, &begin, &len);
        if (begin == NULL) {
            wg_buf_puts(&filled, rest);
            return wg_strdup(wg_buf_str(&filled));
        }
        const char *cell = column < row->count ? row->cells[column] : "";
        if (cell[0] == '\0') {
            return wg_strdup("");
        }
        if (!fits_address(cell)) {
            add_problem(reading, row->line,
                        "'%.60s' in column '%.40s' cannot be part of an address", cell,
                        reading->header.cells[column]);
            return NULL;
        }
        wg_buf_add(&filled, rest, (size_t)(begin - rest));
        wg_buf_puts(&filled, cell);
    }
}

static char *find_repository(struct reading *reading, const struct wg_csv_row *row) {
    const char *cell = cell_of(reading, row, REPOSITORY);
    if (cell[0] != '\0' || reading->template == NULL) {
        return wg_text_clean(cell, strlen(cell), CELL_MOST_BYTES);
    }
    return fill_template(reading, row);
}

static char *find_name(const struct reading *reading, const struct wg_csv_row *row) {
    const char *first = cell_of(reading, row, FIRST_NAME);
    const char *last = cell_of(reading, row, LAST_NAME);
    if (cell_of(reading, row, NAME)[0] != '\0' || (first[0] == '\0' && last[0] == '\0')) {
        return copy_cell(reading, row, NAME);
    }
    WG_CLEANUP(wg_freep)
    char *both = wg_strf("%s%s%s", first, first[0] != '\0' && last[0] != '\0' ? " " : "", last);
    return wg_text_clean(both, strlen(both), CELL_MOST_BYTES);
}

static bool has_control(const char *text) {
    for (; *text != '\0'; text++) {
        if (iscntrl((unsigned char)*text)) {
            return true;
        }
    }
    return false;
}

static size_t used_cells(const struct wg_csv_row *row) {
    size_t count = row->count;
    while (count > 0 && row->cells[count - 1][0] == '\0') {
        count--;
    }
    return count;
}

/* False after a problem. */
static bool check_row(struct reading *reading, const struct wg_csv_row *row) {
    const char *id = cell_of(reading, row, ID);
    if (row->open_quote != 0) {
        add_problem(reading, row->line, "the quote in line %zu is never closed", row->open_quote);
    } else if (row->has_stray_text) {
        add_problem(reading, row->line, "there is text after a closing quote");
    } else if (used_cells(row) > reading->header.count) {
        add_problem(reading, row->line, "there are %zu cells for %zu columns", used_cells(row),
                    reading->header.count);
    } else if (id[0] == '\0') {
        add_problem(reading, row->line, "the cell '%.60s' is empty",
                    reading->header.cells[reading->at[ID]]);
    } else if (strlen(id) > ID_MOST_BYTES) {
        add_problem(reading, row->line, "the id is longer than %d bytes", ID_MOST_BYTES);
    } else if (has_control(id) || has_control(cell_of(reading, row, REPOSITORY))) {
        add_problem(reading, row->line,
                    "id and repository must not hold line breaks or other "
                    "control characters");
    } else if (wg_path_climbs(cell_of(reading, row, FOLDER))) {
        add_problem(reading, row->line,
                    "the folder '%.100s' leads out of the repository: name it from the top, "
                    "without '..'",
                    cell_of(reading, row, FOLDER));
    } else {
        return true;
    }
    return false;
}

static void take_row(struct reading *reading, const struct wg_csv_row *row) {
    if (!check_row(reading, row)) {
        return;
    }
    char *repository = find_repository(reading, row);
    if (repository == NULL) {
        return;
    }
    struct wg_roster *out = reading->out;
    out->rows = wg_realloc(out->rows, out->row_count + 1, sizeof *out->rows);
    out->rows[out->row_count++] = (struct wg_roster_row){
        .line = row->line,
        .id = copy_cell(reading, row, ID),
        .repository = repository,
        .name = find_name(reading, row),
        .ref = copy_cell(reading, row, REF),
        .folder = copy_cell(reading, row, FOLDER),
        .assignment = copy_cell(reading, row, ASSIGNMENT),
    };
}

static void row_done(struct wg_roster_row *row) {
    free(row->id);
    free(row->repository);
    free(row->name);
    free(row->ref);
    free(row->folder);
    free(row->assignment);
}

/* ---- Duplicates ---- */

static int compare_work(const struct wg_roster_row *a, const struct wg_roster_row *b) {
    int order = strcmp(a->id, b->id);
    return order != 0 ? order
                      : strcmp(a->assignment != NULL ? a->assignment : "",
                               b->assignment != NULL ? b->assignment : "");
}

static int compare_rows(const void *left, const void *right) {
    const struct wg_roster_row *a = *(const struct wg_roster_row *const *)left;
    const struct wg_roster_row *b = *(const struct wg_roster_row *const *)right;
    int order = compare_work(a, b);
    return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

/* The first row with an id stays; which of them is meant is for people to say. */
static void drop_duplicates(struct reading *reading) {
    struct wg_roster *out = reading->out;
    WG_CLEANUP(wg_freep)
    struct wg_roster_row **sorted = wg_calloc(out->row_count + 1, sizeof *sorted);
    for (size_t i = 0; i < out->row_count; i++) {
        sorted[i] = &out->rows[i];
    }
    qsort((void *)sorted, out->row_count, sizeof *sorted, compare_rows);
    for (size_t i = 1, first = 0; i < out->row_count; i++) {
        if (compare_work(sorted[first], sorted[i]) != 0) {
            first = i;
            continue;
        }
        add_problem(reading, sorted[i]->line, "the id '%.100s' is in line %zu already",
                    sorted[i]->id, sorted[first]->line);
        sorted[i]->line = 0; /* marked; removed below */
    }
    size_t kept = 0;
    for (size_t i = 0; i < out->row_count; i++) {
        if (out->rows[i].line == 0) {
            row_done(&out->rows[i]);
        } else {
            out->rows[kept++] = out->rows[i];
        }
    }
    out->row_count = kept;
}

/* ---- All of it ---- */

static enum wg_code check_text(const char *text, size_t bytes, struct wg_err *err) {
    if (bytes > WG_ROSTER_LIMIT_BYTES) {
        return wg_fail(err, WG_ELIMIT, "the roster has more than %zu bytes", WG_ROSTER_LIMIT_BYTES);
    }
    return wg_encoding_check_csv("the roster", text, bytes, err);
}

static enum wg_code read_rows(struct reading *reading, struct wg_err *err) {
    struct wg_csv_row row = {0};
    while (next_row(&reading->csv, &row)) {
        if (!row.is_blank || row.open_quote != 0) {
            take_row(reading, &row);
        }
        wg_csv_row_done(&row);
        if (reading->out->row_count + reading->out->problem_count > WG_ROSTER_LIMIT_ROWS) {
            return wg_fail(err, WG_ELIMIT, "the roster has more than %zu rows",
                           WG_ROSTER_LIMIT_ROWS);
        }
    }
    drop_duplicates(reading);
    return WG_OK;
}

static void reading_done(struct reading *reading) {
    for (size_t i = 0; reading->keys != NULL && i < reading->header.count; i++) {
        free(reading->keys[i]);
    }
    free((void *)reading->keys);
    wg_csv_row_done(&reading->header);
}

enum wg_code wg_roster_parse(const char *text, size_t bytes, const char *repository_template,
                             struct wg_roster *out, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf utf8 = {0};
    struct wg_roster roster = {0};
    WG_CLEANUP(reading_done)
    struct reading reading = {.template = repository_template, .out = &roster};
    enum wg_code code = check_text(text, bytes, err);
    if (code != WG_OK) {
        return code;
    }
    wg_encoding_to_utf8(&utf8, text, bytes);
    wg_csv_open(&reading.csv, wg_buf_str(&utf8), utf8.len);
    code = read_header(&reading, err);
    code = code != WG_OK ? code : check_template(&reading, err);
    code = code != WG_OK ? code : read_rows(&reading, err);
    if (code != WG_OK) {
        wg_roster_done(&roster);
        return code;
    }
    *out = roster;
    return WG_OK;
}

void wg_roster_done(struct wg_roster *roster) {
    for (size_t i = 0; i < roster->row_count; i++) {
        row_done(&roster->rows[i]);
    }
    for (size_t i = 0; i < roster->problem_count; i++) {
        free(roster->problems[i].text);
    }
    free(roster->rows);
    free(roster->problems);
    *roster = (struct wg_roster){0};
}
