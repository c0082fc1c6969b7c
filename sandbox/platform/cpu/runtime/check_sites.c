/* What the checker remembers about each place in the source, found by its wg_cpu_site. */
#include <stdlib.h>

#include "sandbox/platform/cpu/runtime/check_internal.h"

struct wg_site_slot wg_site_cache[WG_SITE_SLOTS];

static struct wg_site_state **g_states; /* by index */
static uint32_t g_count, g_capacity;
static struct wg_site_slot *g_table; /* open addressing; a power of two */
static size_t g_table_size;

/* Where no memory is left, all further places share this one and its findings may name a wrong
 * line; better than a crash. */
static struct wg_site_state g_overflow;

static size_t slot_of(const struct wg_cpu_site *site) {
    uint64_t hash = (uint64_t)(uintptr_t)site * UINT64_C(0x9E3779B97F4A7C15);
    size_t i = (size_t)(hash >> 20) & (g_table_size - 1);
    while (g_table[i].site != NULL && g_table[i].site != site) {
        i = (i + 1) & (g_table_size - 1);
    }
    return i;
}

static bool grow(void) {
    if (g_count == g_capacity) {
        uint32_t capacity = g_capacity == 0 ? 256 : 2 * g_capacity;
        struct wg_site_state **states = realloc(g_states, capacity * sizeof(void *));
        if (states == NULL) {
            return false;
        }
        g_states = states;
        g_capacity = capacity;
    }
    if (2 * (size_t)(g_count + 1) <= g_table_size) {
        return true;
    }
    struct wg_site_slot *old = g_table;
    size_t old_size = g_table_size, size = old_size == 0 ? 1024 : 2 * old_size;
    struct wg_site_slot *table = calloc(size, sizeof *table);
    if (table == NULL) {
        return false;
    }
    g_table = table;
    g_table_size = size;
    for (size_t i = 0; i < old_size; i++) {
        if (old[i].site != NULL) {
            g_table[slot_of(old[i].site)] = old[i];
        }
    }
    free(old);
    return true;
}

static struct wg_site_state *find_or_add(const struct wg_cpu_site *site) {
    if (g_table_size > 0) {
        struct wg_site_slot *found = &g_table[slot_of(site)];
        if (found->site != NULL) {
            return found->state;
        }
    }
    struct wg_site_state *state =
        g_count < WG_MAX_SITES && grow() ? calloc(1, sizeof *state) : NULL;
    if (state == NULL) {
        g_overflow.site = site;
        return &g_overflow;
    }
    state->site = site;
    state->index = g_count;
    state->kind = site->object_kind & WG_SITE_KIND_MASK;
    state->flags = site->object_kind & ~(uint32_t)WG_SITE_KIND_MASK;
    g_states[g_count++] = state;
    g_table[slot_of(site)] = (struct wg_site_slot){site, state};
    return state;
}

struct wg_site_state *wg_site_state_new(const struct wg_cpu_site *site) {
    struct wg_site_state *state = find_or_add(site);
    wg_site_cache[wg_site_hash(site)] = (struct wg_site_slot){site, state};
    return state;
}

struct wg_site_state *wg_site_by_index(uint32_t index) {
    return index < g_count ? g_states[index] : &g_overflow;
}
