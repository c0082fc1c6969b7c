/* Turns: how one lane gives way to the next. Inline, for barriers and wave operations are made of
 * little else. */
#ifndef WG_CPU_TURN_H
#define WG_CPU_TURN_H

#include "sandbox/platform/cpu/runtime/sched.h"

static inline void wg_turn_something_happened(struct wg_block *block) {
    block->idle_hints = 0;
    wg_worker->idle_hints = 0;
}

static inline bool wg_turn_wave_can_run(const struct wg_block *block, const struct wg_wave *wave) {
    uint64_t bits = block->ready[wave->first_word] >> wave->shift;
    if (wave->shift > 0) {
        bits |= block->ready[wave->first_word + 1] << (64 - wave->shift);
    }
    return (bits & wave->mask) != 0;
}

/* Makes `lane` the running one; false without memory for its stack. */
static inline bool wg_turn_enter(struct wg_worker *worker, struct wg_lane *lane) {
    if (!lane->started) {
        lane->stack = wg_stacks_take(&worker->stacks);
        if (lane->stack == WG_NO_LANE) {
            return false;
        }
        wg_stacks_prepare(&worker->stacks, lane->stack, wg_block_lane_main, &lane->context);
        lane->started = true;
    }
    worker->lane = lane;
    wg_self = &lane->thread;
    return true;
}

/* Chooses who runs next and marks it as running: a lane, or NULL for the worker itself. */
static inline struct wg_lane *wg_turn_choose(struct wg_block *block) {
    uint32_t next = block->cursor;
    /* Nearly always the one behind the last. The word behind the end is there, and zero. */
    if ((block->ready[next / 64] >> next % 64 & 1) == 0) {
        next = wg_block_next_ready(block, next);
        if (next == WG_NO_LANE) {
            return NULL;
        }
    }
    block->ready[next / 64] &= ~((uint64_t)1 << next % 64);
    block->cursor = next + 1;
    return &block->lanes[next];
}

/* The running lane lets others run, until somebody chooses it again. */
static inline __attribute__((always_inline)) void wg_turn_suspend(struct wg_worker *worker,
                                                                  struct wg_block *block) {
    struct wg_lane *lane = worker->lane;
    struct wg_lane *next = wg_turn_choose(block);
    if (next != lane) {
        const struct wg_context *context = &worker->native;
        if (next != NULL && wg_turn_enter(worker, next)) {
            context = &next->context;
        } else if (next != NULL) {
            wg_block_report_no_stack(worker);
        }
        wg_fiber_switch(&lane->context, context);
    }
}

#endif
