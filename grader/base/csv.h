/* Lines of cells, as spreadsheets write and read them.
 *
 * Reading is bounded by the text; quoted cells may hold separators, line breaks and doubled quotes.
 * A struct wg_csv borrows the text; a row owns its cells. */
#ifndef WG_BASE_CSV_H
#define WG_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/base/buf.h"

struct wg_csv {
    const char *at, *end;
    char separator;
    size_t line; /* of what is read next, from 1 */
};

struct wg_csv_row {
    size_t line;  /* where it begins */
    char **cells; /* without spaces around them */
    size_t count;
    bool is_blank;       /* all cells are empty */
    size_t open_quote;   /* a quote that is never closed begins in this line; 0: none */
    bool has_stray_text; /* text follows a closing quote */
};

/* Skips a byte order mark and a line "sep=;", and guesses the separator from the first line. */
void wg_csv_open(struct wg_csv *csv, const char *text, size_t bytes);

/* False at the end. */
bool wg_csv_next(struct wg_csv *csv, struct wg_csv_row *out);
void wg_csv_row_done(struct wg_csv_row *row);

/* Writing: cells with commas between them, a line end after the last; first: no comma before it.
 * A cell that a spreadsheet would take for a formula (=, +, -, @, tab, return) gets a ' before it,
 * unless it is a number; control characters become visible. NULL is an empty cell. */
void wg_csv_put(struct wg_buf *out, bool first, const char *cell);
void wg_csv_end(struct wg_buf *out);

#endif
