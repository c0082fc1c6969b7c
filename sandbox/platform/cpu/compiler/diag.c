#include "sandbox/platform/cpu/compiler/diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"

/* A diagnostic with its source lines and notes. */
struct block {
    const char *text;
    size_t len;
};

struct blocks {
    struct block *at;
    size_t count;
};

static size_t line_length(const char *text, size_t len) {
    const char *end = memchr(text, '\n', len);
    return end ? (size_t)(end - text) + 1 : len;
}

static bool line_has(const char *line, size_t len, const char *word) {
    return memmem(line, len, word, strlen(word)) != NULL;
}

/* A line that opens a diagnostic of its own: not a note, a source line or a caret. */
static bool opens_block(const char *line, size_t len) {
    return line_has(line, len, ": error: ") || line_has(line, len, ": warning: ") ||
           line_has(line, len, ": fatal error: ") ||
           (len >= 7 && (strncmp(line, "error: ", 7) == 0)) ||
           (len >= 9 && (strncmp(line, "warning: ", 9) == 0));
}

static bool is_include_trail(const char *line, size_t len) {
    return len > 20 && (strncmp(line, "In file included from", 20) == 0 ||
                        strncmp(line, "                 from", 20) == 0);
}

/* "2 errors generated when compiling for host." and the like. */
static bool is_summary(const char *line, size_t len) {
    return len > 0 && line[0] >= '1' && line[0] <= '9' && line_has(line, len, " generated");
}

static struct blocks split(const char *text, size_t len) {
    struct blocks out = {0};
    bool trail = false; /* an include trail was seen whose diagnostic is still to come */
    for (size_t at = 0; at < len;) {
        const char *line = text + at;
        size_t size = line_length(line, len - at);
        at += size;
        if (is_summary(line, size)) {
            continue;
        }
        bool joins_trail = trail && !is_include_trail(line, size);
        bool opens =
            !joins_trail && !trail && (opens_block(line, size) || is_include_trail(line, size));
        trail = is_include_trail(line, size);
        if (opens || out.count == 0) {
            out.at = wg_realloc(out.at, out.count + 1, sizeof *out.at);
            out.at[out.count++] = (struct block){line, 0};
        }
        struct block *last = &out.at[out.count - 1];
        last->len = (size_t)(line - last->text) + size;
    }
    return out;
}

static const char *hidden_folders[4];

void wg_diag_hide_folders(const char *const *folders, size_t count) {
    for (size_t i = 0; i < count && i < sizeof hidden_folders / sizeof *hidden_folders; i++) {
        hidden_folders[i] = folders[i];
    }
}

/* Length of a hidden folder's name with its slash, when one stands at `at`; else 0. */
static size_t hidden_prefix(const char *at, size_t len) {
    for (size_t i = 0; i < sizeof hidden_folders / sizeof *hidden_folders; i++) {
        size_t size = hidden_folders[i] ? strlen(hidden_folders[i]) : 0;
        if (size > 0 && size < len && memcmp(at, hidden_folders[i], size) == 0 && at[size] == '/') {
            return size + 1;
        }
    }
    return 0;
}

static void print_block(struct block block) {
    size_t from = 0;
    for (size_t at = 0; at < block.len; at++) {
        size_t skip = block.text[at] == '/' ? hidden_prefix(block.text + at, block.len - at) : 0;
        if (skip > 0) {
            fwrite(block.text + from, 1, at - from, stderr);
            at += skip - 1;
            from = at + 1;
        }
    }
    fwrite(block.text + from, 1, block.len - from, stderr);
}

void wg_diag_merge(const char *host, size_t host_len, const char *device, size_t device_len) {
    struct blocks first = split(host, host_len);
    struct blocks second = split(device, device_len);
    for (size_t i = 0; i < first.count; i++) {
        print_block(first.at[i]);
    }
    for (size_t i = 0; i < second.count; i++) {
        /* The first line decides: notes may differ between the passes. */
        size_t key = line_length(second.at[i].text, second.at[i].len);
        bool seen = false;
        for (size_t k = 0; k < first.count && !seen; k++) {
            seen = first.at[k].len >= key && memcmp(first.at[k].text, second.at[i].text, key) == 0;
        }
        if (!seen) {
            print_block(second.at[i]);
        }
    }
    free(first.at);
    free(second.at);
}

/* The line of a source file, without its end. */
static char *source_line(const char *file, unsigned line) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    if (line == 0 || wg_file_read(file, (size_t)16 << 20, &text, NULL) != WG_OK) {
        return NULL;
    }
    const char *at = wg_buf_str(&text);
    for (unsigned i = 1; i < line && at; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at ? wg_strf("%.*s", (int)strcspn(at, "\r\n"), at) : NULL;
}

static bool is_word_part(char c) {
    return c == '_' || isalnum((unsigned char)c);
}

unsigned wg_diag_find_word(const char *file, const char *word) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    if (wg_file_read(file, (size_t)16 << 20, &text, NULL) != WG_OK) {
        return 0;
    }
    const char *start = wg_buf_str(&text);
    for (const char *at = start; (at = strstr(at, word)) != NULL; at += strlen(word)) {
        const char *end = at + strlen(word);
        if ((at == start || !is_word_part(at[-1])) && end[strspn(end, " \t")] == '(') {
            unsigned line = 1;
            for (const char *c = start; c < at; c++) {
                line += *c == '\n';
            }
            return line;
        }
    }
    return 0;
}

static unsigned column_of(const char *line, const char *at) {
    const char *found = line && at ? strstr(line, at) : NULL;
    return found ? (unsigned)(found - line) + 1 : 1;
}

static void say(const char *kind, const char *file, unsigned line, unsigned column, const char *at,
                const char *fmt, va_list args) {
    WG_CLEANUP(wg_freep) char *text = source_line(file, line);
    if (line == 0) {
        fprintf(stderr, "%s: %s: ", file, kind);
    } else {
        column = column > 0 ? column : column_of(text, at);
        fprintf(stderr, "%s:%u:%u: %s: ", file, line, column, kind);
    }
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    if (text && *text) {
        fprintf(stderr, "%5u | %s\n      | ", line, text);
        for (unsigned i = 1; i < column; i++) {
            fputc(text[i - 1] == '\t' ? '\t' : ' ', stderr);
        }
        fputs("^\n", stderr);
    }
}

void wg_diag_error(const char *file, unsigned line, unsigned column, const char *at,
                   const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    say("error", file, line, column, at, fmt, args);
    va_end(args);
}

void wg_diag_warning(const char *file, unsigned line, unsigned column, const char *at,
                     const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    say("warning", file, line, column, at, fmt, args);
    va_end(args);
}

void wg_diag_note(const char *file, unsigned line, const char *at, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    say("note", file, line, 0, at, fmt, args);
    va_end(args);
}

void wg_diag_failure(const char *text) {
    fprintf(stderr, "wavegrade compile: %s\n", text);
}
