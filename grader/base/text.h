/* Student-made text is hostile: one escaper for each place it is printed to.
 *
 * All take any bytes, including invalid UTF-8 (each bad byte becomes U+FFFD or a visible escape)
 * and append to out. */
#ifndef WG_BASE_TEXT_H
#define WG_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/base/buf.h"

/* For a terminal or a log: control characters, escape sequences and bidirectional overrides become
 * visible ("\x1b"); newline and tab pass only when multiline is true. */
void wg_text_terminal(struct wg_buf *out, const char *bytes, size_t len, bool multiline);

/* Valid UTF-8 with the same bytes where they were valid and U+FFFD elsewhere; NUL becomes U+FFFD.
 * For JSON strings handed to the JSON library. */
void wg_text_utf8(struct wg_buf *out, const char *bytes, size_t len);

/* Heap copy for fields of results: wg_text_utf8, cut to at most limit_bytes (at a character, with
 * "..." when cut). The caller frees. */
char *wg_text_clean(const char *bytes, size_t len, size_t limit_bytes);

/* Nearest of the candidates by edit distance, or NULL when none is near: for "did you mean". */
const char *wg_text_nearest(const char *word, const char *const *candidates, size_t count);

/* Lower-case hex SHA-256 of bytes into out. */
void wg_text_sha256_hex(const void *bytes, size_t len, char out[65]);

#endif
