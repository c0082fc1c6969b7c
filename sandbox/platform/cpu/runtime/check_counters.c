/* Counters: what a kernel asks of memory, per kernel and per source line.
 *
 * A wave's lanes run one after the other here, so "one access of a wave" is put together again: the
 * n-th time that lanes of one wave execute one place between two barriers counts as one access. For
 * global memory its cost is the 128-byte segments it touches. For shared memory it is the extra
 * cycles that bank conflicts take: 32 banks of 4 bytes serve 32 lanes (16 lanes of 8-byte, 8 lanes
 * of 16-byte accesses) at a time, and the bank with the most different words decides.
 *
 * Costs are added up as the lanes come by. The memory for this is bounded: what a loop does past
 * MAX_ROWS rounds without a barrier is not looked at, and the totals are scaled up. */
#include <stdio.h>
#include <stdlib.h>

#include "sandbox/platform/cpu/runtime/check_internal.h"

#define SEGMENT_SHIFT 7
#define BANKS         32u
#define MAX_GROUPS    16384u
#define MAX_ROWS      UINT16_MAX

/* One access of a wave to global memory; segments count from the region's first. */
struct segments {
    uint32_t epoch;        /* anything else than the current one: empty */
    uint32_t middle, last; /* the first and the latest segment touched */
    uint64_t near;         /* segments around `middle` that were touched */
};

/* One access of the lanes that are served together, to shared memory. */
struct banks {
    uint32_t epoch;
    uint16_t last;
    uint8_t count, most;
    uint8_t in_bank[BANKS];
    uint16_t words[BANKS];
};

static struct wg_site_state **g_touched; /* sites that the running launch executed */
static size_t g_touched_count, g_touched_capacity;
static uint32_t g_epoch = 1;

void wg_count_epoch(void) {
    g_epoch++;
}

static void touch_site(struct wg_site_state *site) {
    if (g_touched_count == g_touched_capacity) {
        size_t capacity = g_touched_capacity == 0 ? 64 : 2 * g_touched_capacity;
        struct wg_site_state **grown = realloc(g_touched, capacity * sizeof(void *));
        if (grown == NULL) {
            return;
        }
        g_touched = grown;
        g_touched_capacity = capacity;
    }
    g_touched[g_touched_count++] = site;
    site->counted_here = true;
}

/* ---- One access of one lane --------------------------------------------------------------------
 */
/* Room for row `row`; false past the bound. */
static bool grow_groups(struct wg_site_state *site, uint32_t row, uint32_t columns,
                        uint32_t group_bytes) {
    bool same_shape = columns == site->group_columns && group_bytes == site->group_bytes;
    uint32_t rows = same_shape ? 2 * site->group_rows : 1;
    rows = row < rows ? rows : row + 1;
    rows = rows < MAX_GROUPS / columns ? rows : MAX_GROUPS / columns;
    if (row >= rows) {
        return false;
    }
    size_t old = same_shape ? (size_t)site->group_rows * columns * group_bytes : 0;
    size_t all = (size_t)rows * columns * group_bytes;
    char *grown = realloc(site->groups, all);
    if (grown == NULL) {
        return false;
    }
    memset(grown + old, 0, all - old);
    site->groups = grown;
    site->group_rows = rows;
    site->group_columns = columns;
    site->group_bytes = group_bytes;
    return true;
}

/* The first access of a place in an epoch, or one that needs more room. */
static __attribute__((noinline)) bool prepare_groups(struct wg_site_state *site, uint32_t flat,
                                                     uint32_t lanes_shift, uint32_t group_bytes) {
    uint32_t columns = (wg_ck.threads + (1u << lanes_shift) - 1) >> lanes_shift;
    if (site->nth == NULL) {
        site->nth = calloc(WG_MAX_THREADS, sizeof *site->nth);
    }
    if (site->nth == NULL || flat >= WG_MAX_THREADS) {
        return false;
    }
    if (site->epoch != g_epoch) {
        memset(site->nth, 0, wg_ck.threads * sizeof *site->nth);
        site->epoch = g_epoch;
    }
    site->lanes_shift = lanes_shift;
    uint32_t row = site->nth[flat];
    bool fits = row < site->group_rows && columns == site->group_columns &&
                group_bytes == site->group_bytes;
    return row < MAX_ROWS && (fits || grow_groups(site, row, columns, group_bytes));
}

/* Which of the wave's accesses this is: its group, or NULL past the bound. */
static inline void *group_of(struct wg_site_state *site, uint32_t lanes_shift,
                             uint32_t group_bytes) {
    uint32_t flat = wg_self->flat;
    if ((site->epoch != g_epoch || site->lanes_shift != lanes_shift ||
         site->group_bytes != group_bytes || site->nth[flat] >= site->group_rows) &&
        !prepare_groups(site, flat, lanes_shift, group_bytes)) {
        return NULL;
    }
    size_t row = site->nth[flat]++;
    return (char *)site->groups + (row * site->group_columns + (flat >> lanes_shift)) * group_bytes;
}

/* How many segments this lane adds to what its wave already touches. Far jumps back to a segment
 * seen earlier count again; near ones (8 KiB) do not. */
static inline uint32_t add_segments(struct segments *group, uint32_t first, uint32_t last) {
    if (group->epoch == g_epoch && first == group->last && first == last) {
        return 0;
    }
    if (group->epoch != g_epoch) {
        *group = (struct segments){.epoch = g_epoch, .middle = first, .last = UINT32_MAX};
    }
    uint32_t added = 0;
    for (uint32_t segment = first; segment <= last; segment++) {
        if (segment == group->last) {
            continue;
        }
        group->last = segment;
        uint32_t bit = segment - group->middle + 32;
        if (bit >= 64) {
            added++;
        } else if ((group->near >> bit & 1) == 0) {
            group->near |= UINT64_C(1) << bit;
            added++;
        }
    }
    return added;
}

/* How many cycles these words of one lane add to its group's access. */
static inline uint32_t add_words(struct banks *group, uint32_t word, uint32_t words) {
    if (group->epoch != g_epoch) {
        group->epoch = g_epoch;
        group->count = 0;
        group->most = 1; /* the first cycle is free */
        group->last = UINT16_MAX;
        memset(group->in_bank, 0, sizeof group->in_bank);
    }
    if (words == 1 && group->last == (uint16_t)word) {
        return 0;
    }
    uint32_t before = group->most;
    group->last = (uint16_t)word;
    for (uint32_t end = word + words; word < end; word++) {
        uint32_t count = group->count, i = 0;
        while (i < count && group->words[i] != (uint16_t)word) {
            i++;
        }
        if (i < count || count == BANKS) {
            continue;
        }
        group->words[group->count++] = (uint16_t)word;
        uint8_t in_bank = ++group->in_bank[word % BANKS];
        if (in_bank > group->most) {
            group->most = in_bank;
        }
    }
    return group->most - before;
}

static void count_shared(struct wg_site_state *site, uintptr_t offset, uint64_t bytes,
                         uint32_t access) {
    struct wg_site_work *work = &site->shared;
    uint32_t words = (uint32_t)((offset % 4 + bytes + 3) / 4);
    words = words > 4 ? 4 : words;
    struct banks *group = group_of(site, words >= 3 ? 3 : words == 2 ? 4 : 5, sizeof *group);
    uint32_t cost = group != NULL ? add_words(group, (uint32_t)(offset / 4), words) : 0;
    if (access != 1) {
        work->loads++;
        work->load_skipped += group == NULL;
        work->load_cost += cost;
    } else {
        work->store_skipped += group == NULL;
        work->store_cost += cost;
    }
    work->stores += access != 0;
}

void wg_count_access(struct wg_site_state *site, const struct wg_region *region, uintptr_t p,
                     uint64_t bytes, uint32_t access) {
    if (!site->counted_here) {
        touch_site(site);
    }
    if (region->is_shared) {
        /* Banks count from the block's memory, wherever that lies here. */
        count_shared(site, p - region->origin, bytes, access);
        return;
    }
    struct wg_site_work *work = &site->global;
    if (region->is_constant || access == 2) {
        work->atomics += access == 2; /* constants are served by a cache of their own */
        return;
    }
    struct segments *group = group_of(site, wg_ck.warp_shift, sizeof *group);
    uintptr_t origin = region->origin & ~(((uintptr_t)1 << SEGMENT_SHIFT) - 1);
    uint32_t first = (uint32_t)((p - origin) >> SEGMENT_SHIFT);
    uint32_t last = (uint32_t)((p + bytes - 1 - origin) >> SEGMENT_SHIFT);
    uint32_t cost = group != NULL ? add_segments(group, first, last) : 0;
    if (access == 0) {
        work->loads++;
        work->load_bytes += bytes;
        work->load_skipped += group == NULL;
        work->load_cost += cost;
    } else {
        work->stores++;
        work->store_bytes += bytes;
        work->store_skipped += group == NULL;
        work->store_cost += cost;
    }
}

void wg_count_barrier(const struct wg_cpu_site *site, uint32_t blocks) {
    uint64_t passages = (uint64_t)blocks * wg_ck.threads;
    if (site != NULL) {
        struct wg_site_state *state = wg_site_state(site);
        if (!state->counted_here) {
            touch_site(state);
        }
        state->barriers += passages;
    }
}

/* ---- Into the report ---------------------------------------------------------------------------
 */
static struct wg_counter_record *record_of(const char *kernel, const char *file, uint32_t line) {
    struct wg_report *report = wg_report;
    for (uint32_t i = 0; i < report->counter_count && i < WG_REPORT_MAX_COUNTERS; i++) {
        struct wg_counter_record *record = &report->counters[i];
        if (record->line == line &&
            strncmp(record->kernel, kernel, sizeof record->kernel - 1) == 0 &&
            (line == 0 || strncmp(record->file, file, sizeof record->file - 1) == 0)) {
            return record;
        }
    }
    if (report->counter_count >= WG_REPORT_MAX_COUNTERS) {
        return NULL;
    }
    struct wg_counter_record *record = &report->counters[report->counter_count];
    memset(record, 0, sizeof *record);
    snprintf(record->kernel, sizeof record->kernel, "%s", kernel);
    snprintf(record->file, sizeof record->file, "%s", line == 0 ? "" : file);
    record->line = line;
    report->counter_count++;
    return record;
}

static uint64_t scaled(uint64_t cost, uint64_t all, uint64_t skipped) {
    uint64_t sampled = all - skipped;
    return sampled == all || sampled == 0
               ? cost
               : (uint64_t)((double)cost * (double)all / (double)sampled);
}

static void add_site(struct wg_counter_record *record, const struct wg_site_state *site) {
    const struct wg_site_work *global = &site->global, *shared = &site->shared;
    record->global_loads += global->loads;
    record->global_stores += global->stores;
    record->global_atomics += global->atomics;
    record->global_load_bytes += global->load_bytes;
    record->global_store_bytes += global->store_bytes;
    record->global_load_segments += scaled(global->load_cost, global->loads, global->load_skipped);
    record->global_store_segments +=
        scaled(global->store_cost, global->stores, global->store_skipped);
    record->shared_loads += shared->loads;
    record->shared_stores += shared->stores;
    record->shared_bank_conflicts +=
        scaled(shared->load_cost, shared->loads, shared->load_skipped) +
        scaled(shared->store_cost, shared->stores, shared->store_skipped);
    record->barriers += site->barriers;
}

void wg_count_launch_begin(void) {
    wg_count_epoch();
}

void wg_count_launch_end(void) {
    const char *kernel = wg_say_kernel(wg_ck.launch.kernel);
    struct wg_counter_record *whole = wg_report != NULL ? record_of(kernel, "", 0) : NULL;
    if (whole != NULL) {
        const struct wg_cpu_dim3 *grid = &wg_ck.launch.grid;
        whole->launches++;
        whole->threads += (uint64_t)grid->x * grid->y * grid->z * wg_ck.threads;
    }
    for (size_t i = 0; i < g_touched_count; i++) {
        struct wg_site_state *site = g_touched[i];
        const struct wg_cpu_site *place = site->site;
        struct wg_counter_record *line =
            whole != NULL && place->line != 0
                ? record_of(kernel, place->file != NULL ? place->file : "", place->line)
                : NULL;
        if (whole != NULL) {
            add_site(whole, site);
        }
        if (line != NULL) {
            add_site(line, site);
        }
        /* Filling with one value first is a habit, and no mistake. */
        if (site->lost > 0 && site->lost == site->shared.stores && site->lost_values_differ) {
            wg_say_lost_stores(site);
        }
        site->lost = 0;
        site->lost_values_differ = false;
        site->global = site->shared = (struct wg_site_work){0};
        site->barriers = 0;
        site->counted_here = false;
    }
    g_touched_count = 0;
}
