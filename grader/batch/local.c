/* The engine for this machine.
 *
 * Theory of operation. This process forks a worker for each item, as many at a time as there are
 * processors, and only waits for them: what one of them fetches is transferred while others compile
 * and run. A worker shares nothing with the rest but a slot where it says what it is at; its result
 * is the file that it leaves. It leads a process group of its own, so that Ctrl-C reaches only
 * this process and an end can be made of a worker and all that it started. Timed runs are alone on
 * their device by the device's lock, which workers take themselves. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/batch/internal.h"
#include "grader/grade/platform.h"

#define LOOK_EVERY_MS 100
/* Everything that a worker does has a limit of its own, far below. This one is for what should not
 * be: a driver that hangs, a bug of ours. A queue at the GPU may be long. */
#define SILENCE_NS ((int64_t)2 * 3600 * 1000000000)

enum { JOBS_MOST = 512 };

struct worker {
    pid_t pid; /* 0: free */
    int pidfd;
    size_t index;
    struct wg_batch_slot *slot;
    unsigned seen; /* changes of the slot that were told */
    int64_t told_ns;
    bool is_given_up;
};

struct engine {
    const struct wg_batch_job *job;
    const struct wg_batch_events *events;
    enum wg_batch_mode mode;
    struct wg_batch_assignments assignments;
    struct wg_batch_slot *slots;
    struct worker *workers;
    size_t worker_count, running;
    size_t next; /* of job->indices */
};

/* ---- Workers ---- */

static void become_worker(pid_t parent) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(WG_BATCH_EXIT_LOST);
    }
    for (int i = 1; i < NSIG; i++) {
        if (i != SIGPIPE) {
            signal(i, SIG_DFL);
        }
    }
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++) {
        dup2(null, fd);
    }
}

static enum wg_code start_worker(struct engine *engine, struct worker *worker, struct wg_err *err) {
    size_t index = engine->job->indices[engine->next];
    pid_t parent = getpid();
    *worker->slot = (struct wg_batch_slot){.stage = "starting"};
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        become_worker(parent);
        _exit(wg_batch_work(engine->job, index, engine->mode, &engine->assignments, worker->slot));
    }
    if (pid < 0) {
        return wg_fail(err, WG_EIO, "start a worker");
    }
    setpgid(pid, pid); /* both do: whoever is first */
    worker->pid = pid;
    worker->pidfd = pidfd_open(pid, 0);
    worker->index = index;
    worker->seen = 0;
    worker->told_ns = wg_clock_mono_ns();
    worker->is_given_up = false;
    engine->next++;
    engine->running++;
    return WG_OK;
}

static void kill_worker(const struct worker *worker) {
    kill(-worker->pid, SIGKILL);
    kill(worker->pid, SIGKILL); /* it may not lead its group yet */
}

/* ---- Telling ---- */

static void tell_stage(const struct engine *engine, struct worker *worker) {
    unsigned changes = atomic_load(&worker->slot->changes);
    int64_t now_ns = wg_clock_mono_ns();
    if (changes == worker->seen) {
        if (now_ns - worker->told_ns > SILENCE_NS) {
            worker->is_given_up = true;
            kill_worker(worker);
        }
        return;
    }
    worker->seen = changes;
    worker->told_ns = now_ns;
    char stage[sizeof worker->slot->stage + 1] = {0};
    memcpy(stage, worker->slot->stage, sizeof worker->slot->stage);
    if (engine->events->stage != NULL) {
        engine->events->stage(engine->events->ctx, worker->index, stage, NULL);
    }
}

static void tell_end(const struct engine *engine, const struct worker *worker, int status) {
    char why[160] = "";
    enum wg_batch_end end = WG_BATCH_LOST;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (worker->is_given_up) {
        snprintf(why, sizeof why, "its worker had not stirred for two hours");
    } else if (WIFSIGNALED(status)) {
        snprintf(why, sizeof why, "its worker died of signal %d (%s) while %.60s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)), worker->slot->stage);
    } else if (code == WG_BATCH_EXIT_GRADED) {
        end = WG_BATCH_GRADED;
    } else if (code == WG_BATCH_EXIT_UNCHANGED) {
        end = WG_BATCH_UNCHANGED;
    } else if (code == WG_BATCH_EXIT_OLDER) {
        end = WG_BATCH_OLDER;
    } else if (code == WG_BATCH_EXIT_FETCHED) {
        end = WG_BATCH_FETCHED;
    } else if (code == WG_BATCH_EXIT_LOST) {
        snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, worker->slot->stage);
    } else {
        snprintf(why, sizeof why, "its worker ended with status %d", code);
    }
    if (engine->events->end != NULL) {
        engine->events->end(engine->events->ctx, worker->index, end, why[0] != '\0' ? why : NULL);
    }
}

/* ---- The loop ---- */

/* Reaps whoever has ended. stopped: what died now did so by our hand, and has no end. */
static void reap(struct engine *engine, bool stopped) {
    for (size_t i = 0; i < engine->worker_count; i++) {
        struct worker *worker = &engine->workers[i];
        int status = 0;
        siginfo_t ended = {0};
        if (worker->pid == 0) {
            continue;
        }
        tell_stage(engine, worker);
        if (waitid(P_PID, (id_t)worker->pid, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            ended.si_pid == 0) {
            continue;
        }
        kill(-worker->pid, SIGKILL); /* whatever it left behind; its id is its own until reaped */
        waitpid(worker->pid, &status, 0);
        if (!stopped || !WIFSIGNALED(status)) {
            tell_end(engine, worker, status);
        }
        wg_closep(&worker->pidfd);
        worker->pid = 0;
        engine->running--;
    }
}

static void wait_a_moment(const struct engine *engine) {
    struct pollfd ends[JOBS_MOST];
    nfds_t count = 0;
    for (size_t i = 0; i < engine->worker_count; i++) {
        if (engine->workers[i].pid != 0 && engine->workers[i].pidfd >= 0) {
            ends[count++] = (struct pollfd){.fd = engine->workers[i].pidfd, .events = POLLIN};
        }
    }
    poll(ends, count, LOOK_EVERY_MS); /* cut short by a signal: the loop looks at stop */
}

static enum wg_code fill(struct engine *engine, struct wg_err *err) {
    for (size_t i = 0; i < engine->worker_count && engine->next < engine->job->count; i++) {
        if (engine->workers[i].pid != 0) {
            continue;
        }
        enum wg_code code = start_worker(engine, &engine->workers[i], err);
        if (code != WG_OK) {
            return engine->running > 0 ? WG_OK : code; /* fewer at a time, then */
        }
    }
    return WG_OK;
}

static enum wg_code loop(struct engine *engine, struct wg_err *err) {
    enum wg_code code = WG_OK;
    bool is_killed = false;
    while (code == WG_OK && (engine->running > 0 || engine->next < engine->job->count)) {
        int stop = *engine->events->stop;
        if (stop > 0 && engine->running == 0) {
            break;
        }
        if (stop > 1 && !is_killed) {
            for (size_t i = 0; i < engine->worker_count; i++) {
                if (engine->workers[i].pid != 0) {
                    kill_worker(&engine->workers[i]);
                }
            }
            is_killed = true;
        }
        code = stop == 0 ? fill(engine, err) : WG_OK;
        wait_a_moment(engine);
        reap(engine, is_killed);
    }
    return code;
}

static size_t count_processors(void) {
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (size_t)count : 1;
}

static enum wg_code run(const struct wg_batch_job *job, enum wg_batch_mode mode, size_t jobs,
                        const struct wg_batch_events *events, struct wg_err *err) {
    jobs = jobs > JOBS_MOST ? JOBS_MOST : jobs;
    struct wg_batch_job filled = *job;
    filled.jobs = (int)jobs;
    struct engine engine = {.job = &filled, .events = events, .mode = mode, .worker_count = jobs};
    size_t bytes = jobs * sizeof *engine.slots;
    engine.slots = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (engine.slots == MAP_FAILED) {
        return wg_fail(err, WG_EIO, "map memory for workers");
    }
    engine.workers = wg_calloc(jobs, sizeof *engine.workers);
    for (size_t i = 0; i < jobs; i++) {
        engine.workers[i] = (struct worker){.pidfd = -1, .slot = &engine.slots[i]};
    }
    struct wg_batch_assignments *assignments = &engine.assignments;
    enum wg_code code = wg_manifest_load_all(&assignments->all, &assignments->count, err);
    code = code != WG_OK ? code : loop(&engine, err);
    for (size_t i = 0; i < assignments->count; i++) {
        wg_manifest_free(assignments->all[i]);
    }
    free((void *)assignments->all);
    free(engine.workers);
    munmap(engine.slots, bytes);
    return code;
}

enum wg_code wg_batch_run_local(const struct wg_batch_job *job,
                                const struct wg_batch_events *events, struct wg_err *err) {
    const struct wg_platform *platform = NULL;
    /* Once here, for all workers: whether this machine can grade at all. */
    enum wg_code code = wg_platform_pick(job->plan->settings.platform, &platform, err);
    size_t jobs = job->jobs > 0 ? (size_t)job->jobs : count_processors();
    return code != WG_OK ? code : run(job, WG_BATCH_GRADE, jobs, events, err);
}

/* Waiting for servers costs nothing, so more of them at a time. */
enum wg_code wg_batch_run_fetch(const struct wg_batch_job *job,
                                const struct wg_batch_events *events, struct wg_err *err) {
    size_t jobs = job->jobs > 0 ? (size_t)job->jobs : count_processors() * 8;
    return run(job, WG_BATCH_FETCH, jobs, events, err);
}
