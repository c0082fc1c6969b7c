/* The checker's inside: what the files check_*.c share. Nothing else includes this.
 *
 * Theory of operation
 * -------------------
 * One worker runs all GPU threads of a checked process one after the other, switching only at
 * barriers and wave operations. So there is no locking here, and what is found does not depend on
 * chance. The order in which threads happen to run must not decide whether a race is found, either:
 * each access is compared with what others did to the same bytes, and asked whether anything in the
 * program orders the two.
 *
 * Time. `now` counts the events that can order threads: launches, blocks, barriers, wave
 * operations, atomics. Each access is stamped with it. "Was that access before the block's last
 * barrier?" is then one comparison.
 *
 * Memory. A region is an allocation, a device variable, or the shared memory of one running block.
 * It has one cell per 4-byte word (last writer, two readers) and one byte per word that says which
 * of its bytes were ever written. Shared memory keeps its cells from block to block: stamps older
 * than the block's start count as never. Freed allocations stay, without cells, so that a use after
 * free can be named.
 *
 * Order. Access A (earlier) and B (now) are ordered when
 *   - a launch boundary with stream or host order, or a grid barrier, lies between them (a copy or
 *     fill that the host does not wait for is a launch of one thread), or
 *   - both are of one thread, or of one block with a barrier between, or
 *   - both are lanes of a wave operation that lies between, or
 *   - an atomic after A and an atomic before B touched the same word, and, where A is a plain
 *     write of another block, there is a __threadfence() between it and its atomic (check_sync.c).
 * Anything else with a write in it is a race, unless the bytes written are those already there (a
 * note), or both are lanes of one wave, which lock-step hardware orders (a warning), or both are
 * atomic.
 *
 * Two reader slots, in different waves where possible, suffice: whoever writes next is then
 * compared with a reader of another wave, if there was one.
 *
 * A false alarm costs a student more than a miss. So where the records are too coarse (bytes of one
 * word, too many atomics), the checker takes things for ordered and for initialized. */
#ifndef WG_CPU_CHECK_INTERNAL_H
#define WG_CPU_CHECK_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sandbox/platform/cpu/abi.h"
#include "sandbox/platform/cpu/runtime/checker.h"

#pragma GCC visibility push(hidden)

/* ---- Cells -------------------------------------------------------------------------------------
 */
#define WG_CELL_BYTES      0xFu  /* which bytes of the word */
#define WG_CELL_ATOMIC     0x10u /* reader slots: an atomic load; writer slot: see below */
#define WG_CELL_SITE_SHIFT 5     /* index into the site table above */
#define WG_MAX_SITES       (1u << 27)

/* One remembered access; time 0: none. who: thread number in its launch. The writer's
 * WG_CELL_ATOMIC bit says that atomics touched the word: check_sync.c knows by whom. */
struct wg_access {
    uint32_t time, who, what;
};

struct wg_cell {
    struct wg_access writer, reader[2];
};

struct wg_region {
    uintptr_t low, high;
    uintptr_t origin; /* low rounded down to a word: what cells count from */
    size_t words;
    struct wg_cell *cells; /* zeroed pages, made at first use; NULL when freed */
    uint8_t *written;      /* per word: its bytes that were ever written */
    bool all_written;
    bool is_shared, is_freed, is_host, is_constant, is_variable;
    uint8_t shape;          /* enum wg_count_shape */
    uintptr_t counted_from; /* what words or segments count from... */
    uint32_t counted_shift; /* ...and log2 of their size */
    char name[64];          /* of a variable; empty otherwise */
    const char *param;      /* the parameter that pointed here in launch `param_launch` */
    uint64_t param_launch;
};

/* ---- Sites -------------------------------------------------------------------------------------
 * What the checker remembers per wg_cpu_site: the interval that its base allowed last time, and
 * the work counted in this launch. */
#define WG_SEGMENT_SHIFT 7 /* 128 bytes */
enum wg_count_shape { WG_COUNT_NOT, WG_COUNT_BANKS, WG_COUNT_SEGMENTS };

/* What every record of a wave's access begins with. */
struct wg_wave_group {
    uint32_t epoch; /* anything else than the current one: empty */
    uint32_t last;  /* the latest word or segment touched */
};

struct wg_site_work {
    uint64_t loads, stores, atomics, load_bytes, store_bytes;
    uint64_t load_cost, store_cost;       /* segments or extra cycles... */
    uint64_t load_skipped, store_skipped; /* ...but for these accesses, which nobody looked at */
};
struct wg_site_state {
    const struct wg_cpu_site *site;
    uint32_t index;
    uint32_t kind, flags;
    /* Cached answer of wg_bounds_resolve; valid while generation matches wg_ck.generation. */
    uint32_t generation;
    const void *base;
    uintptr_t low, size;
    struct wg_region *region; /* NULL: the running block's shared memory */
    /* check_counters.c */
    bool counted_here; /* in the list of sites that this launch touched */
    uint32_t epoch;
    struct wg_site_work global, shared;
    uint64_t barriers;
    uint64_t lost; /* stores to dynamic shared memory that their own thread overwrote unread... */
    uint32_t lost_to, lost_value; /* ...here; one of the values */
    bool lost_values_differ;
    /* Plain reads here that met atomics of others, and that no atomic of the reader followed. */
    uint64_t unexcused_reads;
    uint16_t *nth; /* per thread: executions in this epoch */
    char *groups;  /* per access of a wave: rows of columns, one for 2^lanes_shift threads */
    uint32_t group_rows, group_columns, lanes_shift, group_bytes;
    uint32_t word_shape;  /* enum wg_count_shape, when the groups fit accesses of one word */
    uint64_t repeated[2]; /* loads, stores of a word whose wave had just touched the place */
};

/* ---- Blocks that run now -----------------------------------------------------------------------
 */
#define WG_MAX_THREADS 1024
#define WG_MAX_WAVES   (WG_MAX_THREADS / 32)
#define WG_WAVE_MASKS  6
#define WG_ACQUIRED    6

struct wg_wave_sync {
    uint64_t mask;
    uint32_t time;
};

/* Words whose atomics a wave has seen since the last barrier (or a block before it), and when;
 * all_time: everything that happened before this counts as seen. */
struct wg_seen_word {
    uintptr_t word;
    uint32_t time;
    bool is_shared;
};
struct wg_acquired {
    uint32_t count, all_time;
    struct wg_seen_word from[WG_ACQUIRED];
};

struct wg_ck_block {
    bool active;
    uint64_t linear; /* block number in the grid */
    struct wg_cpu_dim3 index;
    uint32_t first_who;
    uint32_t start_time, barrier_time;
    uint32_t fence_time; /* the latest __threadfence() of any of its threads */
    struct wg_region shared;
    size_t shared_capacity_words;
    struct wg_wave_sync synced[WG_MAX_WAVES][WG_WAVE_MASKS];
    struct wg_acquired acquired;
    struct wg_acquired wave_acquired[WG_MAX_WAVES];
    uint32_t waves_that_acquired; /* bit per wave */
    bool any_wave_synced;
};

/* ---- The launch that runs now ------------------------------------------------------------------
 */
struct wg_launch_past {
    uint64_t sequence;
    uint32_t start_time;
    bool ordered; /* before the running launch */
    struct wg_cpu_dim3 grid, block;
    const struct wg_cpu_kernel *kernel;
    const char *call; /* of a copy or fill in place of a kernel: the API function */
};
#define WG_PAST_LAUNCHES 64

struct wg_checker {
    uint32_t now;
    uint32_t generation; /* of cached intervals: changes with allocations and launches */
    /* The running thread, as wg_thread_enter last saw it. */
    struct wg_ck_block *block;
    /* The running launch. */
    bool launched;
    struct wg_checker_launch launch;
    uint64_t launch_count;
    uint32_t start_time;
    uint32_t ordered_time; /* everything stamped earlier is ordered before what runs now */
    uint32_t grid_time;    /* the launch's last grid barrier: orders this launch's own accesses */
    uint32_t threads;      /* per block */
    uint32_t warp_shift;   /* log2 of the wave's lanes */
    uint32_t epoch;        /* lanes count their accesses afresh in each, see check_counters.c */
    struct wg_launch_past past[WG_PAST_LAUNCHES];
    uint32_t past_count; /* ever; the newest is at (past_count - 1) % WG_PAST_LAUNCHES */
    /* The fibers' stacks. */
    uintptr_t stack_low, stack_high;
    uint8_t *undefined; /* one byte per byte of the stacks: 1 in a local nobody wrote yet */
};
extern struct wg_checker wg_ck;

/* One access, on its way through the checks. */
struct wg_touch {
    char *p;
    const void *base;
    uint64_t bytes;
    uint32_t who;
    struct wg_ck_block *block;
    struct wg_site_state *site;
    struct wg_region *region;
    const void *value; /* what a plain write is about to store; NULL: not known */
    uint32_t access;   /* 0 read, 1 write, 2 atomic; as wg_finding_record.is_write */
    uint32_t flags;    /* enum wg_cpu_site_flag */
};

/* check_memory.c */
struct wg_region *wg_memory_find(uintptr_t address);    /* the region that holds it, or NULL */
struct wg_region *wg_memory_nearest(uintptr_t address); /* ...or the one in whose margin it lies */
struct wg_region *wg_memory_add_variable(const void *base, size_t bytes, const char *name,
                                         bool is_constant);
bool wg_region_prepare(struct wg_region *region); /* cells and written bytes exist; false: freed */
void wg_memory_name_params(void);
void wg_memory_mark_written(struct wg_region *region, uintptr_t p, uint64_t bytes);
void wg_memory_block_shared(struct wg_ck_block *block, char *base, size_t bytes);

/* check_blocks.c: which block a thread belongs to */
struct wg_ck_block *wg_ck_block_switch(void); /* of *wg_self; NULL outside launches */
uint32_t wg_ck_block_count_active(void);
/* A launch starts now, and takes its place behind the others. True when all of them are ordered
 * before it; what is forgotten counts as ordered. */
bool wg_ck_launch_add(struct wg_launch_past launch, bool (*ordered_after)(uint64_t sequence));

/* check_bounds.c. Finds the region of an access; false when it must not happen, after reporting it.
 * A true result with touch->region NULL: memory that only bounds are known of. */
bool wg_bounds_resolve(struct wg_touch *touch);
void *wg_bounds_sink(const struct wg_touch *touch);
/* Does the misaligned access and returns an address where the student's may be repeated. */
void *wg_bounds_bounce(const struct wg_touch *touch);

/* check_race.c */
void wg_race_read(const struct wg_touch *touch);
void wg_race_write(const struct wg_touch *touch);
void wg_race_atomic(const struct wg_touch *touch);
/* The running thread overwrites at `site` what it stored itself, and nobody has read. */
void wg_race_lost(const struct wg_access *stored, const struct wg_site_state *site, uintptr_t word);
/* The launch that ran at `time`; NULL when it is forgotten. */
const struct wg_launch_past *wg_launch_at(uint32_t time);
void wg_race_forget(struct wg_region *region, uintptr_t p, uint64_t bytes);

/* check_copies.c: copies and fills among the launches. Is one open, then accesses of the host are
 * its own. */
bool wg_copy_is_open(void);
void wg_copy_access(struct wg_region *region, uintptr_t p, uint64_t bytes, bool writes);
bool wg_copy_did(const struct wg_access *access);

/* check_sync.c: order through atomics */
struct wg_sync_var;
struct wg_sync_var *wg_sync_find(const struct wg_region *region, uintptr_t word);
const struct wg_access *wg_sync_accesses(const struct wg_sync_var *var); /* two */
/* Before anything else is done about an atomic: when it is one of many polls in vain, other threads
 * get a turn first. */
void wg_sync_poll(const struct wg_touch *touch);
/* The running thread's atomic on `word`: remembered; later calls see it. */
void wg_sync_atomic(const struct wg_touch *touch, uintptr_t word);
/* Did atomics hand `earlier` over to the running thread? fenced: only if a fence came before. */
bool wg_sync_ordered(const struct wg_touch *touch, const struct wg_access *earlier, bool fenced);
void wg_sync_launch_begin(bool all_ordered);
void wg_sync_block_end(void);
void wg_sync_barrier(struct wg_ck_block *block);

/* check_init.c */
void wg_init_check(const struct wg_touch *touch);
void wg_init_check_copied(const struct wg_touch *touch);
/* Bit i: something of the i-th four bytes was written. */
uint64_t wg_init_words(const struct wg_touch *touch);
/* Those of bit i set hold nothing after all. */
void wg_init_unwrite_words(char *p, uint64_t bytes, uint64_t words);
void wg_init_check_local(const struct wg_touch *touch);
void wg_init_write_local(const struct wg_touch *touch);
void wg_init_copy(char *dst, const char *src, uint64_t bytes, struct wg_region *dst_region,
                  struct wg_region *src_region);

/* check_counters.c */
/* access: 0 read, 1 write, 2 atomic. Returns p. */
void *wg_count_access(struct wg_site_state *site, const struct wg_region *region, void *p,
                      uint64_t bytes, uint32_t access);
void wg_count_barrier(const struct wg_cpu_site *site, uint32_t blocks);
void wg_count_epoch(void); /* lanes start counting afresh */
void wg_count_launch_begin(void);
void wg_count_launch_end(void);

/* check_sites.c */
struct wg_site_state *wg_site_state_new(const struct wg_cpu_site *site);
struct wg_site_state *wg_site_by_index(uint32_t index);

/* check_report.c: sentences. Each groups by kind and places; only the first of a group is worded.
 */
/* What the access should have stayed inside: [low, high), of region (NULL: shared or unknown). */
void wg_say_stray(const struct wg_touch *touch, enum wg_finding_kind kind, uintptr_t low,
                  uintptr_t high);
void wg_say_local_stray(const struct wg_cpu_site *site, int64_t offset, uint64_t bytes,
                        uint32_t access);
void wg_say_misaligned(const struct wg_touch *touch, uint64_t align);
void wg_say_uninitialized(const struct wg_touch *touch, uintptr_t first_byte);
void wg_say_local_uninitialized(const struct wg_cpu_site *site, int64_t offset, uint64_t bytes);
/* The launched kernel's name for people. */
const char *wg_say_kernel(const struct wg_cpu_kernel *kernel);
struct wg_conflict {
    enum wg_finding_kind kind;
    const struct wg_access *earlier;
    uint32_t earlier_access; /* 0 read, 1 write, 2 atomic */
    uintptr_t word;
    bool lacks_fence; /* which is all that is missing */
};
void wg_say_conflict(const struct wg_touch *touch, const struct wg_conflict *conflict);
/* The open copy meets an earlier access that nothing orders before it. */
struct wg_copy_meeting {
    const char *call; /* of the open copy */
    bool writes;
    struct wg_region *region;
    const struct wg_access *earlier;
    uint32_t earlier_access; /* 0 read, 1 write, 2 atomic */
    uintptr_t word;
};
void wg_say_copy_conflict(const struct wg_copy_meeting *meeting);
/* Everything that the site stored in this launch was lost: two arrays are one memory. */
void wg_say_lost_stores(const struct wg_site_state *site);
void wg_say_launch_end(void);

/* ---- Inline helpers of the hot path ------------------------------------------------------------
 */
struct wg_site_slot {
    const struct wg_cpu_site *site;
    struct wg_site_state *state;
};
#define WG_SITE_SLOTS 4096u
extern struct wg_site_slot wg_site_cache[WG_SITE_SLOTS];

static inline uint32_t wg_site_hash(const struct wg_cpu_site *site) {
    return (uint32_t)(((uint64_t)(uintptr_t)site * UINT64_C(0x9E3779B97F4A7C15)) >> 52) &
           (WG_SITE_SLOTS - 1);
}

static inline struct wg_site_state *wg_site_state(const struct wg_cpu_site *site) {
    const struct wg_site_slot *cached = &wg_site_cache[wg_site_hash(site)];
    return cached->site == site ? cached->state : wg_site_state_new(site);
}

/* The block of *wg_self; NULL outside launches. */
static inline struct wg_ck_block *wg_ck_block_running(void) {
    struct wg_ck_block *block = wg_ck.block;
    if (block != NULL && memcmp(&block->index, &wg_self->block_idx, sizeof block->index) == 0) {
        return block;
    }
    return wg_ck_block_switch();
}

static inline uint32_t wg_wave_of(uint32_t flat) {
    return flat >> wg_ck.warp_shift;
}

/* The bytes of word `index` (from region->origin) that [p, p+bytes) covers. */
static inline uint32_t wg_word_mask(uintptr_t word, uintptr_t p, uint64_t bytes) {
    uint32_t mask = WG_CELL_BYTES;
    if (p > word) {
        mask &= WG_CELL_BYTES << (p - word);
    }
    if (p + bytes < word + 4) {
        mask &= WG_CELL_BYTES >> (word + 4 - p - bytes);
    }
    return mask & WG_CELL_BYTES;
}

#pragma GCC visibility pop

#endif
