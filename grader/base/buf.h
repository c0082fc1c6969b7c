/* A growing byte buffer, always NUL-terminated so that it can be used as a string.
 *
 * The struct owns its bytes; {0} is a valid empty buffer; wg_buf_done frees the contents. Appending
 * aborts the process when memory is exhausted: nothing sensible can be graded after that, and the
 * caller (batch) runs gradings that survive a dead child. */
#ifndef WG_BASE_BUF_H
#define WG_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

struct wg_buf {
    char *data; /* NULL only while nothing was ever appended */
    size_t len;
    size_t cap;
};

void wg_buf_done(struct wg_buf *buf);
void wg_buf_clear(struct wg_buf *buf);
void wg_buf_add(struct wg_buf *buf, const void *bytes, size_t len);
void wg_buf_puts(struct wg_buf *buf, const char *text);
void wg_buf_printf(struct wg_buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The contents as a string; "" for an empty buffer. Valid until the next append. */
const char *wg_buf_str(const struct wg_buf *buf);

/* Heap string from a format; never NULL (aborts when memory is exhausted). The caller frees. */
char *wg_strf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *wg_strdup(const char *text);
void *wg_calloc(size_t count, size_t size);
void *wg_realloc(void *old, size_t count, size_t size);

#endif
