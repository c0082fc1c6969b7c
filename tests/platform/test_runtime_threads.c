/* Threads of a block: barriers, wave operations, grid barriers, and what never ends. */
#include <criterion/criterion.h>
#include <fenv.h>
#include <signal.h>
#include <string.h>

#include "tests/platform/runtime_rig.h"

RIG_SITE(at_first, 10);
RIG_SITE(at_second, 20);
RIG_SITE(at_third, 30);

struct arguments {
    uint32_t *out;
    uint32_t n;
    volatile uint32_t *flag;
};

/* Each thread reads what its neighbour wrote before the barrier, 100 times. */
RIG_KERNEL(rotate, struct arguments) {
    uint32_t *shared = (uint32_t *)wg_self->shared;
    uint32_t me = wg_self->flat;
    uint32_t threads = wg_self->block_dim.x;
    uint32_t value = rig_global_index();
    for (int round = 0; round < 100; round++) {
        shared[me] = value;
        wg_cpu_barrier(&at_first);
        value = shared[(me + 1) % threads];
        wg_cpu_barrier(&at_second);
    }
    a->out[rig_global_index()] = value;
}

RIG_KERNEL(leave_early, struct arguments) {
    if (wg_self->flat >= a->n) {
        return;
    }
    wg_cpu_barrier(&at_first);
    a->out[rig_global_index()] = 1;
}

RIG_KERNEL(two_places, struct arguments) {
    if (wg_self->flat < a->n) {
        wg_cpu_barrier(&at_first);
    } else {
        wg_cpu_barrier(&at_second);
    }
    a->out[rig_global_index()] = 1;
}

RIG_KERNEL(reduce, struct arguments) {
    bool odd = wg_self->flat % 2 == 1;
    uint32_t *out = &a->out[3 * rig_global_index()];
    out[0] = (uint32_t)wg_cpu_barrier_reduce(0, odd, &at_first);
    out[1] = (uint32_t)wg_cpu_barrier_reduce(1, odd, &at_first);
    out[2] = (uint32_t)wg_cpu_barrier_reduce(2, odd, &at_first);
}

/* A sum over the wave by shuffles. */
RIG_KERNEL(wave_sum, struct arguments) {
    uint64_t value = rig_global_index();
    for (uint32_t step = wg_self->warp_size / 2; step > 0; step /= 2) {
        value += wg_cpu_shuffle(2, ~0ull, value, (int)step, (int)wg_self->warp_size, &at_first);
    }
    if (wg_self->flat % wg_self->warp_size == 0) {
        a->out[rig_global_index() / wg_self->warp_size] = (uint32_t)value;
    }
}

RIG_KERNEL(shuffles, struct arguments) {
    uint32_t lane = wg_self->flat;
    uint32_t *out = &a->out[4 * lane];
    out[0] = (uint32_t)wg_cpu_shuffle(0, ~0ull, lane, 5, 16, &at_first);
    out[1] = (uint32_t)wg_cpu_shuffle(1, ~0ull, lane, 3, 16, &at_first);
    out[2] = (uint32_t)wg_cpu_shuffle(2, ~0ull, lane, 3, 16, &at_first);
    out[3] = (uint32_t)wg_cpu_shuffle(3, ~0ull, lane, 1, 16, &at_first);
}

/* Lanes leave the loop one by one; each ballot shows who is still in it, and the one behind the
 * loop shows that all have met again. */
RIG_KERNEL(leave_loop, struct arguments) {
    uint32_t lane = wg_self->flat;
    uint32_t rounds = lane % 4;
    for (uint32_t i = 0; i < rounds; i++) {
        uint64_t inside = wg_cpu_ballot(~0ull, 1, &at_first);
        if (__builtin_popcountll(inside) != (int)(wg_self->block_dim.x / 4 * (3 - i))) {
            __atomic_fetch_add(a->out, 1, __ATOMIC_RELAXED);
        }
    }
    if (wg_cpu_activemask(&at_second) != ~0ull) {
        __atomic_fetch_add(a->out, 1, __ATOMIC_RELAXED);
    }
}

RIG_KERNEL(branches, struct arguments) {
    uint32_t lane = wg_self->flat;
    uint64_t seen;
    if (lane < 20) {
        seen = wg_cpu_ballot(~0ull, 1, &at_first);
    } else {
        seen = wg_cpu_ballot(~0ull, 1, &at_second);
    }
    uint64_t wanted = lane < 20 ? (1ull << 20) - 1 : ~((1ull << 20) - 1);
    uint64_t after = wg_cpu_ballot(~0ull, lane == 3, &at_third);
    if (seen != wanted || after != 8) {
        __atomic_fetch_add(a->out, 1, __ATOMIC_RELAXED);
    }
}

RIG_KERNEL(grid_rounds, struct arguments) {
    uint32_t total = wg_self->block_dim.x * wg_self->grid_dim.x;
    for (uint32_t round = 1; round <= 10; round++) {
        __atomic_fetch_add(&a->out[0], 1, __ATOMIC_RELAXED);
        wg_cpu_grid_barrier(&at_first);
        if (a->out[0] != round * total) {
            __atomic_fetch_add(&a->out[1], 1, __ATOMIC_RELAXED);
        }
        wg_cpu_grid_barrier(&at_second);
    }
    if (!wg_cpu_grid_is_cooperative()) {
        a->out[2] = 1;
    }
}

RIG_KERNEL(block_leaves_grid, struct arguments) {
    if (wg_self->block_idx.x != a->n) {
        wg_cpu_grid_barrier(&at_first);
    }
}

RIG_KERNEL(overflow_stack, struct arguments) {
    volatile char large[4096];
    large[0] = 1;
    wg_cpu_barrier(&at_first);
    if (a->n != 4711) {
        overflow_stack_body(a);
    }
    large[1] = large[0];
}

RIG_KERNEL(change_rounding, struct arguments) {
    if (wg_self->flat == 0) {
        a->out[wg_self->block_idx.x] = fegetround() == FE_TONEAREST;
    }
    fesetround(FE_UPWARD);
    wg_cpu_barrier(&at_first);
}

RIG_KERNEL(read_shared, struct arguments) {
    memcpy(&a->out[rig_global_index()], wg_self->shared + 4 * wg_self->flat, 4);
}

/* The checker's hook asks for a turn of the others in loops like this. */
RIG_KERNEL(hinted_flag, struct arguments) {
    if (wg_self->flat == 0) {
        while (*a->flag == 0) {
            wg_sched_spin_hint(&at_first);
        }
        a->out[0] = 1;
    } else if (wg_self->flat == a->n) {
        *a->flag = 1;
    }
    wg_cpu_barrier(&at_second);
}

RIG_KERNEL(spin_grid_barrier, struct arguments) {
    wg_cpu_barrier(&at_first);
    if (wg_self->flat == 0) {
        __atomic_fetch_add(a->flag, 1, __ATOMIC_SEQ_CST);
        while (__atomic_load_n(a->flag, __ATOMIC_SEQ_CST) < wg_self->grid_dim.x) {
        }
    }
    wg_cpu_barrier(&at_second);
    a->out[rig_global_index()] = 1;
}

/* Thread 0 waits for the last one, without any call that the runtime could notice. */
RIG_KERNEL(silent_flag, struct arguments) {
    if (wg_self->flat == 0) {
        while (*a->flag == 0) {
        }
        a->out[0] = 1;
    } else if (wg_self->flat == a->n) {
        *a->flag = 1;
    }
}

static struct arguments a;

static void setup(void) {
    RIG_REGISTER(&rotate, &leave_early, &two_places, &reduce, &wave_sum, &shuffles, &leave_loop,
                 &branches, &grid_rounds, &block_leaves_grid, &overflow_stack, &change_rounding,
                 &read_shared, &hinted_flag, &spin_grid_barrier, &silent_flag);
    a.out = rig_shared_memory(1 << 20);
    a.flag = rig_shared_memory(64);
}

TestSuite(runtime_threads, .init = setup, .timeout = 60);

static void run(const struct wg_cpu_kernel *kernel, uint32_t blocks, uint32_t threads) {
    rig_launch(kernel, rig_dim(blocks), rig_dim(threads), threads * 4, NULL, &a);
}

Test(runtime_threads, barriers_separate_rounds) {
    for (int down = 0; down < 2; down++) {
        wg_config.threads_down = down != 0;
        wg_config.workers = 3;
        for (uint32_t threads = 1; threads <= 1024; threads = threads * 3 + 1) {
            run(&rotate, 9, threads);
            for (uint32_t i = 0; i < 9 * threads; i++) {
                cr_assert_eq(a.out[i],
                             i / threads * threads + (i + 100 - i / threads * threads) % threads);
            }
        }
    }
    cr_assert_eq(wg_report->finding_count, 0);
}

Test(runtime_threads, threads_that_left_do_not_hold_up_the_rest) {
    a.n = 100;
    run(&leave_early, 2, 256);
    cr_assert_eq(hipGetLastError(), hipSuccess);
    cr_assert_eq(a.out[99], 1);
    cr_assert_eq(a.out[256 + 99], 1);
    const struct wg_finding_record *found = rig_finding(WG_FINDING_EARLY_EXIT_BARRIER);
    cr_assert_eq(found->at.line, 10);
    cr_assert_eq(found->occurrences, 2);
}

Test(runtime_threads, different_barriers_release_each_other_and_are_reported) {
    a.n = 100;
    run(&two_places, 1, 256);
    cr_assert_eq(hipGetLastError(), hipSuccess);
    cr_assert_eq(a.out[0] + a.out[255], 2);
    const struct wg_finding_record *found = rig_finding(WG_FINDING_BARRIER_DIVERGENCE);
    cr_assert_eq(found->at.line + found->other.line, 30);
}

Test(runtime_threads, barrier_reductions) {
    run(&reduce, 2, 75);
    for (uint32_t i = 0; i < 150; i++) {
        cr_assert_eq(a.out[3 * i], 37);
        cr_assert_eq(a.out[3 * i + 1], 0);
        cr_assert_eq(a.out[3 * i + 2], 1);
    }
}

Test(runtime_threads, wave_sums_with_64_and_32_lanes) {
    for (uint32_t lanes = 32; lanes <= 64; lanes *= 2) {
        wg_config.warp_size = lanes;
        run(&wave_sum, 2, 256);
        for (uint32_t wave = 0; wave < 512 / lanes; wave++) {
            uint32_t first = wave * lanes;
            cr_assert_eq(a.out[wave], lanes * first + lanes * (lanes - 1) / 2);
        }
    }
}

Test(runtime_threads, shuffle_modes_within_a_width) {
    run(&shuffles, 1, 64);
    for (uint32_t lane = 0; lane < 64; lane++) {
        const uint32_t *out = &a.out[4 * lane];
        cr_assert_eq(out[0], (lane & ~15u) + 5);
        cr_assert_eq(out[1], lane % 16 < 3 ? lane : lane - 3);
        cr_assert_eq(out[2], lane % 16 > 12 ? lane : lane + 3);
        cr_assert_eq(out[3], lane ^ 1);
    }
}

Test(runtime_threads, lanes_that_do_not_exist_give_zero) {
    run(&shuffles, 1, 50);
    cr_assert_eq(a.out[4 * 49 + 0], 53 - 53, "lane 53 is not there");
    cr_assert_eq(a.out[4 * 49 + 3], 48);
}

Test(runtime_threads, lanes_meet_again_behind_a_loop) {
    run(&leave_loop, 1, 64);
    cr_assert_eq(a.out[0], 0);
    wg_config.threads_down = true;
    run(&leave_loop, 1, 64);
    cr_assert_eq(a.out[0], 0);
}

Test(runtime_threads, branches_are_served_one_after_the_other) {
    run(&branches, 1, 64);
    cr_assert_eq(a.out[0], 0);
    wg_config.threads_down = true;
    run(&branches, 1, 64);
    cr_assert_eq(a.out[0], 0);
}

Test(runtime_threads, grid_barrier_joins_all_blocks) {
    cr_assert_eq(rig_cooperative(&grid_rounds, rig_dim(32), rig_dim(128), &a), hipSuccess);
    cr_assert_eq(a.out[1], 0);
    cr_assert_eq(a.out[2], 0);
    cr_assert_eq(wg_report->finding_count, 0);
}

Test(runtime_threads, grid_barrier_in_an_ordinary_launch_ends_it) {
    run(&grid_rounds, 2, 64);
    cr_assert_eq(hipGetLastError(), hipErrorLaunchFailure);
    cr_assert_eq(hipGetLastError(), hipErrorLaunchFailure, "it sticks");
    cr_assert_eq(hipDeviceSynchronize(), hipErrorLaunchFailure);
    cr_assert_eq(rig_count(WG_FINDING_DEADLOCK), 1);
    cr_assert_eq(wg_report->failed_launches, 0, "it was not refused");
    cr_assert_eq(wg_report->launches, 1);
    cr_assert_eq(hipDeviceReset(), hipSuccess);
    cr_assert_eq(hipDeviceSynchronize(), hipSuccess);
}

Test(runtime_threads, grid_barrier_that_a_block_never_reaches) {
    a.n = 3;
    cr_assert_eq(rig_cooperative(&block_leaves_grid, rig_dim(4), rig_dim(64), &a),
                 hipErrorLaunchFailure);
    cr_assert_eq(rig_count(WG_FINDING_DEADLOCK), 1);
}

static void run_overflow(void) {
    run(&overflow_stack, 1, 64);
}

Test(runtime_threads, stack_overflow_is_named) {
    cr_assert_eq(rig_signal_of(run_overflow), SIGSEGV);
    const struct wg_finding_record *found = rig_finding(WG_FINDING_FAULT);
    cr_assert_neq(strstr(found->text, "ran out of stack"), NULL, "%s", found->text);
    cr_assert_str_eq(found->kernel, "overflow_stack");
    cr_assert_eq(found->at.block[0], 0);
    cr_assert_lt(found->at.thread[0], 64);
}

Test(runtime_threads, control_words_of_host_and_kernel_are_apart) {
    fesetround(FE_DOWNWARD);
    run(&change_rounding, 8, 8);
    for (uint32_t i = 0; i < 8; i++) {
        cr_assert_eq(a.out[i], 1);
    }
    cr_assert_eq(fegetround(), FE_DOWNWARD);
}

Test(runtime_threads, shared_memory_is_poisoned_in_each_block) {
    wg_config.workers = 1;
    run(&rotate, 3, 64);
    run(&read_shared, 3, 64);
    for (uint32_t i = 0; i < 192; i++) {
        cr_assert_eq(a.out[i], WG_POISON);
    }
}

Test(runtime_threads, hints_let_the_others_run) {
    a.n = 255;
    run(&hinted_flag, 1, 256);
    cr_assert_eq(a.out[0], 1);
    cr_assert_eq(wg_report->finding_count, 0);
}

Test(runtime_threads, hints_without_hope_end_the_launch) {
    a.n = 1000;
    run(&hinted_flag, 1, 256);
    cr_assert_eq(hipGetLastError(), hipErrorLaunchFailure);
    const struct wg_finding_record *found = rig_finding(WG_FINDING_DEADLOCK);
    cr_assert_eq(found->at.line, 10);
}

Test(runtime_threads, spinning_across_blocks_ends_without_hooks) {
    wg_config.workers = 2;
    run(&spin_grid_barrier, 40, 256);
    cr_assert_eq(hipGetLastError(), hipErrorLaunchFailure);
    cr_assert_eq(rig_count(WG_FINDING_DEADLOCK), 1);
    cr_assert_str_eq(rig_finding(WG_FINDING_DEADLOCK)->kernel, "spin_grid_barrier");
}

Test(runtime_threads, spinning_within_a_block_makes_progress_without_hooks) {
    a.n = 255;
    run(&silent_flag, 1, 256);
    cr_assert_eq(hipGetLastError(), hipSuccess);
    cr_assert_eq(a.out[0], 1);
    cr_assert_eq(wg_report->finding_count, 0);
}
