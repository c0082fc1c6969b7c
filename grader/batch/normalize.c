#include "grader/batch/normalize.h"

#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/text.h"

/* Each takes what begins at *at; bytes of an unfinished one end with the source. */

static void skip_line_comment(const char **at, const char *end) {
    while (*at < end && **at != '\n') {
        /* A backslash at the end of a line carries the comment on. */
        *at += **at == '\\' && *at + 1 < end ? 2 : 1;
    }
}

static void skip_block_comment(const char **at, const char *end) {
    const char *close = memmem(*at + 2, (size_t)(end - *at) - 2, "*/", 2);
    *at = close != NULL ? close + 2 : end;
}

static void keep_literal(const char **at, const char *end, struct wg_buf *out) {
    const char quote = **at;
    const char *begin = (*at)++;
    while (*at < end && **at != quote && **at != '\n') {
        *at += **at == '\\' && *at + 1 < end ? 2 : 1;
    }
    *at += *at < end ? 1 : 0;
    wg_buf_add(out, begin, (size_t)(*at - begin));
}

void wg_normalize_digest(const char *source, size_t len, char out[65]) {
    WG_CLEANUP(wg_buf_done) struct wg_buf kept = {0};
    const char *at = source, *end = source + len;
    while (at < end) {
        bool has_next = end - at > 1;
        if (has_next && at[0] == '/' && at[1] == '/') {
            skip_line_comment(&at, end);
        } else if (has_next && at[0] == '/' && at[1] == '*') {
            skip_block_comment(&at, end);
        } else if (*at == '"' || *at == '\'') {
            keep_literal(&at, end, &kept);
        } else {
            if (strchr(" \t\r\n\f\v", *at) == NULL) {
                wg_buf_add(&kept, at, 1);
            }
            at++;
        }
    }
    out[0] = '\0';
    if (kept.len > 0) {
        wg_text_sha256_hex(kept.data, kept.len, out);
    }
}
