/* Streams and events: what happens at once, what waits, and what is ordered. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "tests/platform/runtime_rig.h"

struct arguments {
    uint32_t *log, *count;
    uint32_t number;
};

RIG_KERNEL(note, struct arguments) {
    a->log[(*a->count)++] = a->number;
}

static struct arguments a;
static hipStream_t lazy, other, blocking;

static void setup(void) {
    RIG_REGISTER(&note);
    a.log = rig_shared_memory(4096);
    a.count = rig_shared_memory(64);
    cr_assert_eq(hipStreamCreateWithFlags(&lazy, hipStreamNonBlocking), hipSuccess);
    cr_assert_eq(hipStreamCreateWithFlags(&other, hipStreamNonBlocking), hipSuccess);
    cr_assert_eq(hipStreamCreate(&blocking), hipSuccess);
}

TestSuite(runtime_streams, .init = setup, .timeout = 60);

static void launch(uint32_t number, hipStream_t stream) {
    a.number = number;
    rig_launch(&note, rig_dim(1), rig_dim(1), 0, stream, &a);
}

static hipEvent_t event(void) {
    hipEvent_t handle;
    cr_assert_eq(hipEventCreate(&handle), hipSuccess);
    return handle;
}

Test(runtime_streams, default_and_blocking_streams_run_at_once) {
    launch(1, NULL);
    launch(2, blocking);
    launch(3, hipStreamPerThread);
    launch(4, hipStreamLegacy);
    cr_assert_eq(*a.count, 4);
    cr_assert_eq(a.log[3], 4);
}

Test(runtime_streams, unordered_work_is_late) {
    launch(1, lazy);
    launch(2, NULL);
    cr_assert_eq(hipStreamSynchronize(NULL), hipSuccess);
    cr_assert_eq(*a.count, 1, "the default stream does not wait for it");
    cr_assert_eq(a.log[0], 2);
    cr_assert_eq(hipDeviceSynchronize(), hipSuccess);
    cr_assert_eq(*a.count, 2);
}

Test(runtime_streams, arguments_are_kept_until_the_launch_runs) {
    for (uint32_t i = 0; i < 10; i++) {
        launch(i, lazy);
    }
    cr_assert_eq(*a.count, 0);
    cr_assert_eq(hipStreamSynchronize(lazy), hipSuccess);
    for (uint32_t i = 0; i < 10; i++) {
        cr_assert_eq(a.log[i], i);
    }
}

Test(runtime_streams, whatever_waits_makes_it_run) {
    void *p = NULL;
    hipMalloc(&p, 16);
    launch(1, lazy);
    cr_assert_eq(hipStreamQuery(lazy), hipSuccess);
    cr_assert_eq(*a.count, 1);
    launch(2, lazy);
    cr_assert_eq(hipFree(p), hipSuccess);
    cr_assert_eq(*a.count, 2);
    launch(3, lazy);
    cr_assert_eq(hipStreamDestroy(lazy), hipSuccess);
    cr_assert_eq(*a.count, 3);
    cr_assert_eq(hipStreamSynchronize(lazy), hipErrorInvalidHandle);
}

Test(runtime_streams, events_order_streams) {
    hipEvent_t done = event();
    launch(1, lazy);
    cr_assert_eq(hipEventRecord(done, lazy), hipSuccess);
    launch(2, lazy);
    cr_assert_eq(hipStreamWaitEvent(NULL, done, 0), hipSuccess);
    cr_assert_eq(*a.count, 1, "work behind the event is not waited for");
    launch(3, NULL);
    cr_assert_eq(a.log[1], 3);
    hipDeviceSynchronize();
    cr_assert_eq(*a.count, 3);
}

Test(runtime_streams, chains_of_waits) {
    hipEvent_t first = event();
    hipEvent_t second = event();
    launch(1, lazy);
    hipEventRecord(first, lazy);
    hipStreamWaitEvent(other, first, 0);
    launch(2, other);
    hipEventRecord(second, other);
    launch(3, other);
    cr_assert_eq(*a.count, 0);
    cr_assert_eq(hipEventSynchronize(second), hipSuccess);
    cr_assert_eq(*a.count, 2);
    cr_assert_eq(a.log[0], 1);
    cr_assert_eq(a.log[1], 2);
}

Test(runtime_streams, waits_concern_the_record_before_them) {
    hipEvent_t done = event();
    launch(1, lazy);
    hipEventRecord(done, lazy);
    hipStreamWaitEvent(other, done, 0);
    launch(2, lazy);
    hipEventRecord(done, lazy);
    launch(3, other);
    hipStreamSynchronize(other);
    cr_assert_eq(*a.count, 2);
    cr_assert_eq(a.log[0], 1);
    cr_assert_eq(a.log[1], 3);
}

Test(runtime_streams, copies_of_pinned_memory_are_late_and_of_pageable_memory_are_not) {
    void *p = NULL;
    hipMalloc(&p, 4);
    uint32_t *pinned = rig_pinned_memory(4);
    *pinned = 1;
    cr_assert_eq(hipMemcpyAsync(p, pinned, 4, hipMemcpyHostToDevice, lazy), hipSuccess);
    *pinned = 2; /* too early: the copy may not have been made */
    uint32_t back = 0;
    cr_assert_eq(hipMemcpyAsync(&back, p, 4, hipMemcpyDeviceToHost, lazy), hipSuccess);
    cr_assert_eq(back, 2);
    cr_assert_eq(hipMemsetAsync(p, 0, 4, lazy), hipSuccess);
    cr_assert_eq(hipMemcpy(&back, p, 4, hipMemcpyDeviceToHost), hipSuccess);
    cr_assert_eq(back, 2, "the default stream does not wait for the fill");
}

static void count_up(void *data) {
    (*(uint32_t *)data)++;
}

static void check_callback(hipStream_t stream, hipError_t status, void *data) {
    if (stream == lazy && status == hipSuccess) {
        count_up(data);
    }
}

Test(runtime_streams, callbacks_run_in_order) {
    launch(1, lazy);
    cr_assert_eq(hipLaunchHostFunc(lazy, count_up, a.count), hipSuccess);
    launch(2, lazy);
    cr_assert_eq(hipStreamAddCallback(lazy, check_callback, a.count, 0), hipSuccess);
    cr_assert_eq(*a.count, 0);
    hipStreamSynchronize(lazy);
    cr_assert_eq(*a.count, 4);
    cr_assert_eq(a.log[2], 2);
}

static void call_hip(void *data) {
    (void)data;
    hipGetLastError();
    cr_assert_eq(hipStreamSynchronize(NULL), hipSuccess);
}

Test(runtime_streams, calls_in_host_functions_are_told) {
    cr_assert_eq(hipLaunchHostFunc(lazy, count_up, a.count), hipSuccess);
    cr_assert_eq(hipDeviceSynchronize(), hipSuccess);
    cr_assert_eq(rig_count(WG_FINDING_API_MISUSE), 0);
    cr_assert_eq(hipLaunchHostFunc(lazy, call_hip, NULL), hipSuccess);
    cr_assert_eq(hipDeviceSynchronize(), hipSuccess);
    cr_assert_eq(hipDeviceSynchronize(), hipSuccess);
    const struct wg_finding_record *f = rig_finding(WG_FINDING_API_MISUSE);
    cr_assert_eq(f->severity, WG_SEVERITY_WARNING);
    cr_assert_eq(f->occurrences, 1);
    cr_assert_str_eq(f->at.function, "hipStreamSynchronize");
    cr_assert(strstr(f->text, "host function that a stream calls") != NULL, "%s", f->text);
}

Test(runtime_streams, copies_notice_that_memory_is_gone) {
    void *p = NULL, *q = NULL;
    hipMalloc(&p, 64);
    hipMalloc(&q, 64);
    cr_assert_eq(hipMemcpyAsync(q, p, 64, hipMemcpyDeviceToDevice, lazy), hipSuccess);
    cr_assert_eq(hipMemsetAsync(p, 0, 64, lazy), hipSuccess);
    cr_assert_eq(hipFreeAsync(p, NULL), hipSuccess);
    cr_assert_eq(hipDeviceSynchronize(), hipSuccess);
    const struct wg_finding_record *f = rig_finding(WG_FINDING_USE_AFTER_FREE);
    cr_assert_str_eq(f->text,
                     "hipMemcpyAsync reads byte 0 of 64 bytes of freed device memory. Free "
                     "it in the stream that uses it last, or when that stream is done "
                     "(hipStreamSynchronize).");
    cr_assert_eq(rig_count(WG_FINDING_USE_AFTER_FREE), 2);
}

Test(runtime_streams, frees_wait_their_turn) {
    void *p = NULL;
    cr_assert_eq(hipMallocAsync(&p, 64, lazy), hipSuccess);
    cr_assert_eq(hipFreeAsync(p, lazy), hipSuccess);
    size_t bytes = 0;
    cr_assert_eq(hipMemPtrGetInfo(p, &bytes), hipSuccess);
    hipStreamSynchronize(lazy);
    cr_assert_eq(hipMemPtrGetInfo(p, &bytes), hipErrorInvalidValue);
}

Test(runtime_streams, elapsed_time) {
    hipEvent_t start = event();
    hipEvent_t stop = event();
    float ms = -1;
    cr_assert_eq(hipEventElapsedTime(&ms, start, stop), hipErrorInvalidHandle, "not recorded");
    hipEventRecord(start, NULL);
    hipEventRecord(stop, lazy);
    cr_assert_eq(hipEventElapsedTime(&ms, start, stop), hipErrorNotReady);
    cr_assert_eq(hipGetLastError(), hipErrorInvalidHandle, "not ready is no error to remember");
    cr_assert_eq(hipEventQuery(stop), hipSuccess);
    cr_assert_eq(hipEventElapsedTime(&ms, start, stop), hipSuccess);
    cr_assert(ms >= 0 && ms < 10000);
    cr_assert_eq(hipEventElapsedTime(&ms, stop, start), hipSuccess);
    cr_assert_leq(ms, 0);
    hipEvent_t untimed;
    hipEventCreateWithFlags(&untimed, hipEventDisableTiming);
    hipEventRecord(untimed, NULL);
    cr_assert_eq(hipEventElapsedTime(&ms, start, untimed), hipErrorInvalidHandle);
    cr_assert_eq(hipEventDestroy(untimed), hipSuccess);
    cr_assert_eq(hipEventRecord(untimed, NULL), hipErrorInvalidHandle);
    cr_assert_eq(hipEventQuery(event()), hipSuccess, "never recorded: nothing to wait for");
}

Test(runtime_streams, handles_of_the_dead_are_not_mistaken) {
    cr_assert_eq(hipStreamDestroy(lazy), hipSuccess);
    hipStream_t fresh;
    hipStreamCreate(&fresh);
    cr_assert_neq(fresh, lazy);
    cr_assert_eq(hipStreamDestroy(lazy), hipErrorInvalidHandle);
    cr_assert_eq(hipStreamDestroy(NULL), hipErrorInvalidHandle);
    cr_assert_eq(hipStreamDestroy((hipStream_t)&fresh), hipErrorInvalidHandle);
    launch(1, lazy);
    cr_assert_eq(hipGetLastError(), hipErrorInvalidHandle);
    cr_assert_eq(*a.count, 0);
}

/* ---- What the checker is told ---- */

static struct wg_clock clock_of(hipStream_t stream) {
    struct wg_op op = {.kind = WG_OP_EVENT_RECORD};
    wg_stream_submit(wg_stream_find(stream), &op);
    return op.clock;
}

static bool knows(const struct wg_clock *later, const struct wg_clock *earlier,
                  hipStream_t stream) {
    uint32_t slot = wg_stream_index(wg_stream_find(stream)) % WG_CLOCK_SLOTS;
    return later->tick[slot] >= earlier->tick[slot];
}

Test(runtime_streams, clocks_know_what_is_ordered) {
    struct wg_clock in_lazy = clock_of(lazy);
    struct wg_clock in_blocking = clock_of(blocking);
    struct wg_clock in_default = clock_of(NULL);
    cr_assert_not(knows(&in_default, &in_lazy, lazy));
    cr_assert(knows(&in_default, &in_blocking, blocking));
    struct wg_clock in_other = clock_of(other);
    cr_assert_not(knows(&in_other, &in_default, NULL));
    hipEvent_t done = event();
    hipEventRecord(done, lazy);
    hipStreamWaitEvent(other, done, 0);
    in_other = clock_of(other);
    cr_assert(knows(&in_other, &in_lazy, lazy));
    cr_assert_not(knows(&in_other, &in_default, NULL));
    hipDeviceSynchronize();
    in_other = clock_of(other);
    cr_assert(knows(&in_other, &in_default, NULL), "through the host");
}

Test(runtime_streams, the_default_stream_waits_for_destroyed_streams) {
    struct wg_clock in_blocking = clock_of(blocking);
    hipStream_t destroyed = blocking;
    uint32_t slot = wg_stream_index(wg_stream_find(destroyed)) % WG_CLOCK_SLOTS;
    hipStreamDestroy(blocking);
    cr_assert_geq(clock_of(NULL).tick[slot], in_blocking.tick[slot]);
}

/* Kernels of the rig are not instrumented; copies among each other are enough to see that their
 * clocks arrive. */
Test(runtime_streams, copies_race_with_copies) {
    wg_checker_on = true;
    void *p = NULL, *q = NULL, *r = NULL;
    hipMalloc(&p, 4096);
    hipMalloc(&q, 4096);
    hipMalloc(&r, 4096);
    hipStream_t second;
    hipStreamCreate(&second);
    hipEvent_t filled = event();
    for (int i = 0; i < 3; i++) {
        hipMemsetAsync(p, 0, 4096, blocking);
        hipEventRecord(filled, blocking);
        hipStreamWaitEvent(lazy, filled, 0);
        hipMemcpyAsync(q, p, 4096, hipMemcpyDeviceToDevice, lazy);
        hipStreamSynchronize(lazy);
        hipMemcpy(p, q, 2048, hipMemcpyDeviceToDevice);
        hipMemcpyAsync(q, p, 4096, hipMemcpyDeviceToDevice, second);
        hipMemsetAsync(q, 0, 4096, NULL);
        hipMemcpyAsync(r, q, 4096, hipMemcpyDeviceToDevice, blocking);
        hipDeviceSynchronize();
    }
    cr_assert_eq(rig_count(WG_FINDING_DATA_RACE), 0);
    hipMemsetAsync(p, 0, 4096, blocking);
    hipMemcpyAsync(q, p, 2048, hipMemcpyDeviceToDevice, second);
    cr_assert_geq(rig_count(WG_FINDING_DATA_RACE), 1);
    wg_checker_on = false;
}
