/* Wave operations: shuffles, votes and wave barriers.
 *
 * Theory. On hardware the lanes of a wave run in step and a wave operation concerns those that are
 * active. Here a lane that comes to one waits until no lane of its wave can run; then the lanes at
 * one place form a group, and the group goes on. With several groups (divergent branches) the one
 * that is furthest behind goes first, so that its lanes can catch up with the others: hardware
 * joins them again after a branch or a loop, too. Furthest behind is the deepest call, and within
 * one function what comes first in the source. The rounds of a loop are kept apart by an operation
 * of its own at the end of each, which the compiler adds where it is needed.
 *
 * Serving a group only means to remember who is in it. Each lane works out its own result when it
 * goes on, from what the others left in `values`. By then some may be on their way to the next
 * operation, and have left a value for that as well; therefore each lane has two slots and uses
 * them in turn. It cannot get further ahead, since the next operation needs all lanes to wait.
 *
 * A lane that reads from one that is not in the group gets 0, as AMD's bpermute does. */
#include "sandbox/platform/cpu/runtime/sched.h"
#include "sandbox/platform/cpu/runtime/turn.h"

enum shuffle_mode { SHUFFLE_INDEX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR };

static struct wg_lane *wave_lane(struct wg_block *block, uint32_t wave, uint32_t lane) {
    return &block->lanes[wg_block_position(block, wave * wg_config.warp_size + lane)];
}

/* ---- Serving ---- */

static bool is_behind(const struct wg_lane *a, const struct wg_lane *b) {
    size_t a_depth = wg_stacks_depth(&wg_worker->stacks, a->stack, a->frame);
    size_t b_depth = wg_stacks_depth(&wg_worker->stacks, b->stack, b->frame);
    return a_depth != b_depth ? a_depth > b_depth : a->site->object_bytes < b->site->object_bytes;
}

static uint64_t find_group(struct wg_block *block, uint32_t index, uint64_t in_op) {
    const struct wg_lane *leader = NULL;
    for (uint64_t rest = in_op; rest != 0; rest &= rest - 1) {
        const struct wg_lane *lane = wave_lane(block, index, (uint32_t)__builtin_ctzll(rest));
        if (leader == NULL || is_behind(lane, leader)) {
            leader = lane;
        }
    }
    uint64_t group = 0;
    for (uint64_t rest = in_op; leader != NULL && rest != 0; rest &= rest - 1) {
        const struct wg_lane *lane = wave_lane(block, index, (uint32_t)__builtin_ctzll(rest));
        if (lane->op == leader->op && wg_site_equal(lane->site, leader->site)) {
            group |= rest & -rest;
        }
    }
    return group;
}

/* Makes the lanes able to run, the first of them next. */
static void wake(struct wg_block *block, uint32_t index, uint64_t group) {
    const struct wg_wave *wave = &block->waves[index];
    if (!wg_config.threads_down) {
        /* Waves of 64 or 32 lanes do not straddle words then. */
        block->ready[wave->first_word] |= group << wave->shift;
        block->cursor = wave->first_word * 64 + wave->shift + (uint32_t)__builtin_ctzll(group);
        return;
    }
    for (uint64_t rest = group; rest != 0; rest &= rest - 1) {
        uint32_t flat = index * wg_config.warp_size + (uint32_t)__builtin_ctzll(rest);
        uint32_t position = wg_block_position(block, flat);
        block->ready[position / 64] |= (uint64_t)1 << position % 64;
        block->cursor = position; /* the last of the loop runs first */
    }
}

void wg_wave_serve(struct wg_block *block, uint32_t index) {
    struct wg_wave *wave = &block->waves[index];
    uint64_t group = wave->mixed ? find_group(block, index, wave->in_op) : wave->in_op;
    if (group == 0) {
        return;
    }
    wave->group = group;
    wave->group_predicates = wave->predicates;
    wave->group_slots = wave->slots;
    wave->in_op &= ~group;
    block->in_op -= (uint32_t)__builtin_popcountll(group);
    wake(block, index, group);
    wg_turn_something_happened(block);
    /* The program itself has nothing at the end of a round, and so nothing is ordered there. */
    const struct wg_lane *one = wave_lane(block, index, (uint32_t)__builtin_ctzll(group));
    if (wg_checker_on && one->op != WG_WAVE_REJOIN) {
        wg_checker_warp_synced(index, group);
    }
}

/* ---- Operations ---- */

/* What a lane needs to know about itself and its wave. */
struct visit {
    struct wg_block *block;
    struct wg_wave *wave;
    uint32_t first, self; /* flat number of the wave's first lane; lane in the wave */
};

/* Waits in an operation until the group has been served. Forced inline, so that the addresses are
 * those of the call in student code. */
static inline __attribute__((always_inline)) struct visit
wait_in(enum wg_wave_op op, uint64_t value, const struct wg_cpu_site *site) {
    struct wg_worker *worker = wg_worker;
    struct wg_lane *lane = worker->lane;
    uint32_t self = lane->thread.flat & (lane->thread.warp_size - 1);
    struct visit visit = {.block = worker->block,
                          .wave = &worker->block->waves[lane->wave],
                          .first = lane->thread.flat - self,
                          .self = self};
    struct wg_wave *wave = visit.wave;
    uint64_t bit = (uint64_t)1 << self;
    lane->site = site;
    lane->frame = __builtin_frame_address(0);
    lane->op = (uint8_t)op;
    lane->wait = WG_WAIT_WAVE;
    if (wave->in_op == 0) {
        wave->site = site;
        wave->op = (uint8_t)op;
        wave->mixed = false;
    } else {
        wave->mixed |= wave->site != site || wave->op != op;
    }
    visit.block->values[(wave->slots & bit) != 0][lane->thread.flat] = value;
    wave->predicates = value != 0 ? wave->predicates | bit : wave->predicates & ~bit;
    wave->in_op |= bit;
    visit.block->in_op++;
    if (!wg_turn_wave_can_run(visit.block, wave)) {
        wg_wave_serve(visit.block, lane->wave);
    }
    wg_turn_suspend(worker, visit.block);
    wave->slots ^= bit;
    return visit;
}

static uint32_t shuffle_source(int mode, uint32_t self, int lane_or_delta, int width) {
    int lane = (int)self;
    int first = lane & ~(width - 1);
    int source = lane;
    switch (mode) {
    case SHUFFLE_INDEX:
        source = first + (lane_or_delta & (width - 1));
        break;
    case SHUFFLE_UP:
        source = lane - lane_or_delta;
        source = source < first ? lane : source;
        break;
    case SHUFFLE_DOWN:
        source = (lane & (width - 1)) + lane_or_delta >= width ? lane : lane + lane_or_delta;
        break;
    case SHUFFLE_XOR:
        source = lane ^ lane_or_delta;
        source = source >= first + width ? lane : source;
        break;
    }
    return (uint32_t)source & (wg_config.warp_size - 1);
}

void wg_cpu_warp_barrier(uint64_t mask, const struct wg_cpu_site *site) {
    (void)mask; /* who is there takes part */
    wait_in(WG_WAVE_SYNC, 0, site);
}

void wg_cpu_rejoin(const struct wg_cpu_site *site) {
    wait_in(WG_WAVE_REJOIN, 0, site);
}

uint64_t wg_cpu_ballot(uint64_t mask, int predicate, const struct wg_cpu_site *site) {
    struct visit visit = wait_in(WG_WAVE_BALLOT, predicate != 0, site);
    return visit.wave->group & visit.wave->group_predicates & mask;
}

uint64_t wg_cpu_activemask(const struct wg_cpu_site *site) {
    return wait_in(WG_WAVE_ACTIVE, 0, site).wave->group;
}

uint64_t wg_cpu_shuffle(int mode, uint64_t mask, uint64_t value, int lane_or_delta, int width,
                        const struct wg_cpu_site *site) {
    (void)mask;
    struct visit visit = wait_in(WG_WAVE_SHUFFLE, value, site);
    uint32_t source = shuffle_source(mode, visit.self, lane_or_delta,
                                     width > 0 ? width : (int)wg_config.warp_size);
    if ((visit.wave->group >> source & 1) == 0) {
        return 0;
    }
    uint64_t slot = visit.wave->group_slots >> source & 1;
    return visit.block->values[slot][visit.first + source];
}
