/* Excerpts of the student's source: the faulty lines with line numbers, a caret under the place and
 * a label beside it.
 *
 *      4 |     int i = blockIdx.x * blockDim.x + threadIdx.x;
 *   >  5 |     c[i] = a[i] + b[i];
 *        |     ^~~~ writes c[1000]
 *
 * Columns count bytes from 1, as clang does; what is printed may be wider (tabs, escaped bytes), so
 * the caret's place is measured on the printed text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/text.h"
#include "grader/export/page.h"

#define CONTEXT_BEFORE 2
#define CONTEXT_AFTER  1
#define TAB_COLUMNS    4

struct span {
    const char *text;
    size_t len;
};

/* The line that *rest starts with, without its end; moves *rest behind it. False at the end. */
static bool next_line(const char **rest, struct span *out) {
    if (**rest == '\0') {
        return false;
    }
    out->text = *rest;
    out->len = strcspn(*rest, "\n");
    *rest += out->len + ((*rest)[out->len] == '\n');
    if (out->len && out->text[out->len - 1] == '\r') {
        out->len--;
    }
    return true;
}

static void expand_tabs(struct span line, struct wg_buf *out) {
    for (size_t i = 0; i < line.len; i++) {
        if (line.text[i] != '\t') {
            wg_buf_add(out, line.text + i, 1);
            continue;
        }
        do {
            wg_buf_puts(out, " ");
        } while (out->len % TAB_COLUMNS);
    }
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

size_t wg_page_thing_length(const char *at, size_t len) {
    size_t end = 0;
    while (end < len && is_word(at[end])) {
        end++;
    }
    if (end == 0) {
        return 1;
    }
    while (end < len && (at[end] == '[' || at[end] == '(')) {
        size_t close = end;
        int depth = 0;
        do {
            depth += at[close] == '[' || at[close] == '(';
            depth -= at[close] == ']' || at[close] == ')';
            close++;
        } while (close < len && depth > 0);
        if (depth > 0) {
            break;
        }
        end = close;
    }
    return end;
}

static void put_underline(const struct wg_page *page, const struct wg_page_mark *mark,
                          struct span line) {
    WG_CLEANUP(wg_buf_done) struct wg_buf before = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf thing = {0};
    size_t column = mark->column > 0 ? (size_t)mark->column - 1 : strspn(line.text, " \t");
    if (column > line.len) {
        column = line.len;
    }
    size_t len = mark->column > 0 ? wg_page_thing_length(line.text + column, line.len - column)
                                  : line.len - column;
    if (len > line.len - column) {
        len = line.len - column;
    }
    expand_tabs((struct span){line.text, column}, &before);
    expand_tabs((struct span){line.text + column, len}, &thing);
    int at = wg_page_width(wg_buf_str(&before), before.len);
    int wide = wg_page_width(wg_buf_str(&thing), thing.len);
    wg_page_put(page, WG_INK_DIM, "       | ");
    wg_page_put(page, WG_INK_PLAIN, "%*s", at, "");
    wg_page_put(page, mark->ink, "^");
    for (int i = 1; i < wide && at + i < page->columns - 9; i++) {
        wg_page_put(page, mark->ink, "~");
    }
    if (!mark->label) {
        wg_page_newline(page);
        return;
    }
    int end = 9 + at + (wide > 0 ? wide : 1) + 1;
    if (end + wg_page_width(mark->label, strlen(mark->label)) <= page->columns) {
        wg_page_put(page, WG_INK_PLAIN, " ");
        wg_page_quote(page, mark->ink, mark->label);
        wg_page_newline(page);
    } else {
        wg_page_newline(page);
        wg_page_paragraph(page, 9, mark->ink, mark->label);
    }
}

/* A line longer than the page is cut: the rest would wrap and part the caret from its place. */
static void put_source_line(const struct wg_page *page, int number, bool marked, struct span line) {
    WG_CLEANUP(wg_buf_done) struct wg_buf wide = {0};
    expand_tabs(line, &wide);
    size_t room = page->columns > 12 ? (size_t)page->columns - 12 : 1;
    bool cut = wide.len > room;
    WG_CLEANUP(wg_freep) char *shown = wg_strdup(wg_buf_str(&wide));
    if (cut) {
        while (room > 1 && ((unsigned char)shown[room] & 0xc0) == 0x80) {
            room--;
        }
        shown[room] = '\0';
    }
    wg_page_put(page, marked ? WG_INK_RED : WG_INK_DIM, "%s", marked ? "  >" : "   ");
    wg_page_put(page, WG_INK_DIM, "%4d | ", number);
    wg_page_quote(page, marked ? WG_INK_BOLD : WG_INK_PLAIN, shown);
    wg_page_put(page, WG_INK_DIM, "%s\n", cut ? "..." : "");
}

void wg_page_source(const struct wg_page *page, const char *source,
                    const struct wg_page_mark *marks, size_t count) {
    if (!source) {
        return;
    }
    if (strncmp(source, "\xef\xbb\xbf", 3) == 0) {
        source += 3; /* a byte order mark belongs to no line */
    }
    int last = 0;
    struct span line;
    for (int number = 1; next_line(&source, &line); number++) {
        bool near = false;
        bool marked = false;
        for (size_t i = 0; i < count; i++) {
            near = near || (number >= marks[i].line - CONTEXT_BEFORE &&
                            number <= marks[i].line + CONTEXT_AFTER);
            marked = marked || number == marks[i].line;
        }
        if (!near) {
            continue;
        }
        if (last && number > last + 1) {
            wg_page_put(page, WG_INK_DIM, "   ... |\n");
        }
        put_source_line(page, number, marked, line);
        for (size_t i = 0; i < count; i++) {
            if (marks[i].line == number) {
                put_underline(page, &marks[i], line);
            }
        }
        last = number;
    }
}
