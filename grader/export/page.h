/* Writing lines of text for a terminal: wrapping, colour, and escaping of what students wrote.
 *
 * Private to the text report. A page borrows its buffer and style. */
#ifndef WG_EXPORT_PAGE_H
#define WG_EXPORT_PAGE_H

#include "grader/export/export.h"

enum wg_ink { WG_INK_PLAIN, WG_INK_BOLD, WG_INK_DIM, WG_INK_RED, WG_INK_GREEN, WG_INK_YELLOW };

struct wg_page {
    struct wg_buf *out;
    const struct wg_text_style *style;
    int columns;
};

/* Our own words, no wrapping. */
void wg_page_put(const struct wg_page *page, enum wg_ink ink, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Any text on one line, escaped. NULL prints nothing. */
void wg_page_quote(const struct wg_page *page, enum wg_ink ink, const char *text);

/* Any text, escaped and broken between words; every line starts at column `indent`. */
void wg_page_paragraph(const struct wg_page *page, int indent, enum wg_ink ink, const char *text);

/* The same behind a mark of ours, lines aligned with the first. */
void wg_page_item(const struct wg_page *page, enum wg_ink mark_ink, const char *mark,
                  const char *text);

void wg_page_newline(const struct wg_page *page);

/* An empty line, a title, and what is to be known at once beside it (NULL-able). */
void wg_page_heading(const struct wg_page *page, const char *title, const char *beside);

/* Columns that text takes on a terminal once it is escaped. */
int wg_page_width(const char *text, size_t len);

/* The student's source around up to two places, each underlined with a label. */
struct wg_page_mark {
    int line, column;  /* column 0: not known */
    const char *label; /* any text, or NULL */
    enum wg_ink ink;
};
void wg_page_source(const struct wg_page *page, const char *source,
                    const struct wg_page_mark *marks, size_t count);

/* How many bytes from `at` make one thing to point at: a name with its index or call, or one
 * character. */
size_t wg_page_thing_length(const char *at, size_t len);

/* Parts of the report that are mostly numbers. */
void wg_page_timing(const struct wg_page *page, const struct wg_result *result);
void wg_page_counters(const struct wg_page *page, const struct wg_result *result);
void wg_page_resources(const struct wg_page *page, const struct wg_result *result);
void wg_page_score(const struct wg_page *page, const struct wg_result *result);

/* "n=1000" or "m=17 n=33 k=5"; between: what parts them (no blank where a line must not break). */
void wg_page_dims(struct wg_buf *out, char *const names[], const int64_t values[], size_t count,
                  const char *between);

#endif
