/* Rosters: who is in the class and where their repositories are, as spreadsheets, learning
 * platforms and GitHub Classroom export it.
 *
 * Comma, semicolon or tab separated, with a header line; BOM, CRLF and quoted cells (with line
 * breaks in them) are understood, columns come in any order, others are passed over. Every row
 * that cannot be used is a problem with its line number; the rest stays usable, and the caller
 * decides. A struct wg_roster owns its contents. */
#ifndef WG_BATCH_ROSTER_H
#define WG_BATCH_ROSTER_H

#include <stddef.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"

#define WG_ROSTER_LIMIT_BYTES ((size_t)16 << 20)
#define WG_ROSTER_LIMIT_ROWS  ((size_t)100000)

struct wg_roster_row {
    size_t line;      /* where the row begins in the file, from 1 */
    char *id;         /* unique together with the assignment */
    char *repository; /* as in the file, or made from the template; "": the student has none yet */
    char *name, *ref, *folder,
        *assignment; /* NULL: the cell is empty, or there is no such column */
};

struct wg_roster_problem {
    size_t line;
    char *text; /* a sentence without final period; clean UTF-8 */
};

struct wg_roster {
    struct wg_roster_row *rows; /* in the file's order */
    size_t row_count;
    struct wg_roster_problem *problems; /* in the file's order */
    size_t problem_count;
};

/* repository_template (NULL: none) makes the repository of a row that has none:
 * "https://github.com/ORG/hw1-{github_username}.git", where {COLUMN} is a cell of that row. Errors:
 * WG_EPARSE when the file as a whole cannot be used (no header, no column for ids, neither a column
 * for repositories nor a template), WG_EINVAL for the template, WG_ELIMIT. */
enum wg_code wg_roster_parse(const char *text, size_t bytes, const char *repository_template,
                             struct wg_roster *out, struct wg_err *err);
/* Takes a copy of text; problems stay in the file's order. */
void wg_roster_add_problem(struct wg_roster *roster, size_t line, const char *text);
void wg_roster_done(struct wg_roster *roster);

#endif
