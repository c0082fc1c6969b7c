/* What the fuzz targets share.
 *
 * A target is one function over any bytes that must neither crash nor leak. libFuzzer drives it in
 * the preset `fuzz` (scripts/fuzz); replay.c runs it over its committed corpus in the ordinary test
 * suites. */
#ifndef WG_TESTS_FUZZ_H
#define WG_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* Takes structured values off the front of the input; what is missing is 0. */
struct fuzz_input {
    const uint8_t *at;
    size_t left;
};

/* A copy of the next size bytes, padded with zeros. */
static inline void fuzz_take(struct fuzz_input *from, void *out, size_t size) {
    size_t got = size < from->left ? size : from->left;
    memset(out, 0, size);
    if (got > 0) {
        memcpy(out, from->at, got);
    }
    from->at += got;
    from->left -= got;
}

static inline uint8_t fuzz_byte(struct fuzz_input *from) {
    uint8_t byte = 0;
    fuzz_take(from, &byte, 1);
    return byte;
}

static inline uint16_t fuzz_short(struct fuzz_input *from) {
    uint16_t value = 0;
    fuzz_take(from, &value, sizeof value);
    return value;
}

/* Up to size bytes of the input itself; *got says how many there are. */
static inline const uint8_t *fuzz_bytes(struct fuzz_input *from, size_t size, size_t *got) {
    const uint8_t *bytes = from->at;
    *got = size < from->left ? size : from->left;
    from->at += *got;
    from->left -= *got;
    return bytes;
}

/* Heap: bytes as a string, which ends at the first zero byte. A copy of its own, so that reading
 * past its end is noticed. */
static inline char *fuzz_string(const uint8_t *bytes, size_t len) {
    char *text = malloc(len + 1);
    if (text == NULL) {
        abort();
    }
    if (len > 0) {
        memcpy(text, bytes, len);
    }
    text[len] = '\0';
    return text;
}

/* Aborts when text for a terminal has anything in it that acts: control characters, also the 8-bit
 * ones, and marks that turn the direction of writing. */
static inline void fuzz_check_terminal(const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        const unsigned char *c = (const unsigned char *)text + i;
        int is_c1 = i + 1 < len && c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;
        int turns = i + 2 < len && c[0] == 0xe2 &&
                    ((c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae) ||
                     (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
        if ((c[0] < 0x20 && c[0] != '\n') || c[0] == 0x7f || is_c1 || turns) {
            abort();
        }
    }
}

#endif
