#include "grader/base/csv.h"

#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/text.h"

enum { CELLS_MOST = 1000 }; /* a row; more of them are no roster and would only cost memory */

static bool starts_with(const struct wg_csv *csv, const char *text) {
    size_t len = strlen(text);
    return (size_t)(csv->end - csv->at) >= len && memcmp(csv->at, text, len) == 0;
}

/* The candidate that the first line has most of, outside quotes; a comma when it has none. */
static char guess_separator(const struct wg_csv *csv) {
    static const char candidates[] = {',', ';', '\t'};
    size_t counts[sizeof candidates] = {0};
    bool is_quoted = false;
    for (const char *p = csv->at; p < csv->end && (is_quoted || (*p != '\n' && *p != '\r')); p++) {
        is_quoted ^= *p == '"';
        for (size_t i = 0; i < sizeof candidates && !is_quoted; i++) {
            counts[i] += *p == candidates[i];
        }
    }
    size_t best = 0;
    for (size_t i = 1; i < sizeof candidates; i++) {
        best = counts[i] > counts[best] ? i : best;
    }
    return candidates[best];
}

static bool take_line_end(struct wg_csv *csv) {
    bool is_pair = starts_with(csv, "\r\n");
    if (csv->at == csv->end || (*csv->at != '\n' && *csv->at != '\r')) {
        return false;
    }
    csv->at += is_pair ? 2 : 1;
    csv->line++;
    return true;
}

void wg_csv_open(struct wg_csv *csv, const char *text, size_t bytes) {
    *csv = (struct wg_csv){.at = text, .end = text + bytes, .line = 1};
    if (starts_with(csv, "\xef\xbb\xbf")) {
        csv->at += 3;
    }
    /* What spreadsheets write to tell each other the separator. */
    if (starts_with(csv, "sep=") && csv->end - csv->at > 5 &&
        (csv->at[5] == '\n' || csv->at[5] == '\r')) {
        csv->separator = csv->at[4];
        csv->at += 5;
        take_line_end(csv);
        return;
    }
    csv->separator = guess_separator(csv);
}

static bool is_space(const struct wg_csv *csv, char c) {
    return (c == ' ' || c == '\t') && c != csv->separator;
}

static void skip_spaces(struct wg_csv *csv) {
    while (csv->at < csv->end && is_space(csv, *csv->at)) {
        csv->at++;
    }
}

static bool is_cell_end(const struct wg_csv *csv) {
    return csv->at == csv->end || *csv->at == csv->separator || *csv->at == '\n' ||
           *csv->at == '\r';
}

static void read_quoted(struct wg_csv *csv, struct wg_buf *cell, struct wg_csv_row *row) {
    size_t opened = csv->line;
    csv->at++;
    while (csv->at < csv->end) {
        if (starts_with(csv, "\"\"")) {
            wg_buf_add(cell, "\"", 1);
            csv->at += 2;
        } else if (*csv->at == '"') {
            csv->at++;
            return;
        } else if (take_line_end(csv)) {
            wg_buf_add(cell, "\n", 1);
        } else {
            wg_buf_add(cell, csv->at++, 1);
        }
    }
    row->open_quote = opened;
}

static char *read_cell(struct wg_csv *csv, struct wg_csv_row *row) {
    struct wg_buf cell = {0};
    skip_spaces(csv);
    if (csv->at < csv->end && *csv->at == '"') {
        read_quoted(csv, &cell, row);
        skip_spaces(csv);
        row->has_stray_text |= !is_cell_end(csv);
    }
    while (!is_cell_end(csv)) {
        wg_buf_add(&cell, csv->at++, 1);
    }
    while (cell.len > 0 && strchr(" \t\n", cell.data[cell.len - 1]) != NULL) {
        cell.data[--cell.len] = '\0';
    }
    return cell.data != NULL ? cell.data : wg_strdup("");
}

bool wg_csv_next(struct wg_csv *csv, struct wg_csv_row *out) {
    if (csv->at == csv->end) {
        return false;
    }
    struct wg_csv_row row = {.line = csv->line, .is_blank = true};
    bool has_more = true;
    while (has_more) {
        char *cell = read_cell(csv, &row);
        row.is_blank &= cell[0] == '\0';
        if (row.count < CELLS_MOST) {
            row.cells = wg_realloc(row.cells, row.count + 1, sizeof *row.cells);
            row.cells[row.count++] = cell;
        } else {
            free(cell);
        }
        has_more = csv->at < csv->end && *csv->at == csv->separator;
        csv->at += has_more ? 1 : 0;
    }
    take_line_end(csv);
    *out = row;
    return true;
}

void wg_csv_row_done(struct wg_csv_row *row) {
    for (size_t i = 0; i < row->count; i++) {
        free(row->cells[i]);
    }
    free(row->cells);
    *row = (struct wg_csv_row){0};
}

static bool is_number(const char *cell) {
    char *end = NULL;
    strtod(cell, &end);
    return end > cell && *end == '\0' && strspn(cell, "+-.0123456789eE") == strlen(cell);
}

void wg_csv_put(struct wg_buf *out, bool first, const char *cell) {
    if (!first) {
        wg_buf_puts(out, ",");
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    if (cell && *cell && strchr("=+-@\t\r\n|", *cell) && !is_number(cell)) {
        wg_buf_puts(&clean, "'");
    }
    wg_text_terminal(&clean, cell ? cell : "", cell ? strlen(cell) : 0, true);
    const char *text = wg_buf_str(&clean);
    if (!strpbrk(text, ",;\"\n\t ")) {
        wg_buf_puts(out, text);
        return;
    }
    wg_buf_puts(out, "\"");
    for (; *text; text++) {
        wg_buf_add(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    }
    wg_buf_puts(out, "\"");
}

void wg_csv_end(struct wg_buf *out) {
    wg_buf_puts(out, "\r\n");
}
