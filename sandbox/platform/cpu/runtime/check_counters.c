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

#define BANKS            32u
#define WORD_LANES_SHIFT 5 /* 32 lanes of one word each are served at a time */
#define MAX_GROUPS       16384u
#define MAX_ROWS         UINT16_MAX

/* One access of a wave to global memory; segments count from the region's first. */
struct segments {
    struct wg_wave_group group;
    uint32_t middle; /* the first segment touched */
    uint64_t near;   /* segments around `middle` that were touched */
};

/* One access of the lanes that are served together, to shared memory. */
struct banks {
    struct wg_wave_group group;
    uint32_t used; /* banks */
    uint8_t most, more_count;
    uint16_t first[BANKS]; /* the word that a used bank serves first */
    uint16_t more[BANKS];  /* other words, of any bank */
};

static struct wg_site_state **g_touched; /* sites that the running launch executed */
static size_t g_touched_count, g_touched_capacity;

void wg_count_epoch(void) {
    wg_ck.epoch++;
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
    if (site->epoch != wg_ck.epoch) {
        memset(site->nth, 0, wg_ck.threads * sizeof *site->nth);
        site->epoch = wg_ck.epoch;
    }
    site->lanes_shift = lanes_shift;
    site->word_shape = group_bytes == sizeof(struct segments) ? WG_COUNT_SEGMENTS
                       : lanes_shift == WORD_LANES_SHIFT      ? WG_COUNT_BANKS
                                                              : WG_COUNT_NOT;
    uint32_t row = site->nth[flat];
    bool fits = row < site->group_rows && columns == site->group_columns &&
                group_bytes == site->group_bytes;
    return row < MAX_ROWS && (fits || grow_groups(site, row, columns, group_bytes));
}

/* Which of the wave's accesses this is: its group, or NULL past the bound. */
static inline void *group_of(struct wg_site_state *site, uint32_t lanes_shift,
                             uint32_t group_bytes) {
    uint32_t flat = wg_self->flat;
    if ((site->epoch != wg_ck.epoch || site->lanes_shift != lanes_shift ||
         site->group_bytes != group_bytes || site->nth[flat] >= site->group_rows) &&
        !prepare_groups(site, flat, lanes_shift, group_bytes)) {
        return NULL;
    }
    size_t row = site->nth[flat]++;
    return site->groups + (row * site->group_columns + (flat >> lanes_shift)) * group_bytes;
}

/* How many segments this lane adds to what its wave already touches. Far jumps back to a segment
 * seen earlier count again; near ones (8 KiB) do not. */
static uint32_t add_segments(struct segments *access, uint32_t first, uint32_t last) {
    struct wg_wave_group *group = &access->group;
    if (group->epoch != wg_ck.epoch) {
        *access = (struct segments){.group = {wg_ck.epoch, UINT32_MAX}, .middle = first};
    }
    uint32_t added = 0;
    for (uint32_t segment = first; segment <= last; segment++) {
        if (segment == group->last) {
            continue;
        }
        group->last = segment;
        uint32_t bit = segment - access->middle + 32;
        if (bit >= 64) {
            added++;
        } else if ((access->near >> bit & 1) == 0) {
            access->near |= UINT64_C(1) << bit;
            added++;
        }
    }
    return added;
}

/* A word that meets another one in its bank: how many does the bank serve now? */
static uint32_t crowd(struct banks *access, uint32_t word) {
    uint32_t in_bank = 2; /* the first one and this */
    for (uint32_t i = 0; i < access->more_count; i++) {
        if (access->more[i] == (uint16_t)word) {
            return 0; /* known, and counted */
        }
        in_bank += access->more[i] % BANKS == word % BANKS;
    }
    if (access->more_count < BANKS) {
        access->more[access->more_count++] = (uint16_t)word;
    }
    return in_bank;
}

/* How many cycles these words of one lane add to the access. */
static uint32_t add_words(struct banks *access, uint32_t word, uint32_t words) {
    if (access->group.epoch != wg_ck.epoch) {
        access->group.epoch = wg_ck.epoch;
        access->used = 0;
        access->more_count = 0;
        access->most = 1; /* the first cycle is free */
    }
    uint32_t before = access->most;
    for (uint32_t end = word + words; word < end; word++) {
        uint32_t bank = word % BANKS;
        access->group.last = word;
        if ((access->used >> bank & 1) == 0) {
            access->used |= UINT32_C(1) << bank;
            access->first[bank] = (uint16_t)word;
        } else if (access->first[bank] != (uint16_t)word) {
            uint32_t in_bank = crowd(access, word);
            access->most = in_bank > access->most ? (uint8_t)in_bank : access->most;
        }
    }
    return access->most - before;
}

static void count_shared(struct wg_site_state *site, uintptr_t offset, uint64_t bytes,
                         uint32_t access) {
    struct wg_site_work *work = &site->shared;
    uint32_t words = (uint32_t)((offset % 4 + bytes + 3) / 4);
    words = words > 4 ? 4 : words;
    /* The wider, the fewer lanes at a time. */
    uint32_t narrower = words >= 3 ? 2 : words - 1;
    struct banks *group = group_of(site, WORD_LANES_SHIFT - narrower, sizeof *group);
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

void *wg_count_access(struct wg_site_state *site, const struct wg_region *region, void *p,
                      uint64_t bytes, uint32_t access) {
    if (!site->counted_here) {
        touch_site(site);
    }
    uintptr_t offset = (uintptr_t)p - region->counted_from;
    if (region->is_shared) {
        count_shared(site, offset, bytes, access);
        return p;
    }
    struct wg_site_work *work = &site->global;
    if (region->is_constant || access == 2) {
        work->atomics += access == 2; /* constants are served by a cache of their own */
        return p;
    }
    struct segments *group = group_of(site, wg_ck.warp_shift, sizeof *group);
    uint32_t first = (uint32_t)(offset >> WG_SEGMENT_SHIFT);
    uint32_t last = (uint32_t)((offset + bytes - 1) >> WG_SEGMENT_SHIFT);
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
    return p;
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

/* What the quick way counted, see check_quick.h. */
static void add_repeated(struct wg_site_state *site) {
    bool is_shared = site->word_shape == WG_COUNT_BANKS;
    struct wg_site_work *work = is_shared ? &site->shared : &site->global;
    work->loads += site->repeated[0];
    work->stores += site->repeated[1];
    work->load_bytes += 4 * site->repeated[0];
    work->store_bytes += 4 * site->repeated[1];
    site->repeated[0] = site->repeated[1] = 0;
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
        add_repeated(site);
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
