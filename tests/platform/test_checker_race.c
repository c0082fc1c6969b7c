/* The checker: races, and the correct patterns that must stay silent. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/platform/checker_rig.h"

#define cr_assert_text(finding, text_)                                                             \
    cr_assert_str_eq((finding)->text, text_, "got: %s", (finding)->text)
#define cr_assert_silence() cr_assert_eq(rig_total(), 0, "found: %s", wg_report->findings[0].text)

RIG_SITE(load, 12, WG_OBJECT_SHARED, "s", 4 * RIG_SHARED);
RIG_SITE(store, 14, WG_OBJECT_SHARED, "s", 4 * RIG_SHARED);
RIG_SITE(load_x, 22, WG_OBJECT_PARAM, "x", 0);
RIG_SITE(store_x, 24, WG_OBJECT_PARAM, "x", 0);
RIG_SITE(add_x, 26, WG_OBJECT_PARAM, "x", 0);
RIG_SITE(count_x, 27, WG_OBJECT_PARAM | WG_SITE_RESULT_UNUSED, "x", 0);
RIG_SITE(load_y, 32, WG_OBJECT_PARAM, "y", 0);
RIG_SITE(store_y, 34, WG_OBJECT_PARAM, "y", 0);

enum { THREADS = 256 };

/* One line of the kernel for all threads of the block, in rising or falling order. */
#define EACH_THREAD(t)      for (uint32_t t = 0; t < THREADS && (rig_thread(t), true); t++)
#define EACH_THREAD_DOWN(t) for (uint32_t t = THREADS; t-- > 0 && (rig_thread(t), true);)

static void one_block(void) {
    rig_launch(1, THREADS);
    rig_block(0);
}

/* ---- Within a block ----------------------------------------------------------------------------
 */
Test(checker_race, missing_barrier_before_reading) {
    one_block();
    EACH_THREAD(t) {
        rig_write(rig_shared, t, t, &store);
        rig_read(rig_shared, t ^ 128, &load);
    }
    rig_end();
    const struct wg_finding_record *f = rig_finding(WG_FINDING_DATA_RACE);
    cr_assert_eq(f->severity, WG_SEVERITY_ERROR);
    cr_assert(f->at.line == 12 || f->other.line == 12);
    cr_assert(f->at.line == 14 || f->other.line == 14);
    cr_assert_str_eq(f->object, "s");
}

/* The same kernel with the threads in the other order finds the same two lines. */
Test(checker_race, missing_barrier_in_falling_order) {
    one_block();
    EACH_THREAD_DOWN(t) {
        rig_write(rig_shared, t, t, &store);
        rig_read(rig_shared, t ^ 128, &load);
    }
    rig_end();
    const struct wg_finding_record *f = rig_finding(WG_FINDING_DATA_RACE);
    cr_assert_eq(f->at.line + f->other.line, 12 + 14);
}

Test(checker_race, missing_second_barrier_of_a_tile_loop) {
    one_block();
    for (uint32_t step = 0; step < 2; step++) {
        /* No barrier at the end of a step: a thread may store while others still read. */
        EACH_THREAD(t) {
            if (step == 1) {
                rig_read(rig_shared, (t + 100) % THREADS, &load);
            }
            rig_write(rig_shared, t, step, &store);
        }
        rig_barrier();
    }
    rig_end();
    const struct wg_finding_record *f = rig_finding(WG_FINDING_DATA_RACE);
    cr_assert_text(f, "Two threads of block (0,0,0) meet at s[100] with no barrier between: thread "
                      "(100,0,0) writes it here and thread (0,0,0) reads it at line 12. Put a "
                      "__syncthreads() between the two.");
    cr_assert_eq(f->other.thread[0], 0);
    cr_assert_eq(f->other_is_write, 0);
    cr_assert_eq(f->is_write, 1);
    cr_assert_gt(f->occurrences, 100);
    cr_assert_eq(rig_count(WG_FINDING_WARP_SYNC), 0, "one mistake, one finding");
}

Test(checker_race, two_threads_write_different_values) {
    one_block();
    EACH_THREAD(t) {
        rig_write(rig_shared, t / 128, t, &store);
    }
    rig_end();
    cr_assert_eq(rig_count(WG_FINDING_DATA_RACE), 1, "lanes of one wave with one instruction too");
}

Test(checker_race, lanes_of_one_wave_in_step) {
    one_block();
    for (uint32_t t = 0; t < 64; t++) {
        rig_thread(t);
        rig_write(rig_shared, t, t, &store);
        rig_read(rig_shared, t ^ 1, &load);
    }
    rig_end();
    cr_assert_eq(rig_count(WG_FINDING_DATA_RACE), 0);
    const struct wg_finding_record *f = rig_finding(WG_FINDING_WARP_SYNC);
    cr_assert_eq(f->severity, WG_SEVERITY_WARNING);
    cr_assert(strstr(f->text, "works only when 64 lanes run in step") != NULL);
}

Test(checker_race, counting_without_an_atomic) {
    one_block();
    EACH_THREAD(t) {
        uint32_t old = t == 0 ? 0 : rig_read(rig_shared, 7, &load);
        rig_write(rig_shared, 7, old + 1, &store);
    }
    rig_end();
    cr_assert_eq(rig_finding(WG_FINDING_DATA_RACE)->element, 7);
}

Test(checker_race, atomic_against_plain) {
    uint32_t *x = rig_device(4, true);
    one_block();
    EACH_THREAD(t) {
        if (t == 200) {
            rig_read(x, 1, &load_x);
        } else {
            rig_add(x, 1, 1, &count_x);
        }
    }
    rig_end();
    cr_assert_eq(rig_finding(WG_FINDING_DATA_RACE)->at.line, 22);
    cr_assert_eq(rig_finding(WG_FINDING_DATA_RACE)->other.line, 27);
    cr_assert_eq(rig_finding(WG_FINDING_DATA_RACE)->other_is_write, 2);
}

/* Reading before the other thread has written shows as a race and as a read of nothing: one
 * mistake, one finding. */
Test(checker_race, explains_what_follows_from_it) {
    one_block();
    EACH_THREAD(t) {
        rig_write(rig_shared, t, t, &store);
        rig_read(rig_shared, (t + 1) % THREADS, &load);
        rig_read(rig_shared, (t + 100) % THREADS, &load);
    }
    rig_end();
    cr_assert_eq(rig_total(), 1);
    cr_assert_eq(rig_count(WG_FINDING_DATA_RACE), 1);
}

RIG_SITE(first_array, 17, WG_OBJECT_DYNAMIC, "bytes", 0);
RIG_SITE(second_array, 18, WG_OBJECT_DYNAMIC, "bytes", 0);

Test(checker_race, two_dynamic_arrays_are_one) {
    one_block();
    for (uint32_t step = 0; step < 2; step++) {
        EACH_THREAD(t) {
            rig_write(rig_shared, t, 3 * t, &first_array);
            rig_write(rig_shared, t, 5 * t, &second_array);
        }
        rig_barrier();
        EACH_THREAD(t) {
            rig_read(rig_shared, 255 - t, &load);
        }
        rig_barrier();
    }
    rig_end();
    cr_assert_eq(rig_finding(WG_FINDING_DATA_RACE)->severity, WG_SEVERITY_WARNING);
    cr_assert_text(rig_finding(WG_FINDING_DATA_RACE),
                   "All that this line stores to bytes is overwritten at line 18 before any thread "
                   "reads it. All `extern __shared__` arrays begin at the same address: give the "
                   "second one an offset.");
}

Test(checker_silence, clearing_before_filling) {
    one_block();
    EACH_THREAD(t) {
        rig_write(rig_shared, t, 0, &first_array);
        rig_write(rig_shared, t, 5 * t, &second_array);
    }
    rig_end();
    cr_assert_silence();
}

Test(checker_silence, sometimes_overwritten) {
    one_block();
    EACH_THREAD(t) {
        rig_write(rig_shared, t, 3 * t, &first_array);
        if (t % 100 != 0) {
            rig_write(rig_shared, t, 5 * t, &second_array);
        }
    }
    rig_end();
    cr_assert_silence();
}

/* ---- Between blocks ----------------------------------------------------------------------------
 */
Test(checker_race, two_blocks_write_one_element) {
    uint32_t *x = rig_device(1000, true);
    rig_launch(4, THREADS);
    for (uint32_t b = 0; b < 4; b++) {
        rig_block(b);
        EACH_THREAD(t) {
            uint32_t i = b * (THREADS - 1) + t; /* one too few */
            if (i < 1000) {
                rig_write(x, i, 2 * b + t, &store_x);
            }
        }
    }
    rig_end();
    const struct wg_finding_record *f = rig_finding(WG_FINDING_DATA_RACE);
    cr_assert_eq(f->element, 255);
    cr_assert_eq(f->occurrences, 3);
    cr_assert_text(f,
                   "Two blocks meet at x[255]: thread (0,0,0) of block (1,0,0) writes it here and "
                   "thread (255,0,0) of block (0,0,0) writes it on the same line. Blocks run in "
                   "any order: give each element to one thread, use an atomic, or split the "
                   "kernel in two.");
}

Test(checker_race, a_barrier_does_not_order_blocks) {
    uint32_t *x = rig_device(4, true);
    rig_launch(2, THREADS);
    rig_block(0);
    rig_write(x, 0, 1, &store_x);
    rig_barrier();
    rig_block(1);
    rig_barrier();
    rig_read(x, 0, &load_x);
    rig_end();
    cr_assert_eq(rig_count(WG_FINDING_DATA_RACE), 1);
}

/* Block 0 clears the bins, all blocks count: right only when block 0 comes first. */
Test(checker_race, clearing_while_others_count) {
    uint32_t *x = rig_device(16, true);
    rig_launch(3, 16);
    for (uint32_t b = 0; b < 3; b++) {
        rig_block(b);
        for (uint32_t t = 0; b == 0 && t < 16; t++) {
            rig_thread(t);
            rig_write(x, t, 0, &store_x);
        }
        rig_barrier();
        for (uint32_t t = 0; t < 16; t++) {
            rig_thread(t);
            rig_add(x, (3 * t) % 16, 1, &count_x);
        }
    }
    rig_end();
    cr_assert_eq(rig_count(WG_FINDING_DATA_RACE), 1);
    cr_assert_eq(rig_finding(WG_FINDING_DATA_RACE)->at.line, 27);
}

Test(checker_race, launches_that_nothing_orders) {
    uint32_t *x = rig_device(256, true);
    one_block();
    EACH_THREAD(t) {
        rig_write(x, t, t, &store_x);
    }
    rig_end();
    rig_launch_unordered(1, THREADS);
    rig_block(0);
    EACH_THREAD(t) {
        rig_read(x, t, &load_x); /* the same thread number, yet another launch */
    }
    rig_end();
    const struct wg_finding_record *f = rig_finding(WG_FINDING_DATA_RACE);
    cr_assert(strstr(f->text, "not ordered with this one, writes it") != NULL, "%s", f->text);
    cr_assert(strstr(f->text, "hipStreamWaitEvent") != NULL, "%s", f->text);
}

/* ---- Copies and fills --------------------------------------------------------------------------
 */
static void store_all(uint32_t *x, bool ordered) {
    if (ordered) {
        one_block();
    } else {
        rig_launch_unordered(1, THREADS);
        rig_block(0);
    }
    EACH_THREAD(t) {
        rig_write(x, t, t + 1, &store_x);
    }
    rig_end();
}

#define cr_assert_only_race(line_, text_)                                                          \
    do {                                                                                           \
        const struct wg_finding_record *f = rig_finding(WG_FINDING_DATA_RACE);                     \
        cr_assert_text(f, text_);                                                                  \
        cr_assert_eq(f->at.line, line_);                                                           \
        cr_assert_eq(f->severity, WG_SEVERITY_ERROR);                                              \
        cr_assert_eq(wg_report->finding_count, 1);                                                 \
    } while (0)

Test(checker_race, a_copy_reads_what_a_kernel_writes) {
    uint32_t *x = rig_device(256, true), *y = rig_device(256, true);
    store_all(x, true);
    rig_copy(y, x, 256, false);
    cr_assert_only_race(24, "Thread (0,0,0) of block (0,0,0) writes x[0] while hipMemcpyAsync, not "
                            "ordered with this kernel, reads it. Use one stream, or order the two "
                            "with an event (hipStreamWaitEvent).");
}

/* The other way round: the copy is made first. */
Test(checker_race, a_kernel_writes_what_a_copy_read) {
    uint32_t *x = rig_device(256, true), *y = rig_device(256, true);
    rig_copy(y, x, 256, true);
    store_all(x, false);
    cr_assert_only_race(24, "Thread (0,0,0) of block (0,0,0) writes x[0] while hipMemcpyAsync, not "
                            "ordered with this kernel, reads it. Use one stream, or order the two "
                            "with an event (hipStreamWaitEvent).");
}

Test(checker_race, a_kernel_reads_what_is_being_cleared) {
    uint32_t *x = rig_device(256, true);
    rig_fill(x, 256, true);
    rig_launch_unordered(1, THREADS);
    rig_block(0);
    EACH_THREAD(t) {
        rig_read(x, t, &load_x);
    }
    rig_end();
    cr_assert_only_race(22, "Thread (0,0,0) of block (0,0,0) reads x[0] while hipMemsetAsync, not "
                            "ordered with this kernel, writes it. Use one stream, or order the two "
                            "with an event (hipStreamWaitEvent).");
}

Test(checker_race, clearing_beside_atomics) {
    uint32_t *x = rig_device(1, true);
    one_block();
    EACH_THREAD(t) {
        rig_add(x, 0, 1, &count_x);
    }
    rig_end();
    rig_fill(x, 1, false);
    cr_assert_eq(rig_finding(WG_FINDING_DATA_RACE)->at.line, 27);
    rig_launch_unordered(1, THREADS);
    rig_block(0);
    rig_add(x, 0, 1, &add_x);
    rig_end();
    cr_assert_eq(rig_count(WG_FINDING_DATA_RACE), 2, "against the fill");
}

Test(checker_race, two_copies_that_nothing_orders) {
    uint32_t *x = rig_device(256, true), *y = rig_device(256, true);
    rig_fill(y, 256, true);
    rig_copy(y, x, 256, false);
    cr_assert_only_race(0,
                        "hipMemcpyAsync writes memory while hipMemsetAsync, not ordered with it, "
                        "writes the same bytes. Use one stream, or order the two with an event "
                        "(hipStreamWaitEvent).");
}

Test(checker_silence, copies_in_order) {
    uint32_t *x = rig_device(256, true), *y = rig_device(256, true);
    rig_fill(x, 256, true);
    store_all(x, true);
    rig_copy(y, x, 256, true);
    store_all(y, true);
    rig_copy(x, y, 256, true);
    rig_copy(x + 64, x, 64, true);
    store_all(x, true);
    cr_assert_silence();
}

Test(checker_silence, copies_side_by_side) {
    uint32_t *x = rig_device(512, true), *y = rig_device(512, true);
    store_all(x, true);
    rig_copy(y, x + 256, 256, false);       /* another half than the kernel's */
    rig_copy(y + 256, x + 256, 256, false); /* two readers */
    store_all(x, true);
    cr_assert_silence();
}

/* What the host waits for comes before whatever is submitted later. */
Test(checker_silence, host_writes_end_what_was_before) {
    uint32_t *x = rig_device(256, true);
    store_all(x, true);
    wg_checker_host_write(x, 1024);
    rig_fill(x, 256, false);
    wg_checker_host_write(x, 1024);
    store_all(x, false);
    cr_assert_silence();
}

/* ---- Correct kernels ---------------------------------------------------------------------------
 */
Test(checker_silence, launches_in_order) {
    uint32_t *x = rig_device(256, true);
    for (int i = 0; i < 3; i++) {
        rig_launch(2, 128);
        for (uint32_t b = 0; b < 2; b++) {
            rig_block(b);
            for (uint32_t t = 0; t < 128; t++) {
                rig_thread(t);
                uint32_t at = i == 1 ? 255 - (128 * b + t) : 128 * b + t;
                rig_write(x, at, rig_read(x, at, &load_x) + 1, &store_x);
            }
        }
        rig_end();
    }
    cr_assert_silence();
}

Test(checker_silence, tiles_with_both_barriers) {
    one_block();
    for (uint32_t step = 0; step < 4; step++) {
        EACH_THREAD(t) {
            rig_write(rig_shared, t, step + t, &store);
        }
        rig_barrier();
        EACH_THREAD(t) {
            for (uint32_t i = 0; i < 16; i++) {
                rig_read(rig_shared, t / 16 * 16 + i, &load);
                rig_read(rig_shared, i * 16 + t % 16, &load);
            }
        }
        rig_barrier();
    }
    rig_end();
    cr_assert_silence();
}

Test(checker_silence, double_buffering_with_one_barrier) {
    one_block();
    for (uint32_t step = 0; step < 4; step++) {
        EACH_THREAD(t) {
            if (step > 0) {
                rig_read(rig_shared, (step - 1) % 2 * THREADS + (t + 17) % THREADS, &load);
            }
            rig_write(rig_shared, step % 2 * THREADS + t, t, &store);
        }
        rig_barrier();
    }
    rig_end();
    cr_assert_silence();
}

Test(checker_silence, tree_reduction) {
    one_block();
    EACH_THREAD(t) {
        rig_write(rig_shared, t, t, &store);
    }
    rig_barrier();
    for (uint32_t half = THREADS / 2; half > 0; half /= 2) {
        EACH_THREAD(t) {
            if (t < half) {
                uint32_t sum = rig_read(rig_shared, t, &load);
                sum += rig_read(rig_shared, t + half, &load);
                rig_write(rig_shared, t, sum, &store);
            }
        }
        rig_barrier();
    }
    rig_thread(0);
    cr_assert_eq(rig_read(rig_shared, 0, &load), THREADS * (THREADS - 1) / 2);
    rig_end();
    cr_assert_silence();
}

Test(checker_silence, lanes_that_synchronize) {
    one_block();
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t t = 0; t < 64; t++) {
            rig_thread(t);
            rig_write(rig_shared, t, t, &store);
        }
        rig_wave_sync(0, UINT64_MAX);
        for (uint32_t t = 0; t < 64; t++) {
            rig_thread(t);
            rig_read(rig_shared, t ^ 1, &load);
        }
        rig_wave_sync(0, UINT64_MAX);
    }
    rig_end();
    cr_assert_silence();
}

Test(checker_silence, histogram_in_shared_memory) {
    uint32_t *x = rig_device(16, true);
    RIG_SITE(count, 40, WG_OBJECT_SHARED | WG_SITE_RESULT_UNUSED, "bins", 64);
    rig_launch(3, THREADS);
    for (uint32_t b = 0; b < 3; b++) {
        rig_block(b);
        EACH_THREAD(t) {
            if (t < 16) {
                rig_write(rig_shared, t, 0, &store);
            }
        }
        rig_barrier();
        EACH_THREAD(t) {
            rig_add(rig_shared, (7 * t + b) % 16, 1, &count);
        }
        rig_barrier();
        EACH_THREAD(t) {
            if (t < 16) {
                rig_add(x, t, rig_read(rig_shared, t, &load), &count_x);
            }
        }
    }
    rig_end();
    cr_assert_silence();
}

/* The last block to arrive adds up what all blocks stored: a ticket orders them. */
enum fence { NO_FENCE, FENCE_AFTER_THE_WRITE, FENCE_BEFORE_THE_TICKET };

static void reduce_in_last_block(enum fence fence) {
    uint32_t *x = rig_device(1, true), *y = rig_device(4, false);
    x[0] = 0;
    rig_launch(4, THREADS);
    for (uint32_t b = 0; b < 4; b++) {
        rig_block(b);
        rig_thread(5); /* not the one that takes the ticket */
        rig_write(y, b, b, &store_y);
        if (fence == FENCE_AFTER_THE_WRITE) {
            wg_check_fence();
        }
        rig_barrier();
        rig_thread(0);
        if (fence == FENCE_BEFORE_THE_TICKET) {
            wg_check_fence();
        }
        bool last = rig_add(x, 0, 1, &add_x) == 3;
        rig_barrier();
        EACH_THREAD(t) {
            if (last && t >= 100 && t < 104) {
                rig_read(y, t - 100, &load_y);
            }
        }
        if (last) {
            rig_thread(0);
            rig_write(x, 0, 0, &store_x);
        }
    }
    rig_end();
}

Test(checker_silence, last_block_reduction) {
    reduce_in_last_block(FENCE_BEFORE_THE_TICKET);
    cr_assert_silence();
}

Test(checker_silence, last_block_reduction_where_the_writer_fences) {
    reduce_in_last_block(FENCE_AFTER_THE_WRITE);
    cr_assert_silence();
}

Test(checker_race, last_block_reduction_without_a_fence) {
    reduce_in_last_block(NO_FENCE);
    cr_assert_eq(rig_count(WG_FINDING_DATA_RACE), 1);
    cr_assert_not_null(strstr(rig_finding(WG_FINDING_DATA_RACE)->text, "__threadfence()"));
}

/* A fence covers what was written before it and nothing else. */
Test(checker_race, write_after_the_fence) {
    uint32_t *x = rig_device(1, true), *y = rig_device(2, false);
    rig_launch(2, 64);
    rig_block(0);
    rig_thread(0);
    rig_write(y, 0, 1, &store_y);
    wg_check_fence();
    rig_write(y, 1, 1, &store_y);
    rig_add(x, 0, 1, &add_x);
    rig_block(1);
    rig_thread(0);
    rig_add(x, 0, 0, &add_x);
    rig_read(y, 0, &load_y);
    cr_assert_eq(rig_count(WG_FINDING_DATA_RACE), 0);
    rig_read(y, 1, &load_y);
    rig_end();
    cr_assert_eq(rig_count(WG_FINDING_DATA_RACE), 1);
}

/* Within a block, and for what only reads before or is atomic itself, none is needed. */
Test(checker_silence, hand_over_without_a_fence) {
    uint32_t *x = rig_device(1, true), *y = rig_device(2, true);
    rig_launch(2, 128);
    rig_block(0);
    rig_thread(0);
    rig_write(y, 0, 1, &store_y);
    rig_read(y, 1, &load_y);
    rig_add(x, 0, 1, &add_x);
    rig_thread(64); /* another wave */
    rig_add(x, 0, 1, &add_x);
    rig_read(y, 0, &load_y);
    rig_block(1);
    rig_thread(0);
    rig_add(x, 0, 0, &add_x);
    rig_write(y, 1, 2, &store_y);
    rig_end();
    cr_assert_silence();
}

/* ...and without the ticket it is a race. */
Test(checker_race, last_block_by_number) {
    uint32_t *y = rig_device(4, false);
    rig_launch(4, THREADS);
    for (uint32_t b = 0; b < 4; b++) {
        rig_block(b);
        rig_thread(5);
        rig_write(y, b, b, &store_y);
        rig_barrier();
        rig_thread(0);
        for (uint32_t i = 0; b == 3 && i < 4; i++) {
            rig_read(y, i, &load_y);
        }
    }
    rig_end();
    cr_assert_eq(rig_count(WG_FINDING_DATA_RACE), 1);
}

Test(checker_silence, a_lock_orders_its_holders) {
    uint32_t *x = rig_device(1, true), *y = rig_device(1, true);
    RIG_SITE(lock, 50, WG_OBJECT_PARAM, "x", 0);
    RIG_SITE(unlock, 52, WG_OBJECT_PARAM | WG_SITE_RESULT_UNUSED | WG_SITE_NO_READ, "x", 0);
    rig_launch(3, 128);
    for (uint32_t b = 0; b < 3; b++) {
        rig_block(b);
        for (uint32_t t = 0; t < 128; t += 32) {
            rig_thread(t);
            rig_add(x, 0, 1, &lock);
            rig_write(y, 0, rig_read(y, 0, &load_y) + t, &store_y);
            wg_check_fence();
            rig_add(x, 0, UINT32_MAX, &unlock);
        }
    }
    rig_end();
    cr_assert_silence();
}

/* Each block waits for the flag of the one before and passes its sum on. */
Test(checker_silence, volatile_flags_hand_over) {
    uint32_t *x = rig_device(4, true), *y = rig_device(4, false);
    RIG_SITE(set, 60, WG_OBJECT_PARAM | WG_SITE_VOLATILE, "x", 0);
    RIG_SITE(get, 62, WG_OBJECT_PARAM | WG_SITE_VOLATILE, "x", 0);
    rig_launch(4, 64);
    for (uint32_t b = 0; b < 4; b++) {
        rig_block(b);
        rig_thread(0);
        if (b > 0) {
            rig_read(x, b - 1, &get);
            rig_read(y, b - 1, &load_y);
            rig_read(y, 0, &load_y);
        }
        rig_write(y, b, b, &store_y);
        wg_check_fence();
        rig_write(x, b, 1, &set);
    }
    rig_end();
    cr_assert_silence();
}

/* The double atomicAdd of every tutorial: a plain read, then exchanges until one succeeds. */
Test(checker_silence, atomics_made_of_exchanges) {
    uint32_t *x = rig_device(2, true);
    rig_launch(3, 128);
    for (uint32_t b = 0; b < 3; b++) {
        rig_block(b);
        for (uint32_t t = 0; t < 128; t++) {
            rig_thread(t);
            rig_read(x, 1, &load_x);
            rig_add(x, 1, 1, &add_x);
        }
    }
    rig_end();
    cr_assert_silence();
    rig_launch(2, 128);
    for (uint32_t b = 0; b < 2; b++) {
        rig_block(b);
        rig_thread(b);
        rig_read(x, 1, &load_x);
        if (b == 0) {
            rig_add(x, 1, 1, &add_x);
        }
    }
    rig_end();
    cr_assert_eq(rig_finding(WG_FINDING_DATA_RACE)->severity, WG_SEVERITY_WARNING,
                 "only a look, but nothing follows it");
}

Test(checker_silence, the_same_value_is_only_a_note) {
    uint32_t *x = rig_device(1000, true);
    rig_launch(4, THREADS);
    for (uint32_t b = 0; b < 4; b++) {
        rig_block(b);
        EACH_THREAD(t) {
            uint32_t i = b * THREADS + t < 1000 ? b * THREADS + t : 999;
            rig_write(x, i, 3 * i, &store_x);
        }
    }
    rig_end();
    cr_assert_eq(rig_total(), 1);
    const struct wg_finding_record *f = rig_finding(WG_FINDING_SAME_VALUE);
    cr_assert_eq(f->severity, WG_SEVERITY_NOTE);
    cr_assert_eq(f->element, 999);
    cr_assert_eq(f->occurrences, 24);
}

Test(checker_silence, blocks_side_by_side_and_a_grid_barrier) {
    static uint32_t shared[2][64];
    uint32_t *x = rig_device(2, true);
    struct wg_cpu_thread thread[2] = {
        {.shared = (char *)shared[0], .warp_size = 64, .block_dim = {64, 1, 1}},
        {.shared = (char *)shared[1],
         .warp_size = 64,
         .block_dim = {64, 1, 1},
         .block_idx = {1, 0, 0}},
    };
    RIG_SITE(store_2, 70, WG_OBJECT_SHARED, "s", 256);
    RIG_SITE(load_2, 71, WG_OBJECT_SHARED, "s", 256);
    rig_launch(2, 64);
    for (int b = 0; b < 2; b++) {
        wg_self = &thread[b];
        wg_checker_block_begin((char *)shared[b], sizeof shared[b]);
    }
    for (int b = 0; b < 2; b++) {
        wg_self = &thread[b];
        rig_write(shared[b], 0, 1, &store_2);
        rig_write(x, b, 1, &store_x);
    }
    wg_checker_grid_barrier_passed(&load_x);
    for (int b = 0; b < 2; b++) {
        wg_self = &thread[b];
        rig_read(shared[b], 0, &load_2);
        rig_read(x, 1 - b, &load_x);
    }
    cr_assert_silence();
    for (int b = 0; b < 2; b++) {
        wg_self = &thread[b];
        rig_write(x, b, 1, &store_x);
        wg_checker_block_end();
    }
    cr_assert_eq(rig_count(WG_FINDING_DATA_RACE), 1, "after the barrier it counts again");
}

Test(checker_silence, polls_in_vain_give_others_a_turn) {
    uint32_t *x = rig_device(2, true);
    one_block();
    for (int i = 0; i < 10; i++) {
        rig_add(x, 0, 0, &add_x);
    }
    cr_assert_eq(rig_spin_hints, 0);
    for (int i = 0; i < 100; i++) {
        rig_add(x, 0, 0, &add_x);
    }
    cr_assert_gt(rig_spin_hints, 50);
    rig_spin_hints = 0;
    for (int i = 0; i < 100; i++) {
        rig_add(x, 1, 1, &add_x);
    }
    rig_end();
    cr_assert_eq(rig_spin_hints, 0, "something changes");
}

/* ---- What the scheduler reports ----------------------------------------------------------------
 */
Test(checker_barriers, sentences) {
    RIG_SITE(first, 80, WG_OBJECT_UNKNOWN, NULL, 0);
    RIG_SITE(second, 82, WG_OBJECT_UNKNOWN, NULL, 0);
    struct wg_cpu_thread a = {.thread_idx = {1, 0, 0}}, b = {.thread_idx = {2, 0, 0}};
    one_block();
    wg_checker_barrier_mismatch((struct wg_checker_thread_at){&a, &first},
                                (struct wg_checker_thread_at){&b, &second}, 100, 156);
    wg_checker_early_exit((struct wg_checker_thread_at){&a, &first}, &b, 232, 24);
    wg_checker_early_exit((struct wg_checker_thread_at){&a, &first}, &b, 232, 24);
    wg_checker_deadlock((struct wg_checker_thread_at){&a, &second}, "nobody will come.");
    rig_end();
    cr_assert_text(
        rig_finding(WG_FINDING_BARRIER_DIVERGENCE),
        "The threads of block (0,0,0) stand at different barriers: 100 here, thread (1,0,0) "
        "among them, and 156 at line 82, thread (2,0,0) among them. Move __syncthreads() "
        "out of the branch, so that all meet one.");
    cr_assert_eq(rig_finding(WG_FINDING_EARLY_EXIT_BARRIER)->severity, WG_SEVERITY_WARNING);
    cr_assert_eq(rig_finding(WG_FINDING_EARLY_EXIT_BARRIER)->occurrences, 2);
    cr_assert_text(rig_finding(WG_FINDING_DEADLOCK),
                   "Thread (1,0,0) of block (0,0,0) waits here for ever: nobody will come.");
}

/* ---- Counters ----------------------------------------------------------------------------------
 */
Test(checker_counters, coalesced_and_strided) {
    uint32_t *x = rig_device(256 * 64, true);
    one_block();
    EACH_THREAD(t) {
        rig_read(x, t, &load_x);           /* 64 lanes: 2 segments */
        rig_write(x, 64 * t, 1, &store_x); /* 64 lanes: 64 segments */
    }
    rig_barrier();
    rig_end();
    const struct wg_counter_record *all = rig_counters(0);
    cr_assert_eq(all->launches, 1);
    cr_assert_eq(all->threads, 256);
    cr_assert_eq(all->global_loads, 256);
    cr_assert_eq(all->global_load_bytes, 1024);
    cr_assert_eq(all->global_load_segments, 8);
    cr_assert_eq(all->global_store_segments, 256);
    cr_assert_eq(all->barriers, 256);
    cr_assert_eq(rig_counters(22)->global_load_segments, 8);
    cr_assert_eq(rig_counters(24)->global_load_segments, 0);
    cr_assert_eq(rig_counters(99)->barriers, 256);
}

Test(checker_counters, each_round_of_a_loop_is_an_access) {
    uint32_t *x = rig_device(4096, true);
    one_block();
    EACH_THREAD(t) {
        for (uint32_t i = 0; i < 10; i++) {
            rig_read(x, i, &load_x); /* a broadcast: one segment */
        }
    }
    rig_end();
    cr_assert_eq(rig_counters(0)->global_load_segments, 4 * 10);
}

Test(checker_counters, long_loops_are_scaled) {
    uint32_t *x = rig_device(64 * 5000, true);
    rig_launch(1, 256);
    rig_block(0);
    EACH_THREAD(t) {
        for (uint32_t i = 0; i < 5000; i++) {
            rig_read(x, 64 * i + t % 64, &load_x);
        }
    }
    rig_end();
    cr_assert_eq(rig_counters(0)->global_loads, 256 * 5000);
    cr_assert_eq(rig_counters(0)->global_load_segments, 4 * 5000 * 2);
}

Test(checker_counters, bank_conflicts) {
    one_block();
    EACH_THREAD(t) {
        rig_write(rig_shared, t, 1, &store); /* conflict-free, also with 64 lanes */
    }
    rig_barrier();
    for (uint32_t t = 0; t < 32; t++) {
        rig_thread(t);
        rig_read(rig_shared, t / 2, &load); /* two lanes a word: free */
    }
    rig_barrier();
    for (uint32_t t = 0; t < 32; t++) {
        rig_thread(t);
        rig_write(rig_shared, 32 * t, 1, &store); /* all in one bank: 31 extra cycles */
    }
    rig_barrier();
    for (uint32_t t = 0; t < 32; t++) {
        rig_thread(t); /* 16 bytes each, 8 lanes at a time: free */
        wg_check_write(rig_shared + 4 * t, rig_shared, 16, 16, 0, 0, &store);
    }
    rig_end();
    cr_assert_eq(rig_counters(12)->shared_bank_conflicts, 0);
    cr_assert_eq(rig_counters(14)->shared_bank_conflicts, 31);
    cr_assert_eq(rig_counters(14)->shared_stores, 256 + 32 + 32);
}
