/* Launches: every thread once, in the order asked for; what a GPU refuses. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/platform/runtime_rig.h"

struct log_arguments {
    uint32_t *order, *count;
};

RIG_KERNEL(log_order, struct log_arguments) {
    uint32_t at = __atomic_fetch_add(a->count, 1, __ATOMIC_RELAXED);
    a->order[at] = rig_global_index();
}

struct mark_arguments {
    uint32_t *visits;
};

RIG_KERNEL(mark, struct mark_arguments) {
    const struct wg_cpu_thread *t = wg_self;
    uint32_t block =
        t->block_idx.x + t->grid_dim.x * (t->block_idx.y + t->grid_dim.y * t->block_idx.z);
    uint32_t flat =
        t->thread_idx.x + t->block_dim.x * (t->thread_idx.y + t->block_dim.y * t->thread_idx.z);
    if (flat == t->flat) {
        uint32_t threads = t->block_dim.x * t->block_dim.y * t->block_dim.z;
        __atomic_fetch_add(&a->visits[block * threads + flat], 1, __ATOMIC_RELAXED);
    }
}

static void mark_block(void *pack) {
    const struct mark_arguments *a = pack;
    uint32_t threads = wg_self->block_dim.x;
    for (uint32_t i = 0; i < threads; i++) {
        a->visits[wg_self->block_idx.x * threads + i]++;
    }
}

static void setup(void) {
    RIG_REGISTER(&log_order, &mark);
}

static void teardown(void) {}

TestSuite(runtime_launch, .init = setup, .fini = teardown, .timeout = 60);

static struct log_arguments run_log(uint32_t blocks, uint32_t threads) {
    struct log_arguments a = {rig_shared_memory(blocks * threads * sizeof(uint32_t)),
                              rig_shared_memory(sizeof(uint32_t))};
    rig_launch(&log_order, rig_dim(blocks), rig_dim(threads), 0, NULL, &a);
    cr_assert_eq(hipGetLastError(), hipSuccess);
    cr_assert_eq(*a.count, blocks * threads);
    return a;
}

Test(runtime_launch, ascending_by_default) {
    struct log_arguments a = run_log(5, 70);
    for (uint32_t i = 0; i < 350; i++) {
        cr_assert_eq(a.order[i], i);
    }
    cr_assert_eq(wg_report->launches, 1);
}

Test(runtime_launch, blocks_descending) {
    wg_config.block_order = WG_BLOCKS_DOWN;
    struct log_arguments a = run_log(5, 70);
    for (uint32_t i = 0; i < 350; i++) {
        cr_assert_eq(a.order[i], (4 - i / 70) * 70 + i % 70);
    }
}

Test(runtime_launch, threads_descending) {
    wg_config.threads_down = true;
    struct log_arguments a = run_log(5, 70);
    for (uint32_t i = 0; i < 350; i++) {
        cr_assert_eq(a.order[i], i / 70 * 70 + 69 - i % 70);
    }
}

Test(runtime_launch, shuffle_is_a_permutation_that_the_seed_chooses) {
    wg_config.block_order = WG_BLOCKS_SHUFFLED;
    uint32_t first_of_seed[2];
    for (uint64_t seed = 0; seed < 2; seed++) {
        wg_config.shuffle_seed = seed;
        struct log_arguments a = run_log(1000, 1);
        bool seen[1000] = {false};
        uint32_t in_place = 0;
        for (uint32_t i = 0; i < 1000; i++) {
            cr_assert_not(seen[a.order[i]]);
            seen[a.order[i]] = true;
            in_place += a.order[i] == i;
        }
        cr_assert_lt(in_place, 100);
        first_of_seed[seed] = a.order[0] * 1000 + a.order[1];
    }
    cr_assert_neq(first_of_seed[0], first_of_seed[1]);
}

Test(runtime_launch, all_dimensions_and_many_workers) {
    wg_config.workers = 4;
    struct mark_arguments a = {rig_shared_memory(7 * 5 * 3 * 240 * sizeof(uint32_t))};
    for (uint32_t round = 1; round <= 50; round++) {
        rig_launch(&mark, (dim3){7, 5, 3}, (dim3){10, 8, 3}, 0, NULL, &a);
        for (uint32_t i = 0; i < 7 * 5 * 3 * 240; i++) {
            cr_assert_eq(a.visits[i], round);
        }
    }
}

Test(runtime_launch, block_function_is_used_when_nothing_waits) {
    mark.may_wait = 0;
    mark.run_block = mark_block;
    mark.handle = &mark;
    RIG_REGISTER(&mark);
    struct mark_arguments a = {rig_shared_memory(10 * 64 * sizeof(uint32_t))};
    rig_launch(&mark, rig_dim(10), rig_dim(64), 0, NULL, &a);
    for (uint32_t i = 0; i < 640; i++) {
        cr_assert_eq(a.visits[i], 1);
    }
}

Test(runtime_launch, by_pointers_to_arguments) {
    struct mark_arguments a = {rig_shared_memory(64 * sizeof(uint32_t))};
    void *arguments[] = {&a};
    cr_assert_eq(hipLaunchKernel(mark.handle, rig_dim(1), rig_dim(64), arguments, 0, NULL),
                 hipSuccess);
    cr_assert_eq(a.visits[63], 1);
    cr_assert_eq(hipLaunchKernel(&a, rig_dim(1), rig_dim(64), arguments, 0, NULL),
                 hipErrorInvalidDeviceFunction);
    cr_assert_eq(hipLaunchKernel(mark.handle, rig_dim(1), rig_dim(64), NULL, 0, NULL),
                 hipErrorInvalidValue);
}

struct refusal {
    dim3 grid, block;
    size_t shared;
    hipError_t error;
    const char *words;
};

Test(runtime_launch, refuses_what_a_gpu_refuses) {
    static const struct refusal cases[] = {
        {{0, 1, 1}, {1, 1, 1}, 0, hipErrorInvalidConfiguration, "0 x 1 x 1"},
        {{1, 1, 1}, {0, 1, 1}, 0, hipErrorInvalidConfiguration, "0 x 1 x 1"},
        {{1, 1, 1}, {1025, 1, 1}, 0, hipErrorInvalidConfiguration, "1025"},
        {{1, 1, 1}, {64, 32, 1}, 0, hipErrorInvalidConfiguration, "2048"},
        {{1, 1, 1}, {65536, 65536, 1}, 0, hipErrorInvalidConfiguration, "4294967296"},
        {{1, 65536, 1}, {1, 1, 1}, 0, hipErrorInvalidConfiguration, "65536"},
        {{1, 1, 1}, {1, 1, 1}, 65537, hipErrorInvalidValue, "65537"},
        {{1, 1, 1}, {1, 1, 1}, SIZE_MAX, hipErrorInvalidValue, "dynamic"},
    };
    struct mark_arguments a = {rig_shared_memory(64)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wg_report->finding_count = 0;
        rig_launch(&mark, cases[i].grid, cases[i].block, cases[i].shared, NULL, &a);
        cr_assert_eq(hipPeekAtLastError(), cases[i].error, "case %zu", i);
        cr_assert_eq(hipGetLastError(), cases[i].error);
        cr_assert_eq(hipGetLastError(), hipSuccess, "launch errors do not stick");
        const char *text = rig_finding(WG_FINDING_LAUNCH_ERROR)->text;
        cr_assert_neq(strstr(text, cases[i].words), NULL, "case %zu: %s", i, text);
    }
    cr_assert_eq(wg_report->failed_launches, sizeof cases / sizeof *cases);
    cr_assert_eq(wg_report->launches, 0);
    cr_assert_eq(a.visits[0], 0);
}

Test(runtime_launch, static_and_dynamic_shared_memory_add_up) {
    mark.static_shared_bytes = 65536;
    mark.handle = &mark;
    RIG_REGISTER(&mark);
    struct mark_arguments a = {rig_shared_memory(64)};
    rig_launch(&mark, rig_dim(1), rig_dim(1), 0, NULL, &a);
    cr_assert_eq(hipGetLastError(), hipSuccess);
    rig_launch(&mark, rig_dim(1), rig_dim(1), 1, NULL, &a);
    cr_assert_eq(hipGetLastError(), hipErrorInvalidValue);
}

Test(runtime_launch, launch_bounds) {
    mark.max_threads = 128;
    mark.handle = &mark;
    RIG_REGISTER(&mark);
    struct mark_arguments a = {rig_shared_memory(1024)};
    rig_launch(&mark, rig_dim(1), rig_dim(128), 0, NULL, &a);
    cr_assert_eq(hipGetLastError(), hipSuccess);
    rig_launch(&mark, rig_dim(1), rig_dim(129), 0, NULL, &a);
    cr_assert_eq(hipGetLastError(), hipErrorLaunchFailure);
    rig_launch(&mark, rig_dim(1), rig_dim(1), 0, NULL, &a);
    cr_assert_eq(hipGetLastError(), hipSuccess, "it does not stick");
    cr_assert_neq(strstr(rig_finding(WG_FINDING_LAUNCH_ERROR)->text, "__launch_bounds__(128)"),
                  NULL);
}

Test(runtime_launch, largest_grid_row_is_allowed) {
    wg_config.workers = 1;
    struct log_arguments a = run_log(65536, 1);
    cr_assert_eq(a.order[65535], 65535);
}

Test(runtime_launch, cooperative_grids_are_limited_by_occupancy) {
    int blocks = 0;
    cr_assert_eq(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mark.handle, 1024, 0),
                 hipSuccess);
    cr_assert_eq(blocks, 2);
    uint32_t most = (uint32_t)blocks * WG_MULTIPROCESSORS;
    struct mark_arguments a = {rig_shared_memory((most + 1) * 1024 * sizeof(uint32_t))};
    cr_assert_eq(rig_cooperative(&mark, rig_dim(most), rig_dim(1024), &a), hipSuccess);
    cr_assert_eq(a.visits[most * 1024 - 1], 1);
    cr_assert_eq(rig_cooperative(&mark, rig_dim(most + 1), rig_dim(1024), &a),
                 hipErrorCooperativeLaunchTooLarge);
    cr_assert_eq(rig_count(WG_FINDING_LAUNCH_ERROR), 1);
}

Test(runtime_launch, occupancy_counts_threads_and_shared_memory) {
    int blocks = 0;
    hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mark.handle, 256, 0);
    cr_assert_eq(blocks, 8);
    hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mark.handle, 256, 32768);
    cr_assert_eq(blocks, 2);
    hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mark.handle, 2000, 0);
    cr_assert_eq(blocks, 0);
    int grid = 0;
    int block = 0;
    cr_assert_eq(hipOccupancyMaxPotentialBlockSize(&grid, &block, mark.handle, 0, 0), hipSuccess);
    cr_assert_eq(block, 1024);
    cr_assert_eq(grid, 2 * WG_MULTIPROCESSORS);
}

Test(runtime_launch, nested_configurations) {
    dim3 grid;
    dim3 block;
    size_t shared;
    hipStream_t stream;
    __hipPushCallConfiguration(rig_dim(1), rig_dim(2), 3, NULL);
    __hipPushCallConfiguration(rig_dim(4), rig_dim(5), 6, hipStreamPerThread);
    cr_assert_eq(__hipPopCallConfiguration(&grid, &block, &shared, &stream), hipSuccess);
    cr_assert_eq(grid.x * 100 + block.x * 10 + shared, 456);
    cr_assert_eq(stream, hipStreamPerThread);
    cr_assert_eq(__hipPopCallConfiguration(&grid, &block, &shared, &stream), hipSuccess);
    cr_assert_eq(grid.x * 100 + block.x * 10 + shared, 123);
    cr_assert_neq(__hipPopCallConfiguration(&grid, &block, &shared, &stream), hipSuccess);
}

Test(runtime_launch, properties_and_attributes_agree) {
    hipDeviceProp_t p;
    cr_assert_eq(hipGetDeviceProperties(&p, 0), hipSuccess);
    int value = 0;
    cr_assert_eq(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0), hipSuccess);
    cr_assert_eq(value, p.warpSize);
    cr_assert_eq(value, 64);
    cr_assert_eq(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0),
                 hipSuccess);
    cr_assert_eq(value, p.multiProcessorCount);
    cr_assert_eq(hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)4711, 0),
                 hipErrorInvalidValue);
    cr_assert_eq(hipGetDeviceProperties(&p, 1), hipErrorInvalidDevice);
    cr_assert_str_eq(hipGetErrorName(hipErrorInvalidDevice), "hipErrorInvalidDevice");
    cr_assert_str_eq(hipGetErrorString(hipErrorLaunchFailure), "unspecified launch failure");
}
