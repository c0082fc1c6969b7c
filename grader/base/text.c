#include "grader/base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Decodes one character; returns its length, or 0 when the byte starts none (overlong forms,
 * surrogates and values above U+10FFFF are none). */
static size_t decode_utf8(const unsigned char *bytes, size_t len, uint32_t *out) {
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = bytes[0];
    size_t size = lead < 0x80                    ? 1
                  : lead >= 0xc2 && lead <= 0xdf ? 2
                  : (lead & 0xf0) == 0xe0        ? 3
                  : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                 : 0;
    if (size == 0 || size > len) {
        return 0;
    }
    uint32_t value = size == 1 ? lead : lead & (0x7fU >> size);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (value < least[size] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
        return 0;
    }
    *out = value;
    return size;
}

/* Characters that a terminal or an editor acts on, or that make text look different from what it
 * is. U+200C and U+200D stay: ordinary words of several languages need them. */
static bool is_deceptive(uint32_t c) {
    static const uint32_t ranges[][2] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x061c, 0x061c},
        {0x180e, 0x180e}, {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},
        {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (c >= ranges[i][0] && c <= ranges[i][1]) {
            return true;
        }
    }
    return false;
}

void wg_text_terminal(struct wg_buf *out, const char *bytes, size_t len, bool multiline) {
    const unsigned char *at = (const unsigned char *)bytes;
    while (len > 0) {
        uint32_t c = 0;
        size_t size = decode_utf8(at, len, &c);
        if (size == 0) {
            wg_buf_printf(out, "\\x%02x", at[0]);
            size = 1;
        } else if (multiline && (c == '\n' || c == '\t')) {
            wg_buf_add(out, at, 1);
        } else if (multiline && c == '\r' && len > 1 && at[1] == '\n') {
            /* a line end of another system, not a trick */
        } else if (is_deceptive(c)) {
            wg_buf_printf(out, c < 0x80 ? "\\x%02x" : "\\u{%04x}", c);
        } else {
            wg_buf_add(out, at, size);
        }
        at += size;
        len -= size;
    }
    wg_buf_add(out, "", 0);
}

void wg_text_utf8(struct wg_buf *out, const char *bytes, size_t len) {
    const unsigned char *at = (const unsigned char *)bytes;
    while (len > 0) {
        uint32_t c = 0;
        size_t size = decode_utf8(at, len, &c);
        if (size == 0 || c == 0) {
            wg_buf_puts(out, replacement);
            size = 1;
        } else {
            wg_buf_add(out, at, size);
        }
        at += size;
        len -= size;
    }
    wg_buf_add(out, "", 0);
}

char *wg_text_clean(const char *bytes, size_t len, size_t limit_bytes) {
    static const char ellipsis[] = "...";
    struct wg_buf clean = {0};
    /* A bad byte grows to three, never more: nothing past the limit can be needed. */
    wg_text_utf8(&clean, bytes, len > limit_bytes && len - limit_bytes > 4 ? limit_bytes + 4 : len);
    if (clean.len > limit_bytes) {
        size_t keep = limit_bytes < 3 ? 0 : limit_bytes - 3;
        while (keep > 0 && ((unsigned char)clean.data[keep] & 0xc0) == 0x80) {
            keep--;
        }
        clean.len = keep;
        clean.data[keep] = '\0';
        wg_buf_add(&clean, ellipsis, limit_bytes < 3 ? limit_bytes : 3);
    }
    return clean.data;
}

static size_t least_of(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Edit distance (insert, delete, replace, swap neighbours), blind to case. Words here are names
 * that people typed; longer ones are cut. */
static size_t edit_distance(const char *a, const char *b) {
    enum { MAX = 63 };
    size_t len_a = strnlen(a, MAX), len_b = strnlen(b, MAX);
    size_t rows[3][MAX + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    memset(rows, 0, sizeof rows);
    for (size_t j = 0; j <= len_b; j++) {
        last[j] = j;
    }
    for (size_t i = 1; i <= len_a; i++) {
        now[0] = i;
        for (size_t j = 1; j <= len_b; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            now[j] = least_of(least_of(last[j], now[j - 1]) + 1, last[j - 1] + (ca != cb));
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2])) {
                now[j] = least_of(now[j], before[j - 2] + 1);
            }
        }
        size_t *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[len_b];
}

const char *wg_text_nearest(const char *word, const char *const *candidates, size_t count) {
    const char *nearest = NULL;
    size_t nearest_distance = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, candidates[i]);
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = candidates[i];
        }
    }
    /* A third of the letters may be wrong, and one always; beyond that a guess would mislead. */
    size_t allowed = strlen(word) / 3;
    return nearest_distance <= (allowed < 1 ? 1 : allowed) ? nearest : NULL;
}

/* SHA-256 as FIPS 180-4 defines it. Our own because no library among our dependencies offers it,
 * and it only names contents (caches, digests of assignments); no secret passes through. */

static const uint32_t sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate_right(uint32_t x, unsigned n) {
    return x >> n | x << (32 - n);
}

static void sha256_block(uint32_t state[8], const unsigned char block[64]) {
    uint32_t w[64];
    for (size_t i = 0; i < 16; i++) {
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    for (size_t i = 16; i < 64; i++) {
        uint32_t s0 = rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (size_t i = 0; i < 64; i++) {
        uint32_t s1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + sha256_k[i] + w[i];
        uint32_t s0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    uint32_t add[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; i++) {
        state[i] += add[i];
    }
}

void wg_text_sha256_hex(const void *bytes, size_t len, char out[65]) {
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const unsigned char *at = bytes;
    size_t left = len;
    for (; left >= 64; at += 64, left -= 64) {
        sha256_block(state, at);
    }
    unsigned char tail[128] = {0};
    if (left > 0) {
        memcpy(tail, at, left);
    }
    tail[left] = 0x80;
    size_t tail_len = left < 56 ? 64 : 128;
    uint64_t bits = (uint64_t)len * 8;
    for (size_t i = 0; i < 8; i++) {
        tail[tail_len - 1 - i] = (unsigned char)(bits >> (8 * i));
    }
    sha256_block(state, tail);
    if (tail_len == 128) {
        sha256_block(state, tail + 64);
    }
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < 64; i++) {
        out[i] = digits[state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    }
    out[64] = '\0';
}
