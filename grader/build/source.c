#include "grader/build/source.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "grader/base/buf.h"

struct scan {
    const char *at, *end;
    int line;
};

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool looks_at(const struct scan *scan, const char *text) {
    size_t len = strlen(text);
    return (size_t)(scan->end - scan->at) >= len && memcmp(scan->at, text, len) == 0;
}

static void step(struct scan *scan) {
    scan->line += *scan->at == '\n';
    scan->at++;
}

static void skip_to(struct scan *scan, const char *stop) {
    while (scan->at < scan->end && !looks_at(scan, stop)) {
        step(scan);
    }
}

/* Over a literal; an escaped character never ends it, nor does it go over the end of a line. */
static void skip_literal(struct scan *scan, char quote) {
    step(scan);
    while (scan->at < scan->end && *scan->at != quote && *scan->at != '\n') {
        if (*scan->at == '\\' && scan->at + 1 < scan->end) {
            step(scan);
        }
        step(scan);
    }
    if (scan->at < scan->end && *scan->at == quote) {
        step(scan);
    }
}

/* Over one comment or literal. False: there is none here. */
static bool skip_passive(struct scan *scan) {
    if (looks_at(scan, "//")) {
        skip_to(scan, "\n");
    } else if (looks_at(scan, "/*")) {
        skip_to(scan, "*/");
    } else if (*scan->at == '"' || *scan->at == '\'') {
        skip_literal(scan, *scan->at);
    } else {
        return false;
    }
    return true;
}

static size_t word_length(const struct scan *scan) {
    size_t len = 0;
    while (scan->at + len < scan->end && is_word(scan->at[len])) {
        len++;
    }
    return len;
}

int wg_source_find_word(const char *source, size_t len, const char *word) {
    struct scan scan = {.at = source, .end = source + len, .line = 1};
    /* Of a qualified name, the last part. */
    const char *colon = strrchr(word, ':');
    word = colon != NULL ? colon + 1 : word;
    while (scan.at < scan.end) {
        if (looks_at(&scan, "#include")) {
            skip_to(&scan, "\n");
        }
        if (scan.at == scan.end || skip_passive(&scan)) {
            continue;
        }
        size_t word_len = word_length(&scan);
        if (word_len > 0 && word_len == strlen(word) && memcmp(scan.at, word, word_len) == 0) {
            return scan.line;
        }
        scan.at += word_len;
        if (word_len == 0) {
            step(&scan);
        }
    }
    return 0;
}

static bool names_header(const char *text, size_t len, const char *path) {
    size_t path_len = strlen(path);
    return len >= path_len && memcmp(text + len - path_len, path, path_len) == 0 &&
           (len == path_len || text[len - path_len - 1] == '/');
}

int wg_source_find_include(const char *source, size_t len, const char *path) {
    struct scan scan = {.at = source, .end = source + len, .line = 1};
    bool is_start = true; /* of a line, but for blanks */
    while (scan.at < scan.end) {
        if (is_start && *scan.at == '#') {
            step(&scan);
            while (scan.at < scan.end && (*scan.at == ' ' || *scan.at == '\t')) {
                step(&scan);
            }
            if (looks_at(&scan, "include")) {
                size_t rest = (size_t)(scan.end - scan.at);
                const char *newline = memchr(scan.at, '\n', rest);
                const char *stop = newline != NULL ? newline : scan.end;
                const char *open = scan.at;
                while (open < stop && *open != '<' && *open != '"') {
                    open++;
                }
                const char *close = open < stop ? open + 1 : stop;
                while (close < stop && *close != '>' && *close != '"') {
                    close++;
                }
                if (open < stop && names_header(open + 1, (size_t)(close - open - 1), path)) {
                    return scan.line;
                }
                scan.at = stop;
            }
            is_start = false;
        } else if (skip_passive(&scan)) {
            is_start = false;
        } else {
            is_start = *scan.at == '\n' || (is_start && isspace((unsigned char)*scan.at));
            step(&scan);
        }
    }
    return 0;
}

char *wg_source_plain_name(const char *symbol) {
    struct wg_buf out = {0};
    const char *at = symbol;
    bool is_nested = strncmp(at, "_ZN", 3) == 0;
    at += is_nested ? 3 : strncmp(at, "_Z", 2) == 0 ? 2 : 0;
    if (at == symbol) {
        return wg_strdup(symbol);
    }
    if (strncmp(at, "St", 2) == 0) {
        wg_buf_puts(&out, "std");
        at += 2;
    }
    /* Lengths and names, up to whatever else there is: constructors, templates, parameters. Parts
     * that the library keeps to itself say nothing to people. */
    while (isdigit((unsigned char)*at)) {
        size_t part_len = 0;
        while (isdigit((unsigned char)*at)) {
            part_len = part_len * 10 + (size_t)(*at++ - '0');
        }
        if (part_len > strlen(at)) {
            break;
        }
        if (*at != '_') {
            wg_buf_printf(&out, "%s%.*s", out.len > 0 ? "::" : "", (int)part_len, at);
        }
        at += part_len;
        if (!is_nested) {
            break;
        }
    }
    if (out.len == 0) {
        wg_buf_puts(&out, symbol);
    }
    return out.data;
}
