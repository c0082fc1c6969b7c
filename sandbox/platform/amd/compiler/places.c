#include "sandbox/platform/amd/compiler/places.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"

/* "FILE:LINE:COLUMN: remark: Function Name: SYMBOL [-Rpass-analysis=...]" */
static void take_remark(const char *line, struct wg_amd_places *places) {
    static const char intro[] = " remark: Function Name: ";
    const char *symbol = strstr(line, intro);
    const char *place_end = strchr(line, ' ');
    if (!symbol || symbol != place_end) {
        return;
    }
    symbol += sizeof intro - 1;
    WG_CLEANUP(wg_freep) char *place = wg_strf("%.*s", (int)(place_end - line - 1), line);
    char *column = strrchr(place, ':');
    if (column) {
        *column = '\0';
    }
    char *number = strrchr(place, ':');
    if (!number || atoi(number + 1) <= 0) {
        return;
    }
    *number = '\0';
    places->at = wg_realloc(places->at, places->count + 1, sizeof *places->at);
    places->at[places->count++] =
        (struct wg_amd_place){.symbol = wg_strf("%.*s", (int)strcspn(symbol, " "), symbol),
                              .file = wg_strdup(place),
                              .line = atoi(number + 1)};
}

/* "   12 | source", "      | ^": what clang shows below a diagnostic. */
static bool is_excerpt(const char *line) {
    const char *at = line + strspn(line, " ");
    while (isdigit((unsigned char)*at)) {
        at++;
    }
    at += strspn(at, " ");
    return at > line && *at == '|';
}

void wg_amd_places_take(const char *log, size_t len, struct wg_amd_places *places,
                        struct wg_buf *rest) {
    bool in_remark = false;
    for (size_t at = 0; at < len;) {
        const char *end = memchr(log + at, '\n', len - at);
        size_t size = end ? (size_t)(end - (log + at)) + 1 : len - at;
        WG_CLEANUP(wg_freep) char *line = wg_strf("%.*s", (int)size, log + at);
        at += size;
        bool opens = strstr(line, "[-Rpass-analysis=kernel-resource-usage]") != NULL;
        if (opens) {
            take_remark(line, places);
        }
        in_remark = opens || (in_remark && is_excerpt(line));
        if (!in_remark) {
            wg_buf_puts(rest, line);
        }
    }
}

const struct wg_amd_place *wg_amd_places_find(const struct wg_amd_places *places,
                                              const char *symbol) {
    for (size_t i = 0; i < places->count; i++) {
        if (strcmp(places->at[i].symbol, symbol) == 0) {
            return &places->at[i];
        }
    }
    return NULL;
}

void wg_amd_places_done(struct wg_amd_places *places) {
    for (size_t i = 0; i < places->count; i++) {
        free(places->at[i].symbol);
        free(places->at[i].file);
    }
    free(places->at);
    *places = (struct wg_amd_places){0};
}
