/* The common case of an access, without a call: whole words, at a place whose interval is known,
 * of memory that is written, in no conflict with anybody. Each function answers false when it is
 * not that simple; check_hooks.c then goes the long way, which may start from scratch since nothing
 * that is noted here is wrong to note twice. */
#ifndef WG_CPU_CHECK_QUICK_H
#define WG_CPU_CHECK_QUICK_H

#include "sandbox/platform/cpu/runtime/check_internal.h"

/* What orders earlier accesses to a region before the running thread. */
struct wg_quick {
    struct wg_region *region;
    const struct wg_ck_block *block;
    uint32_t who;
    uint32_t all_time; /* everything stamped earlier is ordered */
};

static inline struct wg_quick wg_quick_of(struct wg_region *region,
                                          const struct wg_ck_block *block) {
    return (struct wg_quick){
        .region = region,
        .block = block,
        .who = block->first_who + wg_self->flat,
        /* Shared memory is only ever touched by its block. */
        .all_time = region->is_shared ? block->barrier_time : wg_ck.ordered_time,
    };
}

/* Is the access inside what its place allowed last time, and aligned to words? */
static inline bool wg_quick_find(struct wg_quick *quick, const struct wg_site_state *site,
                                 struct wg_ck_block *block, uintptr_t p, const void *base,
                                 uint64_t bytes, uint64_t align) {
    uintptr_t offset = p - site->low;
    if (site->generation != wg_ck.generation || site->base != base || offset >= site->size ||
        bytes > site->size - offset || (p & (align - 1)) != 0 || (p & 3) != 0 ||
        (site->flags & WG_SITE_VOLATILE) != 0) {
        return false;
    }
    *quick = wg_quick_of(site->region != NULL ? site->region : &block->shared, block);
    return quick->region->cells != NULL;
}

/* Stamps from before the launch that are not ordered belong to another launch, whose thread numbers
 * mean nothing here. */
static inline bool wg_quick_settled(const struct wg_quick *quick, const struct wg_access *earlier) {
    return earlier->time < quick->all_time ||
           (earlier->time >= wg_ck.start_time &&
            (earlier->who == quick->who ||
             (earlier->time < quick->block->barrier_time &&
              earlier->who - quick->block->first_who < wg_ck.threads)));
}

/* Keeps two readers that nothing orders before the running thread, in different waves if there are
 * such. */
static inline void wg_quick_note_reader(const struct wg_quick *quick, struct wg_cell *cell,
                                        const struct wg_access *me) {
    struct wg_access *r0 = &cell->reader[0], *r1 = &cell->reader[1];
    if (r1->who != me->who && wg_quick_settled(quick, r0)) {
        *r0 = *me;
        return;
    }
    uint32_t shift = wg_ck.warp_shift;
    bool twice_one_wave = r0->who >> shift == r1->who >> shift;
    if (r1->who == me->who || wg_quick_settled(quick, r1) ||
        (twice_one_wave && r0->who >> shift != me->who >> shift)) {
        *r1 = *me;
    }
}

static inline bool wg_quick_read(const struct wg_quick *quick, const struct wg_site_state *site,
                                 size_t word) {
    struct wg_cell *cell = &quick->region->cells[word];
    if ((!quick->region->all_written && quick->region->written[word] == 0) ||
        (cell->writer.what & WG_CELL_ATOMIC) != 0 || !wg_quick_settled(quick, &cell->writer)) {
        return false;
    }
    const struct wg_access me = {wg_ck.now, quick->who,
                                 site->index << WG_CELL_SITE_SHIFT | WG_CELL_BYTES};
    wg_quick_note_reader(quick, cell, &me);
    return true;
}

/* Did the running thread itself store this since the barrier, elsewhere, and nobody read it? */
static inline bool wg_quick_is_lost(const struct wg_quick *quick, const struct wg_site_state *site,
                                    const struct wg_cell *cell) {
    return site->kind == WG_OBJECT_DYNAMIC && cell->writer.who == quick->who &&
           cell->writer.time >= quick->all_time &&
           cell->writer.what >> WG_CELL_SITE_SHIFT != site->index && cell->reader[0].time == 0 &&
           cell->reader[1].time == 0;
}

static inline bool wg_quick_write(const struct wg_quick *quick, const struct wg_site_state *site,
                                  size_t word) {
    struct wg_cell *cell = &quick->region->cells[word];
    if ((cell->writer.what & WG_CELL_ATOMIC) != 0 || !wg_quick_settled(quick, &cell->writer) ||
        !wg_quick_settled(quick, &cell->reader[0]) || !wg_quick_settled(quick, &cell->reader[1])) {
        return false;
    }
    if (wg_quick_is_lost(quick, site, cell)) {
        wg_race_lost(&cell->writer, site, quick->region->origin + 4 * word);
    }
    cell->writer = (struct wg_access){wg_ck.now, quick->who,
                                      site->index << WG_CELL_SITE_SHIFT | WG_CELL_BYTES};
    cell->reader[0].time = cell->reader[1].time = 0;
    if (!quick->region->all_written) {
        quick->region->written[word] = WG_CELL_BYTES;
    }
    return true;
}

/* Counts an access to one word: at once when the wave's lane before touched the same place. */
static inline void *wg_quick_count(struct wg_site_state *site, const struct wg_region *region,
                                   void *p, uint32_t access) {
    uint32_t flat = wg_self->flat;
    if (site->epoch == wg_ck.epoch && site->word_shape == region->shape &&
        site->nth[flat] < site->group_rows) {
        size_t group = site->nth[flat] * site->group_columns + (flat >> site->lanes_shift);
        const struct wg_wave_group *latest =
            (const void *)(site->groups + group * site->group_bytes);
        uint32_t place = (uint32_t)(((uintptr_t)p - region->counted_from) >> region->counted_shift);
        if (latest->epoch == wg_ck.epoch && latest->last == place) {
            site->nth[flat]++;
            site->repeated[access]++;
            return p;
        }
    }
    return wg_count_access(site, region, p, 4, access);
}

/* ---- Locals and copies of some aligned words ---------------------------------------------------
 */
/* Inside the variable, and for reads: no byte of it undefined. Writes define. */
static inline bool wg_quick_local(const struct wg_cpu_site *site, const void *p, const void *base,
                                  uint64_t bytes, bool writes) {
    uint64_t offset = (uintptr_t)p - (uintptr_t)base;
    if (base == NULL || offset >= site->object_bytes || bytes > site->object_bytes - offset) {
        return false;
    }
    uintptr_t at = (uintptr_t)p - wg_ck.stack_low;
    if (wg_ck.undefined == NULL || at >= wg_ck.stack_high - wg_ck.stack_low) {
        return true;
    }
    if ((bytes & 3) != 0) {
        return false;
    }
    uint8_t *marks = &wg_ck.undefined[at];
    uint32_t any = 0;
    for (uint64_t done = 0; done < bytes; done += 4) {
        uint32_t four = 0;
        if (writes) {
            memcpy(marks + done, &four, 4);
        } else {
            memcpy(&four, marks + done, 4);
        }
        any |= four;
    }
    return any == 0;
}

#endif
