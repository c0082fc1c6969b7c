#include "grader/base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die_of_memory(void) {
    /* No stdio: it may want memory too. The result of a last word does not matter. */
    fputs("wavegrade: out of memory\n", stderr);
    abort();
}

void *wg_realloc(void *old, size_t count, size_t size) {
    /* realloc(p, 0) may free p and return NULL; one byte keeps the pointer meaningful. */
    void *grown = count == 0 || size == 0 ? realloc(old, 1) : reallocarray(old, count, size);
    if (grown == NULL) {
        die_of_memory();
    }
    return grown;
}

void *wg_calloc(size_t count, size_t size) {
    void *zeroed = calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);
    if (zeroed == NULL) {
        die_of_memory();
    }
    return zeroed;
}

char *wg_strdup(const char *text) {
    char *copy = strdup(text);
    if (copy == NULL) {
        die_of_memory();
    }
    return copy;
}

void wg_buf_done(struct wg_buf *buf) {
    if (buf != NULL) {
        free(buf->data);
        *buf = (struct wg_buf){0};
    }
}

void wg_buf_clear(struct wg_buf *buf) {
    buf->len = 0;
    if (buf->data != NULL) {
        buf->data[0] = '\0';
    }
}

/* Makes room for len more bytes and the NUL behind them. */
static void reserve(struct wg_buf *buf, size_t len) {
    if (len >= SIZE_MAX / 4 - buf->len) {
        die_of_memory();
    }
    size_t need = buf->len + len + 1;
    if (need <= buf->cap) {
        return;
    }
    size_t cap = buf->cap < 64 ? 64 : buf->cap;
    while (cap < need) {
        cap += cap / 2;
    }
    buf->data = wg_realloc(buf->data, cap, 1);
    buf->cap = cap;
}

void wg_buf_add(struct wg_buf *buf, const void *bytes, size_t len) {
    reserve(buf, len);
    if (len != 0) {
        memcpy(buf->data + buf->len, bytes, len);
    }
    buf->len += len;
    buf->data[buf->len] = '\0';
}

void wg_buf_puts(struct wg_buf *buf, const char *text) {
    wg_buf_add(buf, text, strlen(text));
}

static __attribute__((format(printf, 2, 0))) void add_formatted(struct wg_buf *buf, const char *fmt,
                                                                va_list args) {
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, fmt, args);
    if (len < 0) {
        abort(); /* a broken format is a bug of ours */
    }
    reserve(buf, (size_t)len);
    vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, again);
    va_end(again);
    buf->len += (size_t)len;
}

void wg_buf_printf(struct wg_buf *buf, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    add_formatted(buf, fmt, args);
    va_end(args);
}

const char *wg_buf_str(const struct wg_buf *buf) {
    return buf->data == NULL ? "" : buf->data;
}

char *wg_strf(const char *fmt, ...) {
    struct wg_buf buf = {0};
    va_list args;
    va_start(args, fmt);
    add_formatted(&buf, fmt, args);
    va_end(args);
    return buf.data;
}
