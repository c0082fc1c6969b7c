#include "grader/base/encoding.h"

#include <stdbool.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/text.h"

static bool begins(const char *bytes, size_t len, const char *mark, size_t mark_len) {
    return len >= mark_len && memcmp(bytes, mark, mark_len) == 0;
}

/* Of text in Western letters every other byte is NUL in UTF-16, and three of four in UTF-32. */
const char *wg_encoding_wide(const char *bytes, size_t len) {
    if (begins(bytes, len, "\xff\xfe\0\0", 4) || begins(bytes, len, "\0\0\xfe\xff", 4)) {
        return "UTF-32";
    }
    if (begins(bytes, len, "\xff\xfe", 2) || begins(bytes, len, "\xfe\xff", 2)) {
        return "UTF-16";
    }
    size_t nuls[4] = {0};
    for (size_t i = 0; i < len; i++) {
        nuls[i % 4] += bytes[i] == '\0' ? 1 : 0;
    }
    size_t letters = len / 4;
    bool is_little = nuls[0] == 0, is_big = nuls[3] == 0 && nuls[0] > 0;
    size_t high = is_little ? nuls[3] : is_big ? nuls[0] : 0;
    size_t middle = is_little ? nuls[2] : is_big ? nuls[1] : 0;
    if (letters > 0 && high == letters && middle > letters / 2) {
        return "UTF-32";
    }
    size_t even = nuls[0] + nuls[2], odd = nuls[1] + nuls[3];
    return (even == 0 && odd > letters) || (odd == 0 && even > letters) ? "UTF-16" : NULL;
}

enum wg_code wg_encoding_check_csv(const char *what, const char *bytes, size_t len,
                                   struct wg_err *err) {
    const char *wide = wg_encoding_wide(bytes, len);
    if (wide != NULL) {
        return wg_fail(err, WG_EPARSE, "%s is %s: save it as CSV (UTF-8)", what, wide);
    }
    if (begins(bytes, len, "PK", 2)) {
        return wg_fail(err, WG_EPARSE, "%s is a spreadsheet or an archive: save it as CSV", what);
    }
    if (len > 0 && memchr(bytes, '\0', len) != NULL) {
        return wg_fail(err, WG_EPARSE, "%s is not a text file", what);
    }
    return WG_OK;
}

void wg_encoding_to_utf8(struct wg_buf *out, const char *bytes, size_t len) {
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    wg_text_utf8(&clean, bytes, len);
    if (clean.len == len && (len == 0 || memcmp(clean.data, bytes, len) == 0)) {
        wg_buf_add(out, bytes, len);
        return;
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        char pair[2] = {(char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f))};
        wg_buf_add(out, c < 0x80 ? &bytes[i] : pair, c < 0x80 ? 1 : 2);
    }
}
