/* Locks that lanes of one wave fight for, see compiler/locks.h. Found when two lanes of a wave take
 * the same lock at the same place and in the same round, with no barrier between: in step, they
 * would have wanted it at the same moment. Only the latest taker of a lock in each wave is
 * remembered, and a lock may push another one out of the table. */
#include <stdio.h>

#include "sandbox/platform/cpu/runtime/check_internal.h"

enum { TABLE = 1024 };

struct taken {
    uintptr_t word;
    const struct wg_cpu_site *site;
    uint64_t launch, block;
    uint32_t wave, round, barrier_time;
    struct wg_cpu_dim3 thread;
};

static struct taken g_taken[TABLE];

static bool in_step(const struct taken *a, const struct taken *b) {
    return a->word == b->word && a->site == b->site && a->launch == b->launch &&
           a->block == b->block && a->wave == b->wave && a->round == b->round &&
           a->barrier_time == b->barrier_time &&
           memcmp(&a->thread, &b->thread, sizeof a->thread) != 0;
}

void wg_check_lock(const void *p, uint32_t taken, uint32_t round, const struct wg_cpu_site *site) {
    const struct wg_ck_block *block = taken != 0 ? wg_ck_block_running() : NULL;
    if (block == NULL) {
        return;
    }
    const struct taken now = {
        .word = (uintptr_t)p,
        .site = site,
        .launch = wg_ck.launch_count,
        .block = block->linear,
        .wave = wg_self->flat >> wg_ck.warp_shift,
        .round = round,
        .barrier_time = block->barrier_time,
        .thread = wg_self->thread_idx,
    };
    struct taken *slot = &g_taken[((now.word >> 2) ^ (uintptr_t)now.wave * 37) % TABLE];
    if (in_step(slot, &now)) {
        char why[320];
        snprintf(why, sizeof why,
                 "thread (%u,%u,%u) of its wave has the lock and goes on only when all lanes are "
                 "through this loop, since lanes run in step on AMD GPUs. Release the lock inside "
                 "of the loop, in the branch that took it, or let one thread of a wave take it.",
                 slot->thread.x, slot->thread.y, slot->thread.z);
        wg_checker_deadlock((struct wg_checker_thread_at){.site = site, .thread = wg_self}, why);
    }
    *slot = now;
}
