/* Races: each access is compared with the last writer and two readers of each word it touches. */
#include <sys/mman.h>

#include "sandbox/platform/cpu/runtime/check_quick.h"

#define PAGE_BYTES ((uintptr_t)4096)

static inline bool clashes(const struct wg_quick *order, const struct wg_access *earlier,
                           uint32_t mask) {
    return (earlier->what & mask) != 0 && !wg_quick_settled(order, earlier);
}

/* ---- The slow half: is it really unordered, and what is it called?
 * -------------------------------
 */
const struct wg_launch_past *wg_launch_at(uint32_t time) {
    const struct wg_launch_past *found = NULL;
    for (uint32_t i = 0; i < WG_PAST_LAUNCHES; i++) {
        const struct wg_launch_past *past = &wg_ck.past[i];
        if (past->start_time != 0 && past->start_time <= time &&
            (found == NULL || past->start_time > found->start_time)) {
            found = past;
        }
    }
    return found;
}

static bool is_same_block(const struct wg_touch *touch, const struct wg_access *earlier) {
    return earlier->time >= wg_ck.start_time &&
           earlier->who - touch->block->first_who < wg_ck.threads;
}

static bool is_same_wave(const struct wg_touch *touch, const struct wg_access *earlier) {
    return is_same_block(touch, earlier) &&
           wg_wave_of(earlier->who - touch->block->first_who) == wg_wave_of(wg_self->flat);
}

static bool synced_as_lanes(const struct wg_touch *touch, const struct wg_access *earlier) {
    uint32_t lanes = 1u << wg_ck.warp_shift;
    uint64_t both = UINT64_C(1) << (wg_self->flat & (lanes - 1)) |
                    UINT64_C(1) << ((earlier->who - touch->block->first_who) & (lanes - 1));
    const struct wg_wave_sync *syncs = touch->block->synced[wg_wave_of(wg_self->flat)];
    for (int i = 0; i < WG_WAVE_MASKS; i++) {
        if ((syncs[i].mask & both) == both && earlier->time < syncs[i].time) {
            return true;
        }
    }
    return false;
}

static bool is_ordered(const struct wg_touch *touch, const struct wg_access *earlier, bool fenced) {
    if (earlier->time < wg_ck.start_time) {
        const struct wg_launch_past *past = wg_launch_at(earlier->time);
        return past == NULL || past->ordered;
    }
    if (earlier->time < wg_ck.grid_time) {
        return true;
    }
    if (is_same_wave(touch, earlier) && synced_as_lanes(touch, earlier)) {
        return true;
    }
    return wg_sync_ordered(touch, earlier, fenced);
}

/* Memory still holds what the earlier thread wrote: compare the bytes that both write. */
static bool writes_same_value(const struct wg_touch *touch, uintptr_t word, uint32_t mask) {
    if (touch->value == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < 4; i++) {
        if ((mask >> i & 1) != 0) {
            uintptr_t at = word + i;
            const char *value = (const char *)touch->value + (at - (uintptr_t)touch->p);
            if (*value != *(const char *)at) {
                return false;
            }
        }
    }
    return true;
}

/* access codes: 0 read, 1 write, 2 atomic */
static void judge(const struct wg_touch *touch, const struct wg_access *earlier,
                  uint32_t earlier_access, uintptr_t word, uint32_t mask) {
    if (is_ordered(touch, earlier, earlier_access == 1)) {
        return;
    }
    bool both_write = touch->access == 1 && earlier_access == 1;
    struct wg_conflict conflict = {WG_FINDING_DATA_RACE, earlier, earlier_access, word,
                                   .lacks_fence = is_ordered(touch, earlier, false)};
    bool same_site = earlier->what >> WG_CELL_SITE_SHIFT == touch->site->index;
    if (both_write && writes_same_value(touch, word, mask & earlier->what)) {
        if (wg_copy_did(earlier)) {
            return;
        }
        conflict.kind = WG_FINDING_SAME_VALUE;
    } else if (is_same_wave(touch, earlier) && !(both_write && same_site)) {
        /* Lanes in lock-step run different instructions one after the other; only lanes that
         * store to one place with one instruction have no order at all. */
        conflict.kind = WG_FINDING_WARP_SYNC;
    }
    wg_say_conflict(touch, &conflict);
}

/* `old = *p; do ... while (atomicCAS(p, old, ...) != old)` is how atomics are made by hand: its
 * plain read is raced by other threads' atomics, and no harm comes of it, since the exchange
 * notices. So a plain read that its thread follows up with an atomic on the same word is excused.
 */
static struct {
    uint32_t who;
    uintptr_t word;
    struct wg_site_state *site; /* NULL: none is open */
} g_open_read;

static void open_read(const struct wg_touch *touch, uintptr_t word) {
    touch->site->unexcused_reads++;
    g_open_read.who = touch->who;
    g_open_read.word = word;
    g_open_read.site = touch->site;
}

static void excuse_reads(const struct wg_touch *touch) {
    uintptr_t word = (uintptr_t)touch->p & ~(uintptr_t)3;
    if (g_open_read.site != NULL && g_open_read.who == touch->who && g_open_read.word == word) {
        g_open_read.site->unexcused_reads--;
        g_open_read.site = NULL;
    }
    struct wg_cell *cell = &touch->region->cells[(word - touch->region->origin) >> 2];
    for (int i = 0; i < 2; i++) {
        if (cell->reader[i].who == touch->who && cell->reader[i].time >= wg_ck.start_time) {
            cell->reader[i].what |= WG_CELL_ATOMIC;
        }
    }
}

/* Atomics of others on this word, against a plain access. */
static __attribute__((noinline)) void judge_atomics(const struct wg_touch *touch,
                                                    const struct wg_quick *order,
                                                    struct wg_cell *cell, uintptr_t word) {
    const struct wg_sync_var *var = wg_sync_find(touch->region, word);
    if (var == NULL) {
        cell->writer.what &= ~WG_CELL_ATOMIC; /* forgotten since: they are ordered */
        return;
    }
    const struct wg_access *atomics = wg_sync_accesses(var), *found = NULL;
    for (int i = 0; i < 2; i++) {
        if (atomics[i].time != 0 && !wg_quick_settled(order, &atomics[i]) &&
            !is_ordered(touch, &atomics[i], false) &&
            (found == NULL || is_same_wave(touch, found))) {
            found = &atomics[i];
        }
    }
    if (found != NULL) {
        if (touch->access == 0) {
            open_read(touch, word);
        }
        judge(touch, found, 2, word, WG_CELL_BYTES);
    }
}

/* The two readers against a write: the one in another wave makes the graver finding. */
static void judge_readers(const struct wg_touch *touch, const struct wg_quick *order,
                          const struct wg_cell *cell, uintptr_t word, uint32_t mask,
                          uint32_t ignored) {
    const struct wg_access *found = NULL;
    for (int i = 0; i < 2; i++) {
        const struct wg_access *reader = &cell->reader[i];
        if ((reader->what & ignored) == 0 && clashes(order, reader, mask) &&
            (found == NULL || is_same_wave(touch, found))) {
            found = reader;
        }
    }
    if (found != NULL) {
        judge(touch, found, 0, word, mask);
    }
}

void wg_race_lost(const struct wg_access *stored, const struct wg_site_state *site,
                  uintptr_t word) {
    struct wg_site_state *loser = wg_site_by_index(stored->what >> WG_CELL_SITE_SHIFT);
    uint32_t value;
    memcpy(&value, (const void *)word, sizeof value);
    loser->lost_values_differ =
        loser->lost_values_differ || (loser->lost > 0 && loser->lost_value != value);
    loser->lost_value = value;
    loser->lost_to = site->index;
    loser->lost++;
}

/* ---- Reads -------------------------------------------------------------------------------------
 */
static void note_reader(struct wg_cell *cell, const struct wg_quick *order, uint32_t mask,
                        uint32_t what) {
    struct wg_access me = {wg_ck.now, order->who, what | mask};
    for (int i = 0; i < 2; i++) {
        const struct wg_access *mine = &cell->reader[i];
        if (mine->who == me.who && mine->time == me.time &&
            (mine->what & WG_CELL_ATOMIC) == (what & WG_CELL_ATOMIC)) {
            me.what |= mine->what & WG_CELL_BYTES; /* other bytes of the word, a moment ago */
        }
    }
    wg_quick_note_reader(order, cell, &me);
}

static void read_words(const struct wg_touch *touch, uint32_t what) {
    const struct wg_quick order = wg_quick_of(touch->region, touch->block);
    uintptr_t p = (uintptr_t)touch->p, end = p + touch->bytes;
    for (uintptr_t word = p & ~(uintptr_t)3; word < end; word += 4) {
        struct wg_cell *cell = &touch->region->cells[(word - touch->region->origin) >> 2];
        uint32_t mask = wg_word_mask(word, p, touch->bytes);
        if (clashes(&order, &cell->writer, mask)) {
            judge(touch, &cell->writer, 1, word, mask);
        }
        if ((cell->writer.what & WG_CELL_ATOMIC) != 0 && (what & WG_CELL_ATOMIC) == 0) {
            judge_atomics(touch, &order, cell, word);
        }
        note_reader(cell, &order, mask, what);
    }
}

void wg_race_read(const struct wg_touch *touch) {
    read_words(touch, touch->site->index << WG_CELL_SITE_SHIFT);
}

/* ---- Writes ------------------------------------------------------------------------------------
 */
void wg_race_write(const struct wg_touch *touch) {
    const struct wg_quick order = wg_quick_of(touch->region, touch->block);
    uintptr_t p = (uintptr_t)touch->p, end = p + touch->bytes;
    uint32_t site = touch->site->index << WG_CELL_SITE_SHIFT;
    for (uintptr_t word = p & ~(uintptr_t)3; word < end; word += 4) {
        struct wg_cell *cell = &touch->region->cells[(word - touch->region->origin) >> 2];
        uint32_t mask = wg_word_mask(word, p, touch->bytes);
        if (clashes(&order, &cell->writer, mask)) {
            judge(touch, &cell->writer, 1, word, mask);
        }
        if (clashes(&order, &cell->reader[0], mask) || clashes(&order, &cell->reader[1], mask)) {
            judge_readers(touch, &order, cell, word, mask, 0);
        }
        uint32_t atomic = cell->writer.what & WG_CELL_ATOMIC;
        if (atomic != 0) {
            judge_atomics(touch, &order, cell, word);
        }
        if (word == p && mask == WG_CELL_BYTES && wg_quick_is_lost(&order, touch->site, cell)) {
            wg_race_lost(&cell->writer, touch->site, word);
        }
        struct wg_access me = {wg_ck.now, touch->who, site | atomic | mask};
        if (cell->writer.who == me.who && cell->writer.time == me.time) {
            me.what |= cell->writer.what & WG_CELL_BYTES;
        }
        cell->writer = me;
        /* Readers are ordered before this write or have been reported: later accesses need only be
         * compared with the write. */
        for (int i = 0; i < 2; i++) {
            if ((cell->reader[i].what & WG_CELL_BYTES & ~mask) == 0) {
                cell->reader[i].time = 0;
            }
        }
    }
}

/* ---- Atomics -----------------------------------------------------------------------------------
 */
/* Compared with plain accesses only, before anything is learnt from the atomic itself: a thread
 * that clears a counter while others already add to it is wrong even if it adds as well. */
void wg_race_atomic(const struct wg_touch *touch) {
    if ((touch->flags & (WG_SITE_RESULT_UNUSED | WG_SITE_NO_WRITE)) == 0) {
        excuse_reads(touch);
    }
    wg_sync_poll(touch);
    const struct wg_quick order = wg_quick_of(touch->region, touch->block);
    uintptr_t p = (uintptr_t)touch->p, end = p + touch->bytes;
    uintptr_t first = p & ~(uintptr_t)3;
    bool writes = (touch->flags & WG_SITE_NO_WRITE) == 0;
    for (uintptr_t word = first; word < end; word += 4) {
        struct wg_cell *cell = &touch->region->cells[(word - touch->region->origin) >> 2];
        uint32_t mask = wg_word_mask(word, p, touch->bytes);
        if (clashes(&order, &cell->writer, mask)) {
            judge(touch, &cell->writer, 1, word, mask);
        }
        if (writes) {
            judge_readers(touch, &order, cell, word, mask, WG_CELL_ATOMIC);
            cell->writer.what |= WG_CELL_ATOMIC;
        } else {
            note_reader(cell, &order, mask,
                        touch->site->index << WG_CELL_SITE_SHIFT | WG_CELL_ATOMIC);
        }
        wg_sync_atomic(touch, word);
    }
}

/* The host wrote here: what kernels did before is over. */
void wg_race_forget(struct wg_region *region, uintptr_t p, uint64_t bytes) {
    if (region->cells == NULL || bytes == 0) {
        return;
    }
    size_t first = (p - region->origin) / 4, last = (p + bytes - 1 - region->origin) / 4;
    char *from = (char *)&region->cells[first], *to = (char *)&region->cells[last + 1];
    /* Whole pages are given back: that is quicker than to clear them. */
    char *pages = (char *)(((uintptr_t)from + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1));
    char *end = (char *)((uintptr_t)to & ~(PAGE_BYTES - 1));
    if (pages < end && madvise(pages, (size_t)(end - pages), MADV_DONTNEED) == 0) {
        memset(from, 0, (size_t)(pages - from));
        memset(end, 0, (size_t)(to - end));
    } else {
        memset(from, 0, (size_t)(to - from));
    }
}
