/* Where the kernels stand in the source. Code objects do not tell, but the compiler's remarks on
 * what kernels use (-Rpass-analysis=kernel-resource-usage) do. */
#ifndef WG_AMD_PLACES_H
#define WG_AMD_PLACES_H

#include <stddef.h>

#include "grader/base/buf.h"

struct wg_amd_place {
    char *symbol, *file;
    int line;
};

struct wg_amd_places {
    struct wg_amd_place *at;
    size_t count;
};

/* Takes the remarks out of a log: what they tell goes into *places, all other lines into rest. */
void wg_amd_places_take(const char *log, size_t len, struct wg_amd_places *places,
                        struct wg_buf *rest);

/* NULL: not known. */
const struct wg_amd_place *wg_amd_places_find(const struct wg_amd_places *places,
                                              const char *symbol);
void wg_amd_places_done(struct wg_amd_places *places);

#endif
