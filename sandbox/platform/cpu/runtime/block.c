/* Blocks: lanes, their turns, and the barriers between them. sched.h has the theory.
 *
 * A barrier opens when every lane that is still alive waits at one. That is what hardware does: it
 * counts arrivals, so lanes that returned do not hold up the rest, and lanes at different barriers
 * release each other. Both are mistakes, and both are reported here, at no cost: arrivals compare
 * their place with the first one's. */
#include <string.h>

#include "sandbox/platform/cpu/runtime/sched.h"
#include "sandbox/platform/cpu/runtime/turn.h"

_Thread_local struct wg_worker *wg_worker;
_Thread_local struct wg_cpu_thread *wg_self __attribute__((tls_model("initial-exec")));

/* With so many fruitless turns for each lane that could run, and nothing else happening, a launch
 * counts as stuck. */
enum { WG_HOPELESS_TURNS = 4096 };

bool wg_site_equal(const struct wg_cpu_site *a, const struct wg_cpu_site *b) {
    if (a == b) {
        return true;
    }
    return a != NULL && b != NULL && a->line == b->line && a->column == b->column &&
           strcmp(a->file, b->file) == 0;
}

static void set_bit(uint64_t *words, uint32_t bit) {
    words[bit / 64] |= (uint64_t)1 << bit % 64;
}

/* The first lane at or after `from` that can run, going round. */
uint32_t wg_block_next_ready(const struct wg_block *block, uint32_t from) {
    uint32_t word = from / 64;
    if (word < block->words) {
        uint64_t bits = block->ready[word] & ~(uint64_t)0 << from % 64;
        while (true) {
            if (bits != 0) {
                return word * 64 + (uint32_t)__builtin_ctzll(bits);
            }
            if (++word == block->words) {
                break;
            }
            bits = block->ready[word];
        }
    }
    for (word = 0; word < block->words; word++) {
        if (block->ready[word] != 0) {
            return word * 64 + (uint32_t)__builtin_ctzll(block->ready[word]);
        }
    }
    return WG_NO_LANE;
}

static uint32_t position_of(const struct wg_block *block, const struct wg_lane *lane) {
    return (uint32_t)(lane - block->lanes);
}

void wg_block_settle_wave(struct wg_block *block, uint32_t index) {
    const struct wg_wave *wave = &block->waves[index];
    if (wave->in_op != 0 && !wg_turn_wave_can_run(block, wave)) {
        wg_wave_serve(block, index);
    }
}

/* ---- Turns ---- */

void wg_block_report_no_stack(struct wg_worker *worker) {
    struct wg_finding_record record = wg_finding(
        WG_FINDING_LAUNCH_ERROR, WG_SEVERITY_ERROR,
        "This machine cannot give every thread of the launch a stack of its own (%u were made). It "
        "is short of memory or of memory maps.",
        worker->stacks.made);
    wg_copy_text(record.kernel, sizeof record.kernel, worker->job->launch->info->name);
    wg_report_finding(&record);
    wg_job_abort(worker->job);
}

void wg_block_suspend(struct wg_worker *worker, struct wg_block *block) {
    wg_turn_suspend(worker, block);
}

void wg_block_run(struct wg_worker *worker, struct wg_block *block) {
    worker->block = block;
    struct wg_lane *next = wg_turn_choose(block);
    if (next == NULL) {
        return;
    }
    if (!wg_turn_enter(worker, next)) {
        wg_block_report_no_stack(worker);
        return;
    }
    wg_fiber_enter(worker, &next->context);
}

/* ---- Barriers ---- */

static struct wg_checker_thread_at lane_at(const struct wg_block *block, uint32_t position) {
    const struct wg_lane *lane = &block->lanes[position];
    return (struct wg_checker_thread_at){.thread = &lane->thread, .site = lane->site};
}

/* Everybody who is alive waits: are they at one place, and is anybody missing? */
static void judge_gathering(struct wg_block *block, uint32_t waiting) {
    const struct wg_cpu_site *site = block->site;
    uint32_t gone = block->count - block->live;
    if (block->other_lane == WG_NO_LANE && (gone == 0 || block->reported_early_exit == site)) {
        return;
    }
    wg_sched_report_lock();
    if (block->other_lane != WG_NO_LANE) {
        wg_checker_barrier_mismatch(lane_at(block, block->first_lane),
                                    lane_at(block, block->other_lane), waiting - block->elsewhere,
                                    block->elsewhere);
    }
    if (gone > 0 && block->reported_early_exit != site) {
        block->reported_early_exit = site;
        wg_checker_early_exit(lane_at(block, block->first_lane),
                              &block->lanes[block->first_gone].thread, waiting, gone);
    }
    wg_sched_report_unlock();
}

/* The running lane joins those who wait at a barrier of some kind. */
static inline void gather(struct wg_block *block, struct wg_lane *lane, enum wg_wait wait,
                          const struct wg_cpu_site *site) {
    lane->site = site;
    lane->wait = (uint8_t)wait;
    if (block->at_barrier + block->at_grid_barrier == 0) {
        block->site = site;
        block->first_lane = position_of(block, lane);
        block->other_lane = WG_NO_LANE;
        block->elsewhere = 0;
    } else if (block->site != site && !wg_site_equal(site, block->site)) {
        if (block->other_lane == WG_NO_LANE) {
            block->other_lane = position_of(block, lane);
        }
        block->elsewhere++;
    }
    if (block->in_op > 0) {
        wg_block_settle_wave(block, lane->wave);
    }
}

static void wake_all(struct wg_block *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        if (block->lanes[i].wait != WG_WAIT_GONE) {
            set_bit(block->ready, i);
        }
    }
    block->cursor = 0;
    wg_turn_something_happened(block);
    if (atomic_load_explicit(&wg_worker->job->aborted, memory_order_relaxed)) {
        memset(block->ready, 0, sizeof block->ready); /* leads to the worker, which gives up */
    }
}

static __attribute__((noinline)) void open_barrier(struct wg_block *block) {
    judge_gathering(block, block->at_barrier);
    if (wg_checker_on) {
        wg_checker_barrier_passed(block->site);
    }
    block->at_barrier = 0;
    block->reduced_count = block->count_true;
    block->reduced_total = block->count_total;
    block->count_true = 0;
    block->count_total = 0;
    wake_all(block);
}

void wg_cpu_barrier(const struct wg_cpu_site *site) {
    struct wg_worker *worker = wg_worker;
    struct wg_block *block = worker->block;
    gather(block, worker->lane, WG_WAIT_BARRIER, site);
    if (++block->at_barrier == block->live) {
        open_barrier(block);
    }
    wg_turn_suspend(worker, block);
}

int wg_cpu_barrier_reduce(int op, int predicate, const struct wg_cpu_site *site) {
    struct wg_block *block = wg_worker->block;
    block->count_true += predicate != 0;
    block->count_total++;
    wg_cpu_barrier(site);
    /* The next opening needs this lane too, so the result stays until everybody has read it. */
    switch (op) {
    case 0:
        return block->reduced_count;
    case 1:
        return block->reduced_count == block->reduced_total;
    default:
        return block->reduced_count > 0;
    }
}

void wg_cpu_grid_barrier(const struct wg_cpu_site *site) {
    struct wg_worker *worker = wg_worker;
    struct wg_block *block = worker->block;
    gather(block, worker->lane, WG_WAIT_GRID, site);
    block->at_grid_barrier++;
    wg_block_suspend(worker, block);
}

int wg_cpu_grid_is_cooperative(void) {
    return wg_worker->job->launch->cooperative;
}

bool wg_block_pass_grid_barrier(struct wg_worker *worker, uint32_t resident) {
    if (!worker->job->launch->cooperative) {
        return false;
    }
    for (uint32_t i = 0; i < resident; i++) {
        const struct wg_block *block = worker->blocks[i];
        if (block->live == 0 || block->at_grid_barrier != block->live) {
            return false;
        }
    }
    if (wg_checker_on) {
        wg_checker_grid_barrier_passed(worker->blocks[0]->site);
    }
    for (uint32_t i = 0; i < resident; i++) {
        struct wg_block *block = worker->blocks[i];
        judge_gathering(block, block->at_grid_barrier);
        block->at_grid_barrier = 0;
        wake_all(block);
    }
    return true;
}

/* ---- Birth and death ---- */

/* What a lane leaves behind when it returns. */
static void bury(struct wg_block *block, struct wg_lane *lane) {
    if (block->live == block->count) {
        block->first_gone = position_of(block, lane);
    }
    lane->wait = WG_WAIT_GONE;
    block->live--;
    wg_turn_something_happened(block);
    if (block->at_barrier == block->live && block->live > 0) {
        open_barrier(block);
    } else if (block->in_op > 0) {
        wg_block_settle_wave(block, lane->wave);
    }
}

/* Where a fresh stack begins: runs its lane, and then others that have not started. */
void wg_block_lane_main(void) {
    struct wg_worker *worker = wg_worker;
    struct wg_block *block = worker->block;
    const struct wg_launch *launch = worker->job->launch;
    while (true) {
        struct wg_lane *lane = worker->lane;
        launch->kernel->run_thread(launch->pack);
        bury(block, lane);
        struct wg_lane *next = wg_turn_choose(block);
        if (next != NULL && !next->started) {
            next->stack = lane->stack;
            next->started = true;
            worker->lane = next;
            wg_self = &next->thread;
            continue;
        }
        wg_stacks_give(&worker->stacks, lane->stack);
        const struct wg_context *context = &worker->native;
        if (next != NULL) {
            wg_turn_enter(worker, next);
            context = &next->context;
        }
        wg_fiber_switch(&lane->context, context);
        __builtin_unreachable(); /* nobody goes back to a lane that is gone */
    }
}

void wg_block_start(struct wg_worker *worker, struct wg_block *block, struct wg_cpu_dim3 index) {
    uint32_t count = block->count;
    for (uint32_t i = 0; i < count; i++) {
        block->lanes[i].thread.block_idx = index;
        block->lanes[i].started = false;
        block->lanes[i].wait = WG_WAIT_NONE;
    }
    memset(block->ready, 0, sizeof block->ready);
    for (uint32_t word = 0; word < block->words; word++) {
        uint32_t rest = count - word * 64;
        block->ready[word] = rest >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << rest) - 1;
    }
    for (uint32_t i = 0; i < block->wave_count; i++) {
        block->waves[i].in_op = 0;
        block->waves[i].slots = 0;
    }
    block->live = count;
    block->cursor = 0;
    block->in_op = 0;
    block->at_barrier = 0;
    block->at_grid_barrier = 0;
    block->reported_early_exit = NULL;
    block->count_true = 0;
    block->count_total = 0;
    block->idle_hints = 0;
    worker->idle_hints = 0;
}

/* ---- Waiting by turning in circles, and never moving at all ---- */

void wg_block_yield(struct wg_worker *worker) {
    struct wg_block *block = worker->block;
    struct wg_lane *lane = worker->lane;
    uint32_t position = position_of(block, lane);
    uint32_t others = 0;
    for (uint32_t word = 0; word < block->words; word++) {
        others += (uint32_t)__builtin_popcountll(block->ready[word]);
    }
    set_bit(block->ready, position);
    worker->idle_hints++;
    if (block->idle_hints++ >= others) {
        /* All of this block's lanes have had a turn in vain: it is another block's. */
        block->idle_hints = 0;
        wg_fiber_switch(&lane->context, &worker->native);
        return;
    }
    wg_block_suspend(worker, block);
}

static uint64_t lanes_ready(const struct wg_worker *worker) {
    const struct wg_job *job = worker->job;
    uint32_t resident = job->launch->cooperative ? (uint32_t)job->block_total : 1;
    uint64_t count = 0;
    for (uint32_t i = 0; i < resident; i++) {
        for (uint32_t word = 0; word < worker->blocks[i]->words; word++) {
            count += (uint64_t)__builtin_popcountll(worker->blocks[i]->ready[word]);
        }
    }
    return count;
}

bool wg_block_all_idle(const struct wg_worker *worker) {
    return worker->idle_hints > lanes_ready(worker);
}

void wg_sched_spin_hint(const struct wg_cpu_site *site) {
    struct wg_worker *worker = wg_worker;
    if (worker == NULL || worker->lane == NULL) {
        return;
    }
    if (worker->idle_hints > WG_HOPELESS_TURNS * (1 + lanes_ready(worker))) {
        wg_checker_deadlock(
            (struct wg_checker_thread_at){.thread = &worker->lane->thread, .site = site},
            worker->job->launch->cooperative
                ? "every thread of the grid waits, at a barrier or in a loop like this one"
                : "every other thread of the block waits too, at a barrier or in a loop like this "
                  "one; other blocks need not be running at the same time, so a block must not "
                  "wait for them except in a cooperative launch (hipLaunchCooperativeKernel and "
                  "this_grid().sync())");
        wg_job_abort(worker->job);
        wg_worker_leave(worker);
    }
    worker->lane->site = site;
    wg_block_yield(worker);
}

void wg_block_report_deadlock(struct wg_worker *worker, uint32_t resident) {
    const struct wg_block *stuck = NULL;
    uint32_t ended = 0;
    for (uint32_t i = 0; i < resident; i++) {
        const struct wg_block *block = worker->blocks[i];
        ended += block->live == 0;
        if (block->at_grid_barrier > 0 && stuck == NULL) {
            stuck = block;
        }
    }
    if (stuck == NULL) {
        return;
    }
    const char *why = "some threads of the block wait at a grid barrier, others at a block barrier";
    if (!worker->job->launch->cooperative) {
        why = "it waits at a grid barrier, but the kernel was launched with <<<>>>; launch it with "
              "hipLaunchCooperativeKernel";
    } else if (ended > 0) {
        why = "it waits at a grid barrier that some blocks of the grid never reach, since all "
              "their threads have returned";
    }
    uint32_t position = 0;
    while (stuck->lanes[position].wait != WG_WAIT_GRID) {
        position++;
    }
    wg_sched_report_lock();
    wg_checker_deadlock(lane_at(stuck, position), why);
    wg_sched_report_unlock();
}
