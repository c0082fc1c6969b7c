/* Waits that never end, in code without hooks.
 *
 * Theory. The plain build does not tell the runtime about loads and atomics, so a thread that turns
 * in circles until another one sets a flag looks like one that computes. A timer on the processor
 * time of each worker interrupts it every few milliseconds. When student code was running (and not
 * the C library for it), the handler takes a fingerprint of all registers. A loop that computes has
 * other registers every time; one that waits comes back to the same few states. A lane that has
 * shown enough repetitions is *stuck*, and another lane of its block gets a turn, in case it can
 * help. When every lane that could run is stuck, on every worker that still runs, and stays so for
 * CONFIRMATIONS more looks, nobody is left who could change anything: the launch is reported and
 * ended.
 *
 * The handler switches fibers while its frame lies on the lane's own stack, and the lane goes on
 * from there when its turn comes. That is sound because the interrupted code is the student's,
 * which holds none of our locks, and because the signal is not blocked while its handler runs. */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "sandbox/platform/cpu/runtime/sched.h"

enum {
    TICK_NS = 4 * 1000 * 1000,
    REPETITIONS = 5,    /* of fingerprints seen before: the lane is stuck */
    CONFIRMATIONS = 20, /* at least half a second in which nothing changes */
};

static uint64_t fingerprint(const ucontext_t *context) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = REG_R8; i <= REG_RIP; i++) {
        hash = (hash ^ (uint64_t)context->uc_mcontext.gregs[i]) * 0x100000001b3u;
    }
    if (context->uc_mcontext.fpregs != NULL) {
        const struct _libc_xmmreg *xmm = context->uc_mcontext.fpregs->_xmm;
        for (int i = 0; i < 16; i++) {
            for (int k = 0; k < 4; k++) {
                hash = (hash ^ xmm[i].element[k]) * 0x100000001b3u;
            }
        }
    }
    return hash;
}

enum judgement { UNDECIDED, COMPUTES, STUCK };

static enum judgement look(struct wg_spin *spin, const void *subject, uint64_t state) {
    bool full = spin->count == WG_SPIN_STATES;
    if (spin->subject != subject || full) {
        spin->subject = subject;
        spin->count = 0;
        spin->repetitions = 0;
    }
    for (uint32_t i = 0; i < spin->count; i++) {
        if (spin->states[i] == state) {
            if (++spin->repetitions < REPETITIONS) {
                return UNDECIDED;
            }
            spin->count = 0;
            spin->repetitions = 0;
            return STUCK;
        }
    }
    spin->states[spin->count++] = state;
    return full ? COMPUTES : UNDECIDED;
}

/* This worker's lanes are all stuck, once more. Is that so for all workers, and for long enough? */
static bool confirm(struct wg_worker *worker) {
    struct wg_job *job = worker->job;
    uint32_t running = atomic_load(&job->running);
    atomic_fetch_add(&job->confirmed[worker->index], 1);
    if (!worker->spin.stuck) {
        /* This is news: what the others concluded without it does not count. */
        worker->spin.stuck = true;
        for (uint32_t i = 0; i < WG_MAX_WORKERS; i++) {
            if (i != worker->index) {
                atomic_store(&job->confirmed[i], 0);
            }
        }
    }
    for (uint32_t i = 0; i < WG_MAX_WORKERS; i++) {
        if ((running >> i & 1) != 0 && atomic_load(&job->confirmed[i]) < CONFIRMATIONS) {
            return false;
        }
    }
    return true;
}

static void report(const struct wg_worker *worker) {
    const struct wg_launch *launch = worker->job->launch;
    struct wg_finding_record record = wg_finding(
        WG_FINDING_DEADLOCK, WG_SEVERITY_ERROR,
        launch->cooperative
            ? "The kernel does not end: this thread goes round in a loop in which nothing changes. "
              "Does the loop come nearer to its end in each round? What it may wait for, no other "
              "thread of the grid is left to do."
            : "The kernel does not end: this thread goes round in a loop in which nothing changes. "
              "Does the loop come nearer to its end in each round? If it waits for other blocks: "
              "those that have not started yet cannot help, since a GPU need not run all blocks at "
              "once; use a cooperative launch and this_grid().sync().");
    wg_copy_text(record.kernel, sizeof record.kernel, launch->info->name);
    wg_copy_text(record.at.function, sizeof record.at.function, launch->info->name);
    if (launch->kernel->declared_at != NULL) {
        wg_copy_text(record.at.file, sizeof record.at.file, launch->kernel->declared_at->file);
        record.at.line = launch->kernel->declared_at->line;
    }
    wg_place_set_thread(&record.at, wg_self);
    wg_report_finding(&record);
}

static void on_tick(int number, siginfo_t *info, void *context_pointer) {
    (void)number;
    (void)info;
    const ucontext_t *context = context_pointer;
    struct wg_worker *worker = wg_worker;
    if (worker == NULL || !worker->in_kernel) {
        return;
    }
    struct wg_job *job = worker->job;
    const struct wg_module_info *module = job->launch->info->module;
    uintptr_t code = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    if (code < module->text_low || code >= module->text_high) {
        return;
    }
    if (atomic_load(&job->aborted)) {
        wg_worker_leave(worker);
    }
    const void *subject = worker->lane != NULL ? (const void *)worker->lane : worker;
    enum judgement judgement = look(&worker->spin, subject, fingerprint(context));
    if (judgement == UNDECIDED) {
        return;
    }
    if (judgement == COMPUTES || (worker->lane != NULL && !wg_block_all_idle(worker))) {
        worker->spin.stuck = false;
        atomic_store(&job->confirmed[worker->index], 0);
    } else if (confirm(worker)) {
        if (!atomic_exchange(&job->aborted, true)) {
            report(worker);
        }
        wg_worker_leave(worker);
    }
    if (judgement == STUCK && worker->lane != NULL) {
        wg_block_yield(worker);
    }
}

void wg_spin_watch(struct wg_worker *worker) {
    static _Thread_local bool watched;
    worker->spin = (struct wg_spin){0};
    /* The checked build has hooks that see more, and runs the same way every time. */
    if (watched || wg_checker_on) {
        return;
    }
    watched = true;
    int number = SIGRTMAX - 1;
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER};
    action.sa_sigaction = on_tick;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
    sigset_t unblock;
    sigemptyset(&unblock);
    sigaddset(&unblock, number);
    pthread_sigmask(SIG_UNBLOCK, &unblock, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    timer_t timer;
    struct itimerspec every = {.it_interval.tv_nsec = TICK_NS, .it_value.tv_nsec = TICK_NS};
    /* Without the timer only endless waits are not explained. */
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0) {
        timer_settime(timer, 0, &every, NULL);
    }
}
