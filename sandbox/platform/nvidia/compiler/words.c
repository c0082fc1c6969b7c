#include "sandbox/platform/nvidia/compiler/words.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/platform/cpu/compiler/diag.h"

enum { EXCERPT_INDENT = 2, SOURCE_MAX = 16 << 20 };

/* Of libstdc++; its header is C++. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

struct line {
    const char *text;
    size_t len;
};

struct lines {
    struct line *at;
    size_t count;
};

static struct lines split(const char *text, size_t len) {
    struct lines out = {0};
    for (const char *end = text + len; text < end;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t line_len = newline ? (size_t)(newline - text) : (size_t)(end - text);
        out.at = wg_realloc(out.at, out.count + 1, sizeof *out.at);
        out.at[out.count++] = (struct line){text, line_len};
        text += line_len + (newline ? 1 : 0);
    }
    return out;
}

static bool starts(const struct line *line, const char *words) {
    size_t len = strlen(words);
    return line->len >= len && memcmp(line->text, words, len) == 0;
}

static const char *find(const struct line *line, const char *words) {
    return memmem(line->text, line->len, words, strlen(words));
}

/* ---- The front end: "FILE(LINE): error #20-D: MESSAGE", then the source line and a caret --------
 */

struct remark {
    char *file, *message;
    unsigned line;
    const char *severity; /* "error", "warning", "note" */
};

static bool parse_remark(const struct line *line, struct remark *out) {
    static const struct {
        const char *word, *severity;
    } kinds[] = {
        {"): error", "error"},     {"): catastrophic error", "error"},
        {"): warning", "warning"}, {"): note", "note"},
        {"): remark", "note"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *close = find(line, kinds[i].word);
        const char *colon =
            close ? memmem(close + 2, line->len - (size_t)(close + 2 - line->text), ": ", 2) : NULL;
        const char *open = close;
        while (open && open > line->text && *open != '(') {
            open--;
        }
        if (!colon || open == line->text) {
            continue;
        }
        *out = (struct remark){
            .file = wg_strf("%.*s", (int)(open - line->text), line->text),
            .message = wg_strf("%.*s", (int)(line->text + line->len - (colon + 2)), colon + 2),
            .line = (unsigned)strtoul(open + 1, NULL, 10),
            .severity = kinds[i].severity,
        };
        return out->line > 0;
    }
    return false;
}

/* Where a caret below an excerpt points, counted from 0 in the excerpt's line; SIZE_MAX: no caret.
 */
static size_t caret_at(const struct line *line) {
    size_t at = 0;
    while (at < line->len && line->text[at] == ' ') {
        at++;
    }
    return at >= EXCERPT_INDENT && at + 1 == line->len && line->text[at] == '^' ? at : SIZE_MAX;
}

static size_t word_length(const char *text, size_t len) {
    size_t count = 0;
    while (count < len && (isalnum((unsigned char)text[count]) || text[count] == '_')) {
        count++;
    }
    return count > 0 || len == 0 ? count : 1;
}

/* The start of the word `skip` occurrences further on; NULL: there are not so many. */
static const char *find_word(const char *text, const char *word, size_t len, size_t skip) {
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        bool starts_one = at == text || !isalnum((unsigned char)word[0]) ||
                          (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        if (starts_one && word_length(at, strlen(at)) == len && skip-- == 0) {
            return at;
        }
    }
    return NULL;
}

/* Excerpts show the source after the preprocessor: behind a macro (__global__ is one) columns are
 * others. So the word at the caret is looked for in the line as it was written. */
static unsigned column_in_source(const struct remark *remark, const struct line *excerpt,
                                 size_t caret) {
    WG_CLEANUP(wg_buf_done) struct wg_buf file = {0};
    if (caret < EXCERPT_INDENT || caret >= excerpt->len ||
        wg_file_read(remark->file, SOURCE_MAX, &file, NULL) != WG_OK) {
        return caret < EXCERPT_INDENT ? 0 : (unsigned)(caret - EXCERPT_INDENT) + 1;
    }
    const char *at = wg_buf_str(&file);
    for (unsigned i = 1; i < remark->line && at; i++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    size_t word_len = word_length(excerpt->text + caret, excerpt->len - caret);
    WG_CLEANUP(wg_freep) char *source = wg_strf("%.*s", at ? (int)strcspn(at, "\r\n") : 0, at);
    WG_CLEANUP(wg_freep) char *before = wg_strf("%.*s", (int)caret, excerpt->text);
    WG_CLEANUP(wg_freep) char *word = wg_strf("%.*s", (int)word_len, excerpt->text + caret);
    size_t count = 0;
    while (find_word(before, word, word_len, count)) {
        count++;
    }
    const char *found = find_word(source, word, word_len, count);
    found = found ? found : find_word(source, word, word_len, 0);
    return found ? (unsigned)(found - source) + 1 : 0;
}

static void print_remark(const struct remark *remark, unsigned column) {
    if (strcmp(remark->severity, "error") == 0) {
        wg_diag_error(remark->file, remark->line, column, NULL, "%s", remark->message);
    } else if (strcmp(remark->severity, "warning") == 0) {
        wg_diag_warning(remark->file, remark->line, column, NULL, "%s", remark->message);
    } else {
        wg_diag_note(remark->file, remark->line, NULL, "%s", remark->message);
    }
}

/* "instantiation of "void f(T) [with T=int]" at line 10 of k.hip": a note at that place. */
static void print_instantiation(const struct line *line, const char *file) {
    static const char mark[] = " at line ";
    const char *what = find(line, "instantiation of ");
    const char *place = find(line, mark);
    if (!what || !place) {
        return;
    }
    char *end = NULL;
    unsigned row = (unsigned)strtoul(place + sizeof mark - 1, &end, 10);
    size_t left = (size_t)(line->text + line->len - end);
    bool elsewhere = left > 4 && memcmp(end, " of ", 4) == 0;
    WG_CLEANUP(wg_freep)
    char *other = elsewhere ? wg_strf("%.*s", (int)(left - 4), end + 4) : wg_strdup(file);
    wg_diag_note(other, row, NULL, "in %.*s", (int)(place - what), what);
}

/* Each pass of the front end says the same of the same file again. */
static bool was_said(const struct lines *lines, size_t at) {
    for (size_t i = 0; i < at; i++) {
        if (lines->at[i].len == lines->at[at].len &&
            memcmp(lines->at[i].text, lines->at[at].text, lines->at[at].len) == 0) {
            return true;
        }
    }
    return false;
}

/* How far the lines of a remark go: up to the empty line, or to the next remark. */
static size_t print_block(const struct lines *lines, size_t at, const struct remark *remark) {
    size_t end = at + 1;
    size_t caret = SIZE_MAX;
    const struct line *excerpt = NULL;
    for (; end < lines->count && lines->at[end].len > 0; end++) {
        if (!excerpt && caret_at(&lines->at[end]) != SIZE_MAX) {
            caret = caret_at(&lines->at[end]);
            excerpt = &lines->at[end - 1];
        }
    }
    if (was_said(lines, at)) {
        return end;
    }
    print_remark(remark, excerpt ? column_in_source(remark, excerpt, caret) : 0);
    for (size_t i = at + 1; i < end; i++) {
        print_instantiation(&lines->at[i], remark->file);
    }
    return end;
}

/* ---- The back end: what no line of the source is named for --------------------------------------
 */

/* A kernel or function as the student wrote it: 'f(int)' for '_Z1fi'. */
static char *quoted_name(const struct line *line) {
    const char *open = memchr(line->text, '\'', line->len);
    const char *end = line->text + line->len;
    const char *close = open ? memchr(open + 1, '\'', (size_t)(end - open - 1)) : NULL;
    WG_CLEANUP(wg_freep)
    char *symbol = close ? wg_strf("%.*s", (int)(close - open - 1), open + 1) : NULL;
    char *demangled = symbol ? __cxa_demangle(symbol, NULL, NULL, NULL) : NULL;
    return demangled ? demangled : WG_TAKE(&symbol);
}

static bool print_ptxas(const struct line *line, const char *source) {
    static const char unresolved[] = "Unresolved extern ";
    static const char shared[] = "uses too much shared data (";
    bool is_error = starts(line, "ptxas error") || starts(line, "ptxas fatal");
    if (!is_error && !starts(line, "ptxas warning")) {
        return false;
    }
    WG_CLEANUP(wg_freep) char *name = quoted_name(line);
    const char *colon = memchr(line->text, ':', line->len);
    const char *message = colon ? colon + 2 : line->text;
    const char *sizes = find(line, shared);
    if (name && find(line, unresolved)) {
        wg_diag_error(source, 0, 0, NULL, "'%s' is declared but defined nowhere", name);
    } else if (name && sizes) {
        char *next = NULL;
        unsigned long used = strtoul(sizes + sizeof shared - 1, &next, 16);
        const char *most = strstr(next, "0x");
        wg_diag_error(source, 0, 0, NULL,
                      "kernel '%s' uses %lu bytes of shared memory; there are %lu", name, used,
                      most ? strtoul(most, NULL, 16) : 0);
    } else if (is_error) {
        wg_diag_error(source, 0, 0, NULL, "%.*s", (int)(line->text + line->len - message), message);
    } else {
        wg_diag_warning(source, 0, 0, NULL, "%.*s%s%s%s", (int)(line->text + line->len - message),
                        message, name ? " (" : "", name ? name : "", name ? ")" : "");
    }
    return true;
}

static bool is_noise(const struct line *line) {
    return line->len == 0 || starts(line, "Remark: The warnings can be suppressed") ||
           find(line, " detected in the compilation of ") != NULL ||
           starts(line, "compilation terminated.");
}

bool wg_words_print(const char *log, size_t len, const char *source) {
    struct lines lines = split(log, len);
    bool has_error = false;
    for (size_t i = 0; i < lines.count;) {
        const struct line *line = &lines.at[i];
        struct remark remark = {0};
        if (parse_remark(line, &remark)) {
            has_error |= strcmp(remark.severity, "error") == 0;
            i = print_block(&lines, i, &remark);
        } else if (print_ptxas(line, source)) {
            has_error |= !starts(line, "ptxas warning");
            i++;
        } else {
            /* The preprocessor and the host compiler speak the wanted language already. */
            has_error |= find(line, ": error: ") || find(line, ": fatal error: ");
            if (!is_noise(line)) {
                fprintf(stderr, "%.*s\n", (int)line->len, line->text);
            }
            i++;
        }
        free(remark.file);
        free(remark.message);
    }
    free(lines.at);
    return has_error;
}

/* ---- The linker ---------------------------------------------------------------------------------
 */

bool wg_words_print_link(const char *log, size_t len, const char *source) {
    static const char mark[] = "undefined reference to `";
    struct lines lines = split(log, len);
    struct lines told = {0};
    for (size_t i = 0; i < lines.count; i++) {
        const char *found = find(&lines.at[i], mark);
        if (!found) {
            continue;
        }
        const char *name = found + sizeof mark - 1;
        size_t left = (size_t)(lines.at[i].text + lines.at[i].len - name);
        size_t name_len = left > 0 ? left - 1 : 0; /* the closing quote */
        bool again = false;
        for (size_t k = 0; k < told.count; k++) {
            again |= told.at[k].len == name_len && memcmp(told.at[k].text, name, name_len) == 0;
        }
        if (!again) {
            wg_diag_error(source, 0, 0, NULL, "'%.*s' is declared but defined nowhere",
                          (int)name_len, name);
            told.at = wg_realloc(told.at, told.count + 1, sizeof *told.at);
            told.at[told.count++] = (struct line){name, name_len};
        }
    }
    free(lines.at);
    free(told.at);
    return told.count > 0;
}
