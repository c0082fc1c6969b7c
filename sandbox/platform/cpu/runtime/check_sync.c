/* Order through atomics: tickets, locks, flags, home-made grid barriers.
 *
 * A wave that does an atomic on a word W hands over what it did before (and what its block did
 * before the block's last barrier) to every wave that later does an atomic on W and looks at the
 * result; from there the next barrier passes it on to the whole block. Lanes of a wave hand over
 * and receive together.
 *
 * Plain writes reach other blocks only with a fence between them and the atomic. One by any thread
 * of the block counts, as does an atomic that releases: whether the right thread called it, and
 * whether the receiver has one, is not asked.
 *
 * Recorded per word: each wave's first and last atomic on it ("releases"), and which other words'
 * hand-overs those waves had seen by then ("deps"). Seen words are kept per wave until the next
 * barrier and per block afterwards. All lists are short; a list that overflows is replaced by a
 * time before which everything counts as ordered. So is the table of releases when it is full. */
#include <stdlib.h>

#include "sandbox/platform/cpu/runtime/check_internal.h"

#define MAX_RELEASES (1u << 20)
#define SPIN_POLLS   16 /* equal answers in a row before others get a turn */

struct wg_sync_var {
    uintptr_t word; /* 0: unused */
    uint32_t stamp; /* generation of the table */
    uint32_t number;
    struct wg_access atomic[2]; /* latest ones that wrote, in different waves where possible */
    struct wg_acquired deps;
    uint32_t deps_version;
    uint32_t polls; /* atomics of one thread in a row that found the same value */
    uint32_t poll_who;
    uint64_t poll_value;
};

struct release {
    uint64_t key;   /* var number and wave; 0 is never a key */
    uint32_t stamp; /* generation of the table */
    uint32_t first, last;
    uint32_t block_time; /* the block's barrier before `last` */
    uint32_t fence_time; /* likewise its fence */
};

/* Global and shared words apart: shared ones end with their block. */
struct table {
    struct wg_sync_var *vars;
    struct release *releases;
    size_t var_slots, var_count, release_slots, release_count;
    uint32_t stamp;
    bool lossy;
};
static struct table g_global = {.stamp = 1}, g_shared = {.stamp = 1};
static uint32_t g_next_number = 1;
static uint32_t g_acquired_version = 1;

static uint64_t mix(uint64_t key) {
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return key ^ (key >> 29);
}

/* ---- Tables ------------------------------------------------------------------------------------
 */
static struct wg_sync_var *var_slot(const struct table *table, uintptr_t word) {
    size_t i = (size_t)mix(word >> 2) & (table->var_slots - 1);
    while (table->vars[i].stamp == table->stamp && table->vars[i].word != word) {
        i = (i + 1) & (table->var_slots - 1);
    }
    return &table->vars[i];
}

static bool grow_vars(struct table *table) {
    if (2 * (table->var_count + 1) <= table->var_slots) {
        return true;
    }
    struct table grown = *table;
    grown.var_slots = table->var_slots == 0 ? 256 : 2 * table->var_slots;
    grown.vars = calloc(grown.var_slots, sizeof *grown.vars);
    if (grown.vars == NULL) {
        return false;
    }
    for (size_t i = 0; i < table->var_slots; i++) {
        if (table->vars[i].stamp == table->stamp) {
            *var_slot(&grown, table->vars[i].word) = table->vars[i];
        }
    }
    free(table->vars);
    *table = grown;
    return true;
}

static struct wg_sync_var *find_var(const struct table *table, uintptr_t word) {
    if (table->var_count == 0) {
        return NULL;
    }
    struct wg_sync_var *var = var_slot(table, word);
    return var->stamp == table->stamp ? var : NULL;
}

static struct wg_sync_var *find_or_add_var(struct table *table, uintptr_t word) {
    struct wg_sync_var *var = find_var(table, word);
    if (var != NULL || !grow_vars(table)) {
        return var;
    }
    var = var_slot(table, word);
    *var = (struct wg_sync_var){
        .word = word, .stamp = table->stamp, .number = g_next_number++, .poll_who = UINT32_MAX};
    table->var_count++;
    return var;
}

static struct release *release_slot(const struct table *table, uint64_t key) {
    size_t i = (size_t)mix(key) & (table->release_slots - 1);
    while (table->releases[i].stamp == table->stamp && table->releases[i].key != key) {
        i = (i + 1) & (table->release_slots - 1);
    }
    return &table->releases[i];
}

static bool grow_releases(struct table *table) {
    if (2 * (table->release_count + 1) <= table->release_slots) {
        return true;
    }
    struct table grown = *table;
    grown.release_slots = table->release_slots == 0 ? 1024 : 2 * table->release_slots;
    grown.releases = table->release_count < MAX_RELEASES
                         ? calloc(grown.release_slots, sizeof *grown.releases)
                         : NULL;
    if (grown.releases == NULL) {
        return false;
    }
    for (size_t i = 0; i < table->release_slots; i++) {
        if (table->releases[i].stamp == table->stamp) {
            *release_slot(&grown, table->releases[i].key) = table->releases[i];
        }
    }
    free(table->releases);
    *table = grown;
    return true;
}

/* Waves are told apart by their first thread's number, in units of 32 lanes. */
static uint64_t release_key(uint32_t var_number, uint32_t first_who, uint32_t wave) {
    uint32_t lane0 = first_who + (wave << wg_ck.warp_shift);
    return (uint64_t)var_number << 32 | lane0;
}

static const struct release *find_release(const struct table *table, uint64_t key) {
    if (table->release_count == 0) {
        return NULL;
    }
    const struct release *found = release_slot(table, key);
    return found->stamp == table->stamp ? found : NULL;
}

static void clear(struct table *table) {
    table->stamp++;
    table->var_count = table->release_count = 0;
    table->lossy = false;
}

/* Atomics of a launch that nothing orders before this one still matter. */
void wg_sync_launch_begin(bool all_ordered) {
    clear(&g_shared);
    if (all_ordered) {
        clear(&g_global);
    }
}

void wg_sync_block_end(void) {
    if (wg_ck_block_count_active() == 0) {
        clear(&g_shared);
    }
}

/* ---- What waves and blocks have seen -----------------------------------------------------------
 */
static void acquire(struct wg_acquired *set, struct wg_seen_word seen) {
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->from[i].word == seen.word && set->from[i].is_shared == seen.is_shared) {
            set->from[i].time = seen.time > set->from[i].time ? seen.time : set->from[i].time;
            return;
        }
    }
    g_acquired_version++;
    if (set->count < WG_ACQUIRED) {
        set->from[set->count++] = seen;
    } else if (seen.time > set->all_time) {
        set->all_time = seen.time;
    }
}

static void acquire_all(struct wg_acquired *to, const struct wg_acquired *from) {
    for (uint32_t i = 0; i < from->count; i++) {
        acquire(to, from->from[i]);
    }
    if (from->all_time > to->all_time) {
        to->all_time = from->all_time;
        g_acquired_version++;
    }
}

void wg_sync_barrier(struct wg_ck_block *block) {
    for (uint32_t waves = block->waves_that_acquired; waves != 0; waves &= waves - 1) {
        struct wg_acquired *seen = &block->wave_acquired[__builtin_ctz(waves)];
        acquire_all(&block->acquired, seen);
        memset(seen, 0, sizeof *seen);
    }
    block->waves_that_acquired = 0;
}

/* ---- An atomic happens -------------------------------------------------------------------------
 */
static void release(struct table *table, struct wg_sync_var *var, const struct wg_ck_block *block,
                    uint32_t wave) {
    uint64_t key = release_key(var->number, block->first_who, wave);
    if (!grow_releases(table)) {
        table->lossy = true;
        return;
    }
    struct release *entry = release_slot(table, key);
    if (entry->stamp != table->stamp) {
        *entry = (struct release){.key = key, .stamp = table->stamp, .first = wg_ck.now};
        table->release_count++;
    }
    entry->last = wg_ck.now;
    entry->block_time = block->barrier_time;
    entry->fence_time = block->fence_time;
    if (var->deps_version != g_acquired_version) {
        acquire_all(&var->deps, &block->acquired);
        acquire_all(&var->deps, &block->wave_acquired[wave]);
        var->deps_version = g_acquired_version;
    }
}

/* Two writers in different waves are enough to compare any later plain access with. */
static void remember(struct wg_sync_var *var, const struct wg_access *access) {
    uint32_t wave = access->who >> wg_ck.warp_shift;
    bool same0 =
        var->atomic[0].time >= wg_ck.start_time && var->atomic[0].who >> wg_ck.warp_shift == wave;
    if (!same0) {
        var->atomic[1] = var->atomic[0];
    }
    var->atomic[0] = *access;
}

void wg_sync_poll(const struct wg_touch *touch) {
    if ((touch->flags & (WG_SITE_RESULT_UNUSED | WG_SITE_NO_READ)) != 0) {
        return;
    }
    struct table *table = touch->region->is_shared ? &g_shared : &g_global;
    struct wg_sync_var *var = find_or_add_var(table, (uintptr_t)touch->p & ~(uintptr_t)3);
    if (var == NULL) {
        return;
    }
    uint64_t value = 0;
    memcpy(&value, touch->p, touch->bytes < sizeof value ? touch->bytes : sizeof value);
    if (var->poll_who != touch->who || var->poll_value != value) {
        var->poll_who = touch->who;
        var->poll_value = value;
        var->polls = 0;
    } else if (++var->polls >= SPIN_POLLS) {
        wg_sched_spin_hint(touch->site->site); /* others run: var may have moved */
    }
}

struct wg_sync_var *wg_sync_find(const struct wg_region *region, uintptr_t word) {
    return find_var(region->is_shared ? &g_shared : &g_global, word);
}

const struct wg_access *wg_sync_accesses(const struct wg_sync_var *var) {
    return var->atomic;
}

void wg_sync_atomic(const struct wg_touch *touch, uintptr_t word) {
    struct table *table = touch->region->is_shared ? &g_shared : &g_global;
    struct wg_sync_var *var = find_or_add_var(table, word);
    if (var == NULL) {
        table->lossy = true;
        return;
    }
    uint32_t flags = touch->flags, wave = wg_wave_of(wg_self->flat);
    wg_ck.now++;
    if ((flags & WG_SITE_NO_WRITE) == 0) {
        struct wg_access access = {wg_ck.now, touch->who,
                                   WG_CELL_BYTES | WG_CELL_ATOMIC |
                                       touch->site->index << WG_CELL_SITE_SHIFT};
        remember(var, &access);
        release(table, var, touch->block, wave);
    }
    if ((flags & (WG_SITE_RESULT_UNUSED | WG_SITE_NO_READ)) == 0) {
        acquire(&touch->block->wave_acquired[wave],
                (struct wg_seen_word){word, wg_ck.now, touch->region->is_shared});
        touch->block->waves_that_acquired |= 1u << wave;
        if (table->lossy) {
            touch->block->wave_acquired[wave].all_time = wg_ck.now;
        }
    }
}

/* ---- Questions ---------------------------------------------------------------------------------
 */
struct question {
    const struct wg_access *earlier;
    uint32_t first_who, waves; /* of its block */
    uint32_t wave;
    bool fenced; /* counts only with a fence in between */
};

static bool released_by(const struct question *q, const struct table *table, uint32_t var,
                        uint32_t seen_at) {
    for (uint32_t wave = 0; wave < q->waves; wave++) {
        const struct release *r = find_release(table, release_key(var, q->first_who, wave));
        if (r == NULL || r->first > seen_at) {
            continue;
        }
        if (q->fenced && q->earlier->time > r->fence_time) {
            continue;
        }
        bool own_wave = wave == q->wave && q->earlier->time <= r->last;
        if (own_wave || q->earlier->time < r->block_time) {
            return true;
        }
    }
    return false;
}

static bool seen_by(const struct question *q, const struct wg_acquired *set, int hops) {
    if (q->earlier->time < set->all_time) {
        return true;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->from[i].time < q->earlier->time) {
            continue;
        }
        const struct table *table = set->from[i].is_shared ? &g_shared : &g_global;
        const struct wg_sync_var *var = find_var(table, set->from[i].word);
        if (var == NULL) {
            continue;
        }
        if (released_by(q, table, var->number, set->from[i].time) ||
            (hops > 0 && seen_by(q, &var->deps, hops - 1))) {
            return true;
        }
    }
    return false;
}

bool wg_sync_ordered(const struct wg_touch *touch, const struct wg_access *earlier, bool fenced) {
    if (earlier->time < wg_ck.start_time) {
        return false; /* another launch: streams and events order those */
    }
    uint32_t flat = earlier->who % wg_ck.threads;
    struct question q = {
        .earlier = earlier,
        .first_who = earlier->who - flat,
        .wave = wg_wave_of(flat),
        .waves = (wg_ck.threads + (1u << wg_ck.warp_shift) - 1) >> wg_ck.warp_shift,
    };
    const struct wg_ck_block *block = touch->block;
    q.fenced = fenced && q.first_who != block->first_who;
    const struct wg_acquired *wave = &block->wave_acquired[wg_wave_of(wg_self->flat)];
    enum { HOPS = 3 };
    return seen_by(&q, &block->acquired, HOPS) || seen_by(&q, wave, HOPS);
}
