/* Wave operations: shuffles, votes and wave barriers.
 *
 * Theory. On hardware the lanes of a wave run in step and a wave operation concerns those that are
 * active. Here a lane that comes to one waits until no lane of its wave can run; then the lanes at
 * one place form a group, and the group's operation is carried out. With several groups (divergent
 * branches) the one that is furthest behind goes first, so that its lanes can catch up with the
 * others: hardware joins them again after a branch or a loop, too. Furthest behind is the deepest
 * call, and within one function the lowest machine address: compilers keep the order of the source
 * there, and where they do not, only code whose lanes never meet again can tell the difference.
 *
 * A lane that reads from one that is not in the group gets 0, as AMD's bpermute does. */
#include "sandbox/platform/cpu/runtime/sched.h"

enum op_kind { OP_SYNC, OP_BALLOT, OP_ACTIVE, OP_SHUFFLE };
enum shuffle_mode { SHUFFLE_INDEX, SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_XOR };

struct wg_wave_op {
    enum op_kind kind;
    int mode, lane_or_delta, width;
    uint64_t mask, value, result;
    uintptr_t code;  /* where it was called */
    uintptr_t depth; /* how deep in the stack, in bytes */
};

static struct wg_lane *wave_lane(struct wg_block *block, uint32_t wave, uint32_t lane) {
    uint32_t flat = wave * wg_config.warp_size + lane;
    if (flat >= block->count) {
        return NULL;
    }
    return &block->lanes[wg_block_position(block, flat)];
}

static bool is_behind(const struct wg_wave_op *a, const struct wg_wave_op *b) {
    return a->depth != b->depth ? a->depth > b->depth : a->code < b->code;
}

static uint32_t shuffle_source(const struct wg_wave_op *op, uint32_t self) {
    int width = op->width > 0 ? op->width : (int)wg_config.warp_size;
    int lane = (int)self;
    int first = lane & ~(width - 1);
    int source = lane;
    switch (op->mode) {
    case SHUFFLE_INDEX:
        source = first + (op->lane_or_delta & (width - 1));
        break;
    case SHUFFLE_UP:
        source = lane - op->lane_or_delta;
        source = source < first ? lane : source;
        break;
    case SHUFFLE_DOWN:
        source =
            (lane & (width - 1)) + op->lane_or_delta >= width ? lane : lane + op->lane_or_delta;
        break;
    case SHUFFLE_XOR:
        source = lane ^ op->lane_or_delta;
        source = source >= first + width ? lane : source;
        break;
    }
    return (uint32_t)source & (wg_config.warp_size - 1);
}

/* What the lane gets, given the lanes of its group. */
static uint64_t result_of(struct wg_block *block, uint32_t wave, uint32_t self, uint64_t group) {
    const struct wg_wave_op *op = wave_lane(block, wave, self)->op;
    uint64_t result = 0;
    switch (op->kind) {
    case OP_SYNC:
        break;
    case OP_ACTIVE:
        result = group;
        break;
    case OP_BALLOT:
        for (uint64_t rest = group & op->mask; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctzll(rest);
            result |= (uint64_t)(wave_lane(block, wave, lane)->op->value != 0) << lane;
        }
        break;
    case OP_SHUFFLE: {
        uint32_t source = shuffle_source(op, self);
        if (group >> source & 1) {
            result = wave_lane(block, wave, source)->op->value;
        }
        break;
    }
    }
    return result;
}

void wg_wave_serve(struct wg_block *block, uint32_t wave) {
    const struct wg_lane *leader = NULL;
    for (uint32_t i = 0; i < wg_config.warp_size; i++) {
        const struct wg_lane *lane = wave_lane(block, wave, i);
        if (lane != NULL && lane->wait == WG_WAIT_WAVE &&
            (leader == NULL || is_behind(lane->op, leader->op))) {
            leader = lane;
        }
    }
    if (leader == NULL) {
        return;
    }
    uint64_t group = 0;
    for (uint32_t i = 0; i < wg_config.warp_size; i++) {
        const struct wg_lane *lane = wave_lane(block, wave, i);
        if (lane != NULL && lane->wait == WG_WAIT_WAVE && lane->op->kind == leader->op->kind &&
            wg_site_equal(lane->site, leader->site)) {
            group |= (uint64_t)1 << i;
        }
    }
    block->cursor = block->count;
    for (uint64_t rest = group; rest != 0; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(rest);
        struct wg_lane *lane = wave_lane(block, wave, i);
        lane->op->result = result_of(block, wave, i, group);
    }
    for (uint64_t rest = group; rest != 0; rest &= rest - 1) {
        struct wg_lane *lane = wave_lane(block, wave, (uint32_t)__builtin_ctzll(rest));
        uint32_t position = (uint32_t)(lane - block->lanes);
        block->ready[position / 64] |= (uint64_t)1 << position % 64;
        lane->wait = WG_WAIT_NONE;
        block->waves[wave].in_op--;
        block->in_op--;
        if (position < block->cursor) {
            block->cursor = position;
        }
    }
    if (wg_checker_on) {
        wg_checker_warp_synced(wave, group);
    }
}

/* Force-inlined, so that the addresses are those of the call in student code. */
static inline __attribute__((always_inline)) uint64_t wait_in(struct wg_wave_op *op,
                                                              const struct wg_cpu_site *site) {
    struct wg_worker *worker = wg_worker;
    struct wg_block *block = worker->block;
    struct wg_lane *lane = worker->lane;
    op->code = (uintptr_t)__builtin_return_address(0);
    op->depth = wg_stacks_depth(&worker->stacks, lane->stack, __builtin_frame_address(0));
    lane->op = op;
    lane->site = site;
    lane->wait = WG_WAIT_WAVE;
    block->waves[lane->wave].in_op++;
    block->in_op++;
    wg_block_settle_wave(block, lane->wave);
    wg_block_suspend(worker, block);
    return op->result;
}

void wg_cpu_warp_barrier(uint64_t mask, const struct wg_cpu_site *site) {
    struct wg_wave_op op = {.kind = OP_SYNC, .mask = mask};
    wait_in(&op, site);
}

uint64_t wg_cpu_ballot(uint64_t mask, int predicate, const struct wg_cpu_site *site) {
    struct wg_wave_op op = {.kind = OP_BALLOT, .mask = mask, .value = predicate != 0};
    return wait_in(&op, site);
}

uint64_t wg_cpu_activemask(const struct wg_cpu_site *site) {
    struct wg_wave_op op = {.kind = OP_ACTIVE, .mask = ~(uint64_t)0};
    return wait_in(&op, site);
}

uint64_t wg_cpu_shuffle(int mode, uint64_t mask, uint64_t value, int lane_or_delta, int width,
                        const struct wg_cpu_site *site) {
    struct wg_wave_op op = {.kind = OP_SHUFFLE,
                            .mode = mode,
                            .lane_or_delta = lane_or_delta,
                            .width = width,
                            .mask = mask,
                            .value = value};
    return wait_in(&op, site);
}
