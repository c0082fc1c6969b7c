/* Grids: the blocks of one launch over the workers.
 *
 * Worker 0 is whichever thread called the API; the others are made at the first launch that is
 * worth waking them for, and then kept. Blocks are handed out in chunks from a counter, in the
 * order that WG_CPU_BLOCK_ORDER asks for. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sandbox/platform/cpu/runtime/sched.h"

enum {
    SHARED_ZONE_BYTES = 64 * 1024, /* unmapped, on both sides of a block's shared memory */
    SHARED_STRIDE = WG_SHARED_BYTES + SHARED_ZONE_BYTES,
    SHARED_ALIGN = 256,
    CHUNKS_PER_WORKER = 16,
    WAKE_THREADS = 4096, /* GPU threads that make it worth to wake other workers */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct wg_worker workers[WG_MAX_WORKERS];
    uint32_t started; /* threads, not counting worker 0 */
    uint64_t round;   /* counts jobs given to the pool */
    struct wg_job *job;
    uint32_t wanted, busy;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER};

static pthread_mutex_t report_lock = PTHREAD_MUTEX_INITIALIZER;

void wg_sched_report_lock(void) {
    pthread_mutex_lock(&report_lock);
}

void wg_sched_report_unlock(void) {
    pthread_mutex_unlock(&report_lock);
}

void wg_job_abort(struct wg_job *job) {
    atomic_store(&job->aborted, true);
}

_Noreturn void wg_worker_leave(struct wg_worker *worker) {
    struct wg_context nowhere;
    wg_fiber_switch(&nowhere, &worker->native);
    __builtin_unreachable();
}

/* ---- Which block comes when ---- */

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* A permutation of 0..total-1 without a table: four Feistel rounds over the next power of four,
 * applied until the result falls into the range. */
static uint64_t shuffled(uint64_t index, uint64_t total, uint64_t seed) {
    uint32_t half = 1;
    while (half < 32 && (uint64_t)1 << 2 * half < total) {
        half++;
    }
    uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = index >> half & mask;
        uint64_t right = index & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t next = left ^ (mix(right + mix(seed + round)) & mask);
            left = right;
            right = next;
        }
        index = left << half | right;
    } while (index >= total);
    return index;
}

static struct wg_cpu_dim3 block_at(const struct wg_job *job, uint64_t index) {
    if (wg_config.block_order == WG_BLOCKS_DOWN) {
        index = job->block_total - 1 - index;
    } else if (wg_config.block_order == WG_BLOCKS_SHUFFLED) {
        index = shuffled(index, job->block_total, wg_config.shuffle_seed);
    }
    struct wg_cpu_dim3 grid = job->launch->grid;
    return (struct wg_cpu_dim3){
        .x = (uint32_t)(index % grid.x),
        .y = (uint32_t)(index / grid.x % grid.y),
        .z = (uint32_t)(index / grid.x / grid.y),
    };
}

/* ---- Room for resident blocks ---- */

static size_t shared_extent(uint32_t blocks) {
    return (size_t)blocks * SHARED_STRIDE + SHARED_ZONE_BYTES;
}

/* Shared memory ends at a zone that cannot be touched, so that running over its end faults even
 * where nobody checks. */
static char *shared_of(const struct wg_worker *worker, const struct wg_job *job, uint32_t block) {
    size_t bytes = (job->shared_bytes + SHARED_ALIGN - 1) / SHARED_ALIGN * SHARED_ALIGN;
    return worker->shared_low + (size_t)(block + 1) * SHARED_STRIDE - bytes;
}

static bool map_shared(struct wg_worker *worker, uint32_t resident) {
    if (resident <= worker->shared_blocks) {
        return true;
    }
    if (worker->shared_low != NULL) {
        munmap(worker->shared_low, shared_extent(worker->shared_blocks));
        worker->shared_low = NULL;
        worker->shared_blocks = 0;
    }
    char *low = mmap(NULL, shared_extent(resident), PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (low == MAP_FAILED) {
        return false;
    }
    for (uint32_t i = 0; i < resident; i++) {
        if (mprotect(low + (size_t)i * SHARED_STRIDE + SHARED_ZONE_BYTES, WG_SHARED_BYTES,
                     PROT_READ | PROT_WRITE) != 0) {
            munmap(low, shared_extent(resident));
            return false;
        }
    }
    worker->shared_low = low;
    worker->shared_blocks = resident;
    return true;
}

static void shape_block(struct wg_block *block, const struct wg_launch *launch, char *shared) {
    struct wg_cpu_dim3 size = launch->block;
    uint32_t count = size.x * size.y * size.z;
    block->lanes = block->storage;
    block->shared = shared;
    block->count = count;
    block->words = (count + 63) / 64;
    block->wave_count = (count + wg_config.warp_size - 1) / wg_config.warp_size;
    block->ready[block->words] = 0;
    for (uint32_t wave = 0; wave < block->wave_count; wave++) {
        uint32_t first = wave * wg_config.warp_size;
        uint32_t lanes = count - first < wg_config.warp_size ? count - first : wg_config.warp_size;
        /* Positions go the other way with threads in descending order. */
        uint32_t low = wg_config.threads_down ? count - first - lanes : first;
        block->waves[wave] = (struct wg_wave){
            .first_word = low / 64,
            .shift = low % 64,
            .mask = ~(uint64_t)0 >> (64 - lanes) % 64,
        };
    }
    for (uint32_t flat = 0; flat < count; flat++) {
        struct wg_lane *lane = &block->lanes[wg_block_position(block, flat)];
        lane->thread = (struct wg_cpu_thread){
            .thread_idx = {flat % size.x, flat / size.x % size.y, flat / size.x / size.y},
            .block_dim = size,
            .grid_dim = launch->grid,
            .shared = shared,
            .flat = flat,
            .warp_size = wg_config.warp_size,
        };
        lane->wave = (uint8_t)(flat / wg_config.warp_size);
    }
}

static bool reserve_blocks(struct wg_worker *worker, uint32_t resident) {
    if (resident <= worker->block_capacity) {
        return true;
    }
    struct wg_block **blocks = realloc(worker->blocks, resident * sizeof *blocks);
    if (blocks == NULL) {
        return false;
    }
    worker->blocks = blocks;
    while (worker->block_capacity < resident) {
        size_t bytes = sizeof(struct wg_block) + WG_MAX_BLOCK_THREADS * sizeof(struct wg_lane);
        struct wg_block *block = aligned_alloc(_Alignof(struct wg_block), bytes);
        if (block == NULL) {
            return false;
        }
        worker->blocks[worker->block_capacity++] = block;
    }
    return true;
}

static bool prepare(struct wg_worker *worker, uint32_t resident, uint32_t stacks) {
    if (!wg_stacks_reserve(&worker->stacks,
                           stacks > WG_MAX_BLOCK_THREADS ? WG_MAX_STACKS : WG_MAX_BLOCK_THREADS) ||
        !reserve_blocks(worker, resident) || !map_shared(worker, resident)) {
        return false;
    }
    wg_stacks_reset(&worker->stacks);
    return true;
}

/* ---- Running blocks ---- */

static void begin_block(struct wg_worker *worker, struct wg_block *block,
                        struct wg_cpu_dim3 index) {
    wg_block_start(worker, block, index);
    wg_poison(block->shared, worker->job->shared_bytes);
    if (wg_checker_on) {
        wg_self = &block->lanes[0].thread;
        wg_checker_block_begin(block->shared, worker->job->shared_bytes);
    }
}

static void end_block(struct wg_block *block) {
    if (wg_checker_on) {
        wg_self = &block->lanes[0].thread;
        wg_checker_block_end();
    }
}

static bool can_run(const struct wg_block *block) {
    uint64_t any = 0;
    for (uint32_t word = 0; word < block->words; word++) {
        any |= block->ready[word];
    }
    return any != 0;
}

static bool take_chunk(struct wg_job *job, uint64_t *first, uint64_t *end) {
    if (atomic_load_explicit(&job->aborted, memory_order_relaxed)) {
        return false;
    }
    *first = atomic_fetch_add(&job->next_block, job->chunk);
    *end = *first + job->chunk < job->block_total ? *first + job->chunk : job->block_total;
    return *first < job->block_total;
}

/* Kernels that cannot wait: one fiber runs all the blocks that this worker gets. */
static void plain_main(void) {
    struct wg_worker *worker = wg_worker;
    struct wg_job *job = worker->job;
    const struct wg_launch *launch = job->launch;
    struct wg_cpu_thread *thread = &worker->plain_thread;
    *thread = (struct wg_cpu_thread){
        .block_dim = launch->block,
        .grid_dim = launch->grid,
        .shared = shared_of(worker, job, 0),
        .warp_size = wg_config.warp_size,
    };
    uint64_t first;
    uint64_t end;
    while (take_chunk(job, &first, &end)) {
        for (uint64_t i = first; i < end; i++) {
            wg_poison(thread->shared, job->shared_bytes);
            thread->block_idx = block_at(job, i);
            thread->thread_idx = (struct wg_cpu_dim3){0};
            thread->flat = 0;
            wg_self = thread;
            launch->kernel->run_block(launch->pack);
        }
    }
    wg_worker_leave(worker);
}

static void run_plain(struct wg_worker *worker) {
    uint32_t stack = wg_stacks_take(&worker->stacks);
    if (stack == WG_NO_LANE) {
        wg_job_abort(worker->job);
        return;
    }
    worker->lane = NULL;
    worker->block = NULL;
    struct wg_context context;
    wg_stacks_prepare(&worker->stacks, stack, plain_main, &context);
    wg_fiber_enter(worker, &context);
}

static void run_ordinary(struct wg_worker *worker) {
    struct wg_job *job = worker->job;
    struct wg_block *block = worker->blocks[0];
    shape_block(block, job->launch, shared_of(worker, job, 0));
    uint64_t first;
    uint64_t end;
    while (take_chunk(job, &first, &end)) {
        for (uint64_t i = first; i < end && !atomic_load(&job->aborted); i++) {
            begin_block(worker, block, block_at(job, i));
            while (block->live > 0 && !atomic_load(&job->aborted)) {
                if (!can_run(block)) {
                    wg_block_report_deadlock(worker, 1);
                    wg_job_abort(job);
                    break;
                }
                wg_block_run(worker, block);
            }
            end_block(block);
        }
    }
}

/* All blocks are resident; they take turns whenever one has no lane left that can run. */
static void run_cooperative(struct wg_worker *worker) {
    struct wg_job *job = worker->job;
    uint32_t resident = (uint32_t)job->block_total;
    for (uint32_t i = 0; i < resident; i++) {
        struct wg_block *block = worker->blocks[i];
        shape_block(block, job->launch, shared_of(worker, job, i));
        begin_block(worker, block, block_at(job, i));
    }
    uint32_t living = resident;
    while (living > 0) {
        living = 0;
        bool moved = false;
        for (uint32_t i = 0; i < resident && !atomic_load(&job->aborted); i++) {
            struct wg_block *block = worker->blocks[i];
            if (can_run(block)) {
                moved = true;
                wg_block_run(worker, block);
            }
            living += block->live > 0;
        }
        if (atomic_load(&job->aborted)) {
            break;
        }
        if (living > 0 && !moved && !wg_block_pass_grid_barrier(worker, resident)) {
            wg_block_report_deadlock(worker, resident);
            wg_job_abort(job);
            break;
        }
    }
    for (uint32_t i = 0; i < resident; i++) {
        end_block(worker->blocks[i]);
    }
}

static void run_worker(struct wg_worker *worker, struct wg_job *job) {
    const struct wg_launch *launch = job->launch;
    bool lanes = launch->kernel->run_block == NULL || launch->kernel->may_wait ||
                 wg_config.threads_down || wg_checker_on;
    uint32_t resident = launch->cooperative ? (uint32_t)job->block_total : 1;
    uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
    worker->job = job;
    if (!prepare(worker, resident, lanes ? resident * threads : 1)) {
        struct wg_finding_record record =
            wg_finding(WG_FINDING_LAUNCH_ERROR, WG_SEVERITY_ERROR,
                       "This machine has not enough memory to run the launch.");
        wg_report_finding(&record);
        wg_job_abort(job);
        return;
    }
    wg_fault_prepare_thread();
    wg_spin_watch(worker);
    struct wg_worker *outer = wg_worker;
    struct wg_cpu_thread *outer_self = wg_self;
    wg_worker = worker;
    if (launch->cooperative) {
        run_cooperative(worker);
    } else if (lanes) {
        run_ordinary(worker);
    } else {
        run_plain(worker);
    }
    atomic_fetch_and(&job->running, ~(1u << worker->index));
    wg_worker = outer;
    wg_self = outer_self;
}

/* ---- The pool ---- */

static void *pool_main(void *argument) {
    struct wg_worker *worker = argument;
    uint64_t seen = worker->seen_round;
    pthread_mutex_lock(&pool.lock);
    while (true) {
        while (pool.round == seen || worker->index > pool.wanted) {
            seen = pool.round;
            pthread_cond_wait(&pool.work, &pool.lock);
        }
        seen = pool.round;
        struct wg_job *job = pool.job;
        pthread_mutex_unlock(&pool.lock);
        run_worker(worker, job);
        pthread_mutex_lock(&pool.lock);
        if (--pool.busy == 0) {
            pthread_cond_signal(&pool.done);
        }
    }
    return NULL;
}

/* Workers must not take the signals that the submission waits for. */
static void start_threads(uint32_t count) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    sigset_t blocked;
    sigset_t old;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sigdelset(&blocked, faults[i]);
    }
    pthread_sigmask(SIG_SETMASK, &blocked, &old);
    while (pool.started < count) {
        struct wg_worker *worker = &pool.workers[pool.started + 1];
        worker->index = pool.started + 1;
        worker->seen_round = pool.round;
        pthread_t thread;
        if (pthread_create(&thread, NULL, pool_main, worker) != 0) {
            break;
        }
        pthread_detach(thread);
        pool.started++;
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static uint32_t helpers_for(const struct wg_job *job) {
    const struct wg_launch *launch = job->launch;
    uint64_t threads = job->block_total * launch->block.x * launch->block.y * launch->block.z;
    if (wg_checker_on || launch->cooperative || job->block_total < 2 || threads < WAKE_THREADS ||
        wg_config.workers < 2) {
        return 0;
    }
    uint64_t helpers = wg_config.workers - 1;
    return (uint32_t)(helpers < job->block_total - 1 ? helpers : job->block_total - 1);
}

static void run_job(struct wg_job *job) {
    uint32_t helpers = helpers_for(job);
    if (helpers > 0) {
        start_threads(helpers);
        helpers = helpers < pool.started ? helpers : pool.started;
    }
    job->chunk = job->block_total / ((uint64_t)(helpers + 1) * CHUNKS_PER_WORKER);
    job->chunk += job->chunk == 0;
    atomic_store(&job->running, (1u << (helpers + 1)) - 1);
    if (helpers > 0) {
        pthread_mutex_lock(&pool.lock);
        pool.job = job;
        pool.wanted = helpers;
        pool.busy = helpers;
        pool.round++;
        pthread_cond_broadcast(&pool.work);
        pthread_mutex_unlock(&pool.lock);
    }
    run_worker(&pool.workers[0], job);
    if (helpers > 0) {
        pthread_mutex_lock(&pool.lock);
        while (pool.busy > 0) {
            pthread_cond_wait(&pool.done, &pool.lock);
        }
        pthread_mutex_unlock(&pool.lock);
    }
}

/* ---- What the checker asks ---- */

/* Where earlier launches stand in the order of streams. Old ones are forgotten and count as
 * ordered, which can only lose a finding. */
enum { REMEMBERED_LAUNCHES = 1 << 14 };
static struct {
    uint64_t sequence, tick;
    uint32_t slot;
} remembered[REMEMBERED_LAUNCHES];
static struct wg_clock running_clock;

bool wg_grid_ordered_after(uint64_t earlier) {
    uint64_t i = earlier % REMEMBERED_LAUNCHES;
    return remembered[i].sequence != earlier ||
           running_clock.tick[remembered[i].slot] >= remembered[i].tick;
}

uint64_t wg_grid_number(const struct wg_op *op) {
    static uint64_t sequence;
    sequence++;
    remembered[sequence % REMEMBERED_LAUNCHES].sequence = sequence;
    remembered[sequence % REMEMBERED_LAUNCHES].slot = op->slot;
    remembered[sequence % REMEMBERED_LAUNCHES].tick = op->clock.tick[op->slot];
    running_clock = op->clock;
    return sequence;
}

hipError_t wg_grid_run(struct wg_launch *launch, const struct wg_op *op) {
    launch->sequence = wg_grid_number(op);
    struct wg_job job = {
        .launch = launch,
        .block_total = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z,
        .shared_bytes = launch->kernel->static_shared_bytes + launch->dynamic_shared_bytes,
    };
    wg_copy_text(wg_report->current_kernel, sizeof wg_report->current_kernel, launch->info->name);
    wg_arena_open();
    if (wg_checker_on) {
        wg_checker_launch_begin(&(struct wg_checker_launch){
            .kernel = launch->kernel,
            .pack = launch->pack,
            .grid = launch->grid,
            .block = launch->block,
            .dynamic_shared_bytes = launch->dynamic_shared_bytes,
            .sequence = launch->sequence,
            .ordered_after = wg_grid_ordered_after,
            .cooperative = launch->cooperative,
        });
    }
    run_job(&job);
    if (wg_checker_on) {
        wg_checker_launch_end();
    }
    wg_heap_launch_end();
    wg_arena_close();
    wg_report->current_kernel[0] = '\0';
    wg_report->launches++;
    if (atomic_load(&job.aborted)) {
        wg_set_sticky(hipErrorLaunchFailure);
        return hipErrorLaunchFailure;
    }
    return hipSuccess;
}
