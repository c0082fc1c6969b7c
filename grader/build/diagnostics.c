#include "grader/build/diagnostics.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/text.h"

enum {
    PARSE_MAX = 1000, /* of a log of 200 000 errors the first ones are enough */
    MESSAGE_BYTES = 600,
    FILE_BYTES = 200,
};

static const struct {
    const char *word;
    const char *severity;
    int rank;
} severities[] = {
    {"fatal error: ", "error", 0},
    {"error: ", "error", 0},
    {"warning: ", "warning", 1},
    {"note: ", "note", 2},
};

/* Where our own headers lie inside the jail; people know them as <hip/...>. */
static const char *const header_folders[] = {"/wg/share/cpu/include/",
                                             "/wg/share/amd/include/",
                                             "/wg/share/nvidia/include/",
                                             "/job/src/",
                                             "/job/",
                                             "./"};

struct list {
    struct wg_diagnostic *items;
    size_t count;
};

static const char *find(const char *line, size_t len, const char *word) {
    return memmem(line, len, word, strlen(word));
}

/* The number in front of *end, which moves to the ':' before it; -1: none. */
static int number_before(const char *line, const char **end) {
    const char *p = *end;
    while (p > line && isdigit((unsigned char)p[-1])) {
        p--;
    }
    if (p == *end || *end - p > 9 || p == line || p[-1] != ':') {
        return -1;
    }
    int value = 0;
    for (const char *digit = p; digit < *end; digit++) {
        value = value * 10 + (*digit - '0');
    }
    *end = p - 1;
    return value;
}

static char *clean_file(const char *name, size_t len) {
    for (size_t i = 0; i < sizeof header_folders / sizeof header_folders[0]; i++) {
        size_t prefix = strlen(header_folders[i]);
        if (len > prefix && memcmp(name, header_folders[i], prefix) == 0) {
            return wg_text_clean(name + prefix, len - prefix, FILE_BYTES);
        }
    }
    return wg_text_clean(name, len, FILE_BYTES);
}

/* Splits what stands before the severity: "file:12:3: ", "file:12: ", "ld.lld: " or nothing. */
static void parse_place(const char *line, size_t len, struct wg_diagnostic *out) {
    if (len < 2 || line[len - 1] != ' ' || line[len - 2] != ':') {
        return;
    }
    const char *end = line + len - 2;
    int last = number_before(line, &end);
    int before = last < 0 ? -1 : number_before(line, &end);
    out->line = before >= 0 ? before : (last >= 0 ? last : 0);
    out->column = before >= 0 ? last : 0;
    out->file = last >= 0 ? clean_file(line, (size_t)(end - line)) : NULL;
}

static bool parse_line(const char *line, size_t len, struct wg_diagnostic *out) {
    const char *where = NULL;
    size_t which = 0;
    for (size_t i = 0; i < sizeof severities / sizeof severities[0]; i++) {
        const char *found = find(line, len, severities[i].word);
        if (found != NULL && (where == NULL || found < where)) {
            where = found;
            which = i;
        }
    }
    /* A severity begins the line or follows a place; an excerpt of source follows neither. */
    if (where == NULL ||
        (where != line && (where < line + 2 || where[-1] != ' ' || where[-2] != ':'))) {
        return false;
    }
    const char *message = where + strlen(severities[which].word);
    parse_place(line, (size_t)(where - line), out);
    out->severity = wg_strdup(severities[which].severity);
    out->message = wg_text_clean(message, len - (size_t)(message - line), MESSAGE_BYTES);
    return true;
}

static void diagnostic_done(struct wg_diagnostic *d) {
    free(d->file);
    free(d->severity);
    free(d->message);
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same(const struct wg_diagnostic *a, const struct wg_diagnostic *b) {
    return a->line == b->line && a->column == b->column && same_text(a->file, b->file) &&
           same_text(a->severity, b->severity) && same_text(a->message, b->message);
}

static void add(struct list *list, struct wg_diagnostic diagnostic) {
    for (size_t i = 0; i < list->count; i++) {
        if (same(&list->items[i], &diagnostic)) {
            diagnostic_done(&diagnostic);
            return;
        }
    }
    list->items = wg_realloc(list->items, list->count + 1, sizeof *list->items);
    list->items[list->count++] = diagnostic;
}

/* Moves errors in headers to the student's line that the notes behind them name. */
static void blame_student_lines(struct list *list, const char *file_name) {
    for (size_t i = 0; i < list->count; i++) {
        struct wg_diagnostic *d = &list->items[i];
        if (strcmp(d->severity, "error") != 0 || same_text(d->file, file_name)) {
            continue;
        }
        for (size_t k = i + 1; k < list->count; k++) {
            const struct wg_diagnostic *note = &list->items[k];
            if (strcmp(note->severity, "note") != 0) {
                break;
            }
            if (same_text(note->file, file_name)) {
                free(d->file);
                d->file = wg_strdup(file_name);
                d->line = note->line;
                d->column = note->column;
                break;
            }
        }
    }
}

static int rank(const struct wg_diagnostic *d) {
    for (size_t i = 0; i < sizeof severities / sizeof severities[0]; i++) {
        if (d->severity != NULL && strcmp(severities[i].severity, d->severity) == 0) {
            return severities[i].rank;
        }
    }
    return 3;
}

/* Keeps the first of each rank, errors before warnings before notes; drops the rest. */
static void order_and_cut(struct list *list) {
    struct list ordered = {0};
    for (int r = 0; r <= 2; r++) {
        for (size_t i = 0; i < list->count; i++) {
            if (rank(&list->items[i]) != r) {
                continue;
            }
            if (ordered.count < WG_DIAGNOSTICS_MAX) {
                add(&ordered, list->items[i]);
            } else {
                diagnostic_done(&list->items[i]);
            }
            list->items[i] = (struct wg_diagnostic){0}; /* gone: the next rounds pass over it */
        }
    }
    free(list->items);
    *list = ordered;
}

void wg_diagnostics_parse(const char *log, size_t len, const char *file_name,
                          struct wg_diagnostic **out, size_t *count) {
    struct list list = {0};
    const char *end = log + len;
    while (log < end && list.count < PARSE_MAX) {
        const char *newline = memchr(log, '\n', (size_t)(end - log));
        size_t line_len = (size_t)((newline == NULL ? end : newline) - log);
        struct wg_diagnostic diagnostic = {0};
        if (parse_line(log, line_len, &diagnostic)) {
            add(&list, diagnostic);
        }
        log = newline == NULL ? end : newline + 1;
    }
    blame_student_lines(&list, file_name);
    order_and_cut(&list);
    *out = list.items;
    *count = list.count;
}

void wg_diagnostics_free(struct wg_diagnostic *diagnostics, size_t count) {
    for (size_t i = 0; i < count; i++) {
        diagnostic_done(&diagnostics[i]);
    }
    free(diagnostics);
}

const struct wg_diagnostic *wg_diagnostics_first_error(const struct wg_diagnostic *diagnostics,
                                                       size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(diagnostics[i].severity, "error") == 0) {
            return &diagnostics[i];
        }
    }
    return NULL;
}
