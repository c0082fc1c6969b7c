/* The scheduler: how one launch becomes fibers.
 *
 * Theory. A worker is an operating system thread that runs blocks one after another; the thread
 * that called the HIP API is worker 0. A kernel that cannot wait runs as a plain loop on the
 * worker's first fiber stack (grid.c). In any other kernel each GPU thread is a *lane*. Lanes start
 * in order on one stack; only a lane that waits keeps its stack, and the next one gets a fresh one.
 * A lane that waits picks the next lane that can run and switches to it directly; the worker's own
 * context (`native`) is entered only when none can, which ends the block, passes a grid barrier, or
 * is a deadlock.
 *
 * Lanes are kept in the order in which they run: position p is thread p, or thread count-1-p with
 * WG_CPU_THREAD_ORDER=down. A block has a bit for each position: can it run?
 *
 * A cooperative launch makes all its blocks resident on worker 0; an ordinary one has one resident
 * block a worker. */
#ifndef WG_CPU_SCHED_H
#define WG_CPU_SCHED_H

#include "sandbox/platform/cpu/runtime/runtime.h"

enum {
    WG_BLOCK_WORDS = WG_MAX_BLOCK_THREADS / 64,
    WG_MAX_WAVES = WG_MAX_BLOCK_THREADS / 32,
    WG_NO_LANE = UINT32_MAX >> 1,
    WG_MAX_WORKERS = 16,
    WG_STACK_BYTES = 256 * 1024,
    WG_MAX_STACKS = WG_MULTIPROCESSORS * WG_THREADS_PER_MULTIPROCESSOR,
};

/* ---- fiber.c ---- */
struct wg_worker;

struct wg_stacks {
    char *low; /* of all of them; NULL until first use */
    uint32_t capacity, made;
    uint32_t *unused; /* a stack of stack numbers */
    uint32_t unused_count;
};
/* What a context that does not run left behind. */
struct wg_context {
    void *stack, *code, *frame;
};
bool wg_stacks_reserve(struct wg_stacks *stacks, uint32_t count);
/* All stacks are unused again, whatever lived on them. */
void wg_stacks_reset(struct wg_stacks *stacks);
/* A stack number, or WG_NO_LANE when memory is out. */
uint32_t wg_stacks_take(struct wg_stacks *stacks);
void wg_stacks_give(struct wg_stacks *stacks, uint32_t stack);
/* Makes a context that starts `entry`, which never returns, on the stack. */
void wg_stacks_prepare(const struct wg_stacks *stacks, uint32_t stack, void (*entry)(void),
                       struct wg_context *context);
/* Bytes between the top of the stack and the address. */
size_t wg_stacks_depth(const struct wg_stacks *stacks, uint32_t stack, const void *address);
/* Signal-safe: does the address lie in the unmapped zone below a stack? */
bool wg_stacks_overflowed(const struct wg_stacks *stacks, const void *address);
bool wg_stacks_contain(const struct wg_stacks *stacks, const void *address);

/* Leaves the running context, storing it in *from, and continues *to. Inline, so that the compiler
 * saves registers once for the whole of a barrier. All registers are lost, except that whoever
 * jumps to label 1 has *to in rsi, which is where the frame pointer lies. */
static inline __attribute__((always_inline)) void wg_fiber_switch(struct wg_context *from,
                                                                  const struct wg_context *to) {
    __asm__ volatile("movq %%rsp, (%%rdi)\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "movq %%rax, 8(%%rdi)\n\t"
                     "movq %%rbp, 16(%%rdi)\n\t"
                     "movq (%%rsi), %%rsp\n\t"
                     "jmpq *8(%%rsi)\n"
                     "1:\n\t"
                     "movq 16(%%rsi), %%rbp"
                     : "+D"(from), "+S"(to)
                     :
                     : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
                       "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",
                       "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc",
                       "memory");
}
/* From a worker into student code and back. The control words of SSE and x87 are the defaults
 * inside, and the caller's again behind. They are not kept for each fiber: reading them takes as
 * long as the rest of a switch, and device code has no way to change them. */
void wg_fiber_enter(struct wg_worker *worker, const struct wg_context *to);

/* ---- block.c ---- */
enum wg_wait { WG_WAIT_NONE, WG_WAIT_BARRIER, WG_WAIT_WAVE, WG_WAIT_GRID, WG_WAIT_GONE };

enum wg_wave_op { WG_WAVE_SYNC, WG_WAVE_BALLOT, WG_WAVE_ACTIVE, WG_WAVE_SHUFFLE, WG_WAVE_REJOIN };

struct wg_lane {
    _Alignas(64) struct wg_cpu_thread thread;
    struct wg_context context;
    const struct wg_cpu_site *site; /* where it waits */
    const void *frame;              /* while it waits in a wave operation: how deep in its calls */
    uint32_t stack;
    uint8_t wave;
    uint8_t wait; /* enum wg_wait */
    uint8_t op;   /* enum wg_wave_op */
    bool started;
};
_Static_assert(sizeof(struct wg_lane) == 128, "two cache lines, and cheap to index");

/* Masks have a bit for each lane of the wave. */
struct wg_wave {
    uint32_t first_word, shift; /* of its bits in `ready` */
    uint64_t mask;              /* lanes that exist, as in `ready` */
    uint64_t in_op;             /* lanes that wait in a wave operation */
    uint64_t predicates;        /* what they voted */
    uint64_t slots;             /* which of its two values each lane uses */
    bool mixed;                 /* they are not all at `site`, in `op` */
    uint8_t op;
    const struct wg_cpu_site *site;
    /* The group served last, as it was then. */
    uint64_t group, group_predicates, group_slots;
};

struct wg_block {
    struct wg_lane *lanes;
    char *shared;
    uint32_t count, words, wave_count, live;
    uint32_t cursor; /* where to look for the next lane */
    uint32_t in_op;  /* lanes in wave operations */
    uint32_t at_barrier, at_grid_barrier;
    /* The barrier being gathered: its place, the first lane there, and the first lane elsewhere. */
    const struct wg_cpu_site *site;
    uint32_t first_lane, other_lane, elsewhere;
    uint32_t first_gone; /* a lane that returned */
    const struct wg_cpu_site *reported_early_exit;
    int count_true, count_total, reduced_count; /* wg_cpu_barrier_reduce */
    int reduced_total;
    uint32_t idle_hints;                /* spins since something last happened in this block */
    uint64_t ready[WG_BLOCK_WORDS + 1]; /* one more: a wave may begin in the middle of a word */
    struct wg_wave waves[WG_MAX_WAVES];
    uint64_t values[2][WG_MAX_BLOCK_THREADS]; /* for shuffles; wave.c says why two */
    struct wg_lane storage[];
};

struct wg_job;

/* What spin.c has seen of the lane that runs. */
enum { WG_SPIN_STATES = 8 };
struct wg_spin {
    const void *subject;
    uint64_t states[WG_SPIN_STATES];
    uint32_t count, repetitions;
    bool stuck; /* all lanes of the worker, at the last look */
};

struct wg_worker {
    struct wg_job *job;
    struct wg_block *block; /* running */
    struct wg_lane *lane;   /* running, when the kernel has lanes */
    struct wg_context native;
    struct wg_stacks stacks;
    struct wg_block **blocks; /* resident */
    uint32_t block_capacity;
    char *shared_low; /* shared memory of all resident blocks, with zones */
    uint32_t shared_blocks;
    struct wg_cpu_thread plain_thread; /* of kernels without lanes */
    volatile bool in_kernel;           /* student code may be running on this thread */
    uint64_t idle_hints;               /* spins since something last happened */
    uint32_t index;
    uint64_t seen_round; /* jobs given to the pool before this worker came */
    struct wg_spin spin;
};
/* This thread's worker; NULL for threads that run no launch. */
extern _Thread_local struct wg_worker *wg_worker __attribute__((tls_model("initial-exec")));

/* One launch being run. */
struct wg_job {
    struct wg_launch *launch;
    uint64_t block_total;
    _Atomic uint64_t next_block;
    uint64_t chunk;
    size_t shared_bytes;
    _Atomic bool aborted;
    _Atomic uint32_t running;                   /* a bit for each worker */
    _Atomic uint32_t confirmed[WG_MAX_WORKERS]; /* looks that found all lanes waiting in loops */
};

void wg_block_start(struct wg_worker *worker, struct wg_block *block, struct wg_cpu_dim3 index);
/* Runs the block's lanes until none can run. */
void wg_block_run(struct wg_worker *worker, struct wg_block *block);
/* The running lane waits as `lane->wait` says, or merely lets others run. */
void wg_block_suspend(struct wg_worker *worker, struct wg_block *block);
/* The first lane at or after `from` that can run, going round; WG_NO_LANE when none can. */
uint32_t wg_block_next_ready(const struct wg_block *block, uint32_t from);
/* Where a fresh stack begins. */
void wg_block_lane_main(void);
void wg_block_report_no_stack(struct wg_worker *worker);
/* Serves the wave if none of its lanes can run any more. */
void wg_block_settle_wave(struct wg_block *block, uint32_t wave);
/* Releases the lanes of all resident blocks from a grid barrier; false when they are not all there.
 */
bool wg_block_pass_grid_barrier(struct wg_worker *worker, uint32_t resident);
/* Nothing can move: reports why and ends the launch. */
void wg_block_report_deadlock(struct wg_worker *worker, uint32_t resident);
/* Gives the others a turn; leaves the block once all its lanes spin. */
void wg_block_yield(struct wg_worker *worker);
/* Every lane that can run has yielded since something last happened. */
bool wg_block_all_idle(const struct wg_worker *worker);
bool wg_site_equal(const struct wg_cpu_site *a, const struct wg_cpu_site *b);

static inline uint32_t wg_block_position(const struct wg_block *block, uint32_t flat) {
    return wg_config.threads_down ? block->count - 1 - flat : flat;
}

/* ---- wave.c ---- */
/* Every live lane of the wave waits: serves one group of those in wave operations. */
void wg_wave_serve(struct wg_block *block, uint32_t wave);

/* ---- grid.c ---- */
/* The running launch cannot end. Reports go first; this leaves student code at the next chance. */
void wg_job_abort(struct wg_job *job);
/* Leaves student code for good; only on a fiber of an aborted job. */
_Noreturn void wg_worker_leave(struct wg_worker *worker);
/* Scheduler findings from several workers, one at a time. */
void wg_sched_report_lock(void);
void wg_sched_report_unlock(void);

/* ---- spin.c ---- */
/* Watches this worker for loops in which nothing changes. */
void wg_spin_watch(struct wg_worker *worker);

#endif
