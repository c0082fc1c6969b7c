/* The life of a jail.
 *
 * Each jail has a thread that forks it, watches it and buries it. The fork happens on that thread,
 * because "die with the parent" means the parent *thread* to the kernel, and this one lives as long
 * as the jail. The tree:
 *
 *   grader (thread) -> bwrap, outside -> init, process 1 of the pid namespace -> the command
 *
 * Killing means killing init: the kernel then kills everything in its pid namespace, whatever the
 * command ignores, stops or detaches, and bwrap outside ends with the resource use of the whole
 * tree. The end is a pidfd becoming readable, never the end of a pipe: a command may close its
 * pipes and go on, or leave copies of them in the grader's own sockets.
 *
 * In the weaker jail bwrap and the namespace are missing: init is the grader's child, and is asked
 * to kill all others first.
 *
 * init's datagrams arrive with its pid as the kernel sees it from here (SCM_CREDENTIALS). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "sandbox/jail/internal.h"

#define SECOND_NS      ((int64_t)1000000000)
#define START_LIMIT_NS (60 * SECOND_NS) /* until bubblewrap has set everything up */
#define LOOK_NS        (SECOND_NS / 5)  /* how often to look at the processes */
#define LOOK_CLOSER_NS (SECOND_NS / 50) /* where no cgroup bounds their memory */
#define ASK_LIMIT_NS   (SECOND_NS / 2)  /* for init to kill the others; then it is killed */
#define KILL_LIMIT_NS  (2 * SECOND_NS)  /* then bwrap outside is killed */
#define STUCK_LIMIT_NS (15 * SECOND_NS) /* then a process is stuck in the kernel */

enum phase { STARTING, RUNNING, FAILED };

struct wg_jail {
    pthread_t thread;
    struct wg_jail_limits limits;
    char *program;
    struct wg_launch launch; /* descriptors are closed once the child has its copy */
    struct wg_cgroup cgroup;
    char *workdir;
    char *tmp;                                 /* the weaker jail's /tmp */
    int out_fd, errout_fd, status_fd, kill_fd; /* our ends */
    atomic_bool ended;

    /* shared with wg_jail_start */
    pthread_mutex_t lock;
    pthread_cond_t phase_changed;
    enum phase phase;

    /* the supervising thread's own until it ends */
    int bwrap_fd, init_fd; /* pidfds */
    pid_t bwrap_pid;
    bool is_ready; /* init has reported; init_fd may be -1 still when it was gone by then */
    bool killed;
    bool has_reason; /* reason: why we killed it */
    enum wg_jail_end reason;
    int64_t started_at_ns, killed_at_ns, ready_at_ns, ended_at_ns;
    bool was_busy;         /* the machine: patience came to an end before the limit */
    struct wg_tasks tasks; /* charged_ns and looked_ns also wg_jail_charged's, under the lock */
    struct wg_init_message failed, last; /* kind 0: not received */
    int exec_errno, exec_step;
    struct wg_jail_result result;
    enum wg_code code;
    struct wg_err err;
};

void wg_jail_result_done(struct wg_jail_result *result) {
    if (result != NULL) {
        wg_buf_done(&result->out);
        wg_buf_done(&result->errout);
        *result = (struct wg_jail_result){0};
    }
}

/* ---- making and freeing ---- */

static void close_launch(struct wg_launch *launch) {
    int *const fds[] = {&launch->in_fd, &launch->out_fd, &launch->errout_fd, &launch->status_fd};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        wg_closep(fds[i]);
    }
    /* The filter and the ruleset; the spec's descriptors are the caller's, and the last one is
     * status_fd. */
    for (size_t i = launch->spec_fd_count; i + 1 < launch->fd_count; i++) {
        wg_closep(&launch->fds[i].source);
    }
    launch->fd_count = 0;
}

static void free_jail(struct wg_jail *jail) {
    close_launch(&jail->launch);
    wg_launch_done(&jail->launch);
    free(jail->program);
    free(jail->workdir);
    if (jail->tmp != NULL) {
        wg_folder_remove(jail->tmp, NULL);
        free(jail->tmp);
    }
    int *const fds[] = {&jail->out_fd,  &jail->errout_fd, &jail->status_fd,
                        &jail->kill_fd, &jail->bwrap_fd,  &jail->init_fd};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        wg_closep(fds[i]);
    }
    wg_cgroup_remove(&jail->cgroup, NULL);
    wg_jail_result_done(&jail->result);
    pthread_mutex_destroy(&jail->lock);
    pthread_cond_destroy(&jail->phase_changed);
    free(jail);
}

static struct wg_jail *new_jail(const struct wg_jail_spec *spec) {
    struct wg_jail *jail = wg_calloc(1, sizeof *jail);
    jail->limits = spec->limits;
    jail->program = wg_strdup(spec->argv[0]);
    jail->workdir = wg_strdup(spec->workdir);
    jail->cgroup = WG_CGROUP_NONE;
    jail->out_fd = jail->errout_fd = jail->status_fd = jail->kill_fd = -1;
    jail->bwrap_fd = jail->init_fd = -1;
    struct wg_launch *launch = &jail->launch;
    launch->in_fd = launch->out_fd = launch->errout_fd = launch->status_fd = -1;
    pthread_mutex_init(&jail->lock, NULL);
    pthread_cond_init(&jail->phase_changed, NULL);
    return jail;
}

static bool open_channels(struct wg_jail *jail) {
    struct wg_launch *launch = &jail->launch;
    int pair[2], on = 1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        return false;
    }
    jail->status_fd = pair[0];
    launch->status_fd = pair[1];
    launch->in_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    jail->kill_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 &&
           launch->in_fd >= 0 && jail->kill_fd >= 0 &&
           wg_channel_open_pipe(&jail->out_fd, &launch->out_fd) &&
           wg_channel_open_pipe(&jail->errout_fd, &launch->errout_fd);
}

static void add_fd(struct wg_launch *launch, int source, int target) {
    launch->fds[launch->fd_count++] = (struct wg_jail_fd){source, target};
}

static enum wg_code plan(struct wg_jail *jail, const struct wg_jail_spec *spec, int first_free,
                         struct wg_err *err) {
    struct wg_launch *launch = &jail->launch;
    bool is_weaker = launch->kind == WG_JAIL_LANDLOCK;
    bool has_cgroup = jail->cgroup.version != 0;
    struct wg_launch_fds fds = {
        .filter = first_free, .ruleset = is_weaker ? first_free + 1 : -1, .status = first_free + 2};
    int filter_fd = -1, ruleset_fd = -1;
    enum wg_code code = wg_seccomp_open(is_weaker, &filter_fd, err);
    if (code != WG_OK) {
        return code;
    }
    add_fd(launch, filter_fd, fds.filter);
    if (!is_weaker) {
        code = wg_bwrap_plan(spec, has_cgroup, &fds, launch, err);
    } else {
        if (spec->limits.tmpfs_bytes > 0) {
            code = wg_jail_folder_make(&jail->tmp, err);
        }
        if (code == WG_OK) {
            code = wg_landlock_plan(spec, has_cgroup, jail->tmp, &fds, &ruleset_fd, launch, err);
        }
        add_fd(launch, ruleset_fd, fds.ruleset);
    }
    add_fd(launch, launch->status_fd, fds.status);
    return code;
}

static enum wg_code prepare(struct wg_jail *jail, const struct wg_jail_spec *spec,
                            struct wg_err *err) {
    if (!open_channels(jail)) {
        return wg_fail(err, WG_EIO, "open the jail's pipes");
    }
    enum wg_code code = wg_cgroup_make(&spec->limits, &jail->cgroup, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_launch *launch = &jail->launch;
    int highest = 2;
    for (size_t i = 0; i < spec->fd_count; i++) {
        add_fd(launch, spec->fds[i].source, spec->fds[i].target);
        highest = spec->fds[i].target > highest ? spec->fds[i].target : highest;
    }
    launch->spec_fd_count = spec->fd_count;
    launch->kind = spec->kind == WG_JAIL_DEFAULT ? wg_jail_chosen() : spec->kind;
    memcpy(launch->join_fds, jail->cgroup.join_fds, sizeof launch->join_fds);
    return plan(jail, spec, highest + 1, err);
}

/* ---- the supervising thread ---- */

static void set_phase(struct wg_jail *jail, enum phase phase) {
    pthread_mutex_lock(&jail->lock);
    jail->phase = phase;
    pthread_cond_broadcast(&jail->phase_changed);
    pthread_mutex_unlock(&jail->lock);
}

static void signal_pidfd(int fd, int signal_number) {
    if (fd >= 0) {
        syscall(SYS_pidfd_send_signal, fd, signal_number, NULL, 0);
    }
}

static void kill_tree(struct wg_jail *jail, enum wg_jail_end reason) {
    if (jail->killed) {
        return;
    }
    jail->killed = true;
    jail->killed_at_ns = wg_clock_mono_ns();
    if (jail->last.kind == 0) { /* else it had ended by itself before */
        jail->has_reason = true;
        jail->reason = reason;
    }
    signal_pidfd(jail->init_fd, WG_INIT_STOP_SIGNAL);
    if (jail->init_fd < 0) {
        signal_pidfd(jail->bwrap_fd, SIGKILL);
    }
}

/* Reads what is there, without waiting; closes the descriptor at its end. */
static void collect(struct wg_jail *jail, int *fd, struct wg_buf *into) {
    char chunk[65536];
    while (*fd >= 0) {
        ssize_t got = read(*fd, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0 && errno == EAGAIN) {
            return;
        }
        if (got <= 0) {
            wg_closep(fd);
            return;
        }
        size_t used = jail->result.out.len + jail->result.errout.len;
        size_t left = (size_t)jail->limits.output_bytes - used;
        wg_buf_add(into, chunk, (size_t)got < left ? (size_t)got : left);
        if ((size_t)got > left) {
            jail->has_reason = true; /* also when the command has ended meanwhile */
            jail->reason = WG_JAIL_OUTPUT_LIMIT;
            kill_tree(jail, WG_JAIL_OUTPUT_LIMIT);
            wg_closep(fd);
            return;
        }
    }
}

static void listen_to_init(struct wg_jail *jail) {
    struct wg_init_message message;
    pid_t sender = 0;
    while (jail->status_fd >= 0 && wg_channel_receive(jail->status_fd, &message, &sender)) {
        switch (message.kind) {
        case WG_INIT_SETUP_FAILED:
            jail->failed = message;
            break;
        case WG_INIT_READY:
            jail->is_ready = true;
            jail->init_fd = (int)syscall(SYS_pidfd_open, sender, 0);
            jail->ready_at_ns = wg_clock_mono_ns();
            wg_tasks_start(&jail->tasks, sender);
            set_phase(jail, RUNNING);
            break;
        case WG_INIT_EXEC_FAILED:
            jail->exec_errno = message.value;
            jail->exec_step = message.step;
            break;
        case WG_INIT_ENDED:
            jail->last = message;
            jail->ended_at_ns = wg_clock_mono_ns();
            break;
        default:
            break;
        }
    }
}

static void look_at_tasks(struct wg_jail *jail) {
    struct wg_tasks tasks = jail->tasks;
    wg_tasks_look(&tasks);
    pthread_mutex_lock(&jail->lock);
    jail->tasks = tasks;
    pthread_mutex_unlock(&jail->lock);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* While the command runs: kills what has had its limit; returns when to look again, 0: at once. */
static int64_t enforce_limits(struct wg_jail *jail, int64_t now_ns) {
    const struct wg_jail_limits *limits = &jail->limits;
    bool is_counted = jail->cgroup.version != 0 || limits->memory_bytes == 0;
    int64_t every_ns = is_counted ? LOOK_NS : LOOK_CLOSER_NS;
    int64_t unseen_ns = now_ns - jail->tasks.looked_ns;
    int64_t left_ns = limits->wall_ns - jail->tasks.charged_ns - unseen_ns;
    if (left_ns > 0 && unseen_ns < every_ns) {
        return least(left_ns, every_ns - unseen_ns);
    }
    look_at_tasks(jail);
    left_ns = limits->wall_ns - jail->tasks.charged_ns;
    if (!is_counted && jail->tasks.memory_bytes > limits->memory_bytes) {
        kill_tree(jail, WG_JAIL_MEMORY_LIMIT);
    } else if (left_ns <= 0) {
        kill_tree(jail, WG_JAIL_WALL_LIMIT);
    } else if (now_ns - jail->ready_at_ns >= wg_jail_patience_ns(limits->wall_ns)) {
        jail->was_busy = true;
        kill_tree(jail, WG_JAIL_WALL_LIMIT);
    } else {
        return least(left_ns, every_ns);
    }
    return 0;
}

/* Does what is due by now; returns in how many nanoseconds to look again. */
static int64_t enforce_time(struct wg_jail *jail) {
    int64_t now = wg_clock_mono_ns();
    if (!jail->killed && jail->is_ready) {
        int64_t wait_ns = enforce_limits(jail, now);
        if (!jail->killed) {
            return wait_ns;
        }
    } else if (!jail->killed && now < jail->started_at_ns + START_LIMIT_NS) {
        return jail->started_at_ns + START_LIMIT_NS - now;
    }
    kill_tree(jail, WG_JAIL_WALL_LIMIT);
    int64_t killing_ns = now - jail->killed_at_ns;
    if (killing_ns < ASK_LIMIT_NS) {
        return ASK_LIMIT_NS - killing_ns;
    }
    wg_cgroup_kill(&jail->cgroup);
    signal_pidfd(jail->init_fd, SIGKILL);
    if (killing_ns < KILL_LIMIT_NS) {
        return KILL_LIMIT_NS - killing_ns;
    }
    signal_pidfd(jail->bwrap_fd, SIGKILL);
    return STUCK_LIMIT_NS - killing_ns;
}

static int timeout_ms(int64_t ns) {
    int64_t ms = ns <= 0 ? 0 : ns / 1000000 + 1;
    return ms > 1000000 ? 1000000 : (int)ms;
}

static bool is_over(int pidfd, int64_t wait_ns) {
    struct pollfd one = {.fd = pidfd, .events = POLLIN};
    return pidfd < 0 || poll(&one, 1, timeout_ms(wait_ns)) == 1;
}

/* Returns when bwrap has ended; false when it cannot be made to end. */
static bool watch(struct wg_jail *jail) {
    for (;;) {
        int64_t wait_ns = enforce_time(jail);
        if (jail->killed && wait_ns <= 0) {
            return false;
        }
        struct pollfd all[] = {
            {.fd = jail->bwrap_fd, .events = POLLIN},  {.fd = jail->kill_fd, .events = POLLIN},
            {.fd = jail->out_fd, .events = POLLIN},    {.fd = jail->errout_fd, .events = POLLIN},
            {.fd = jail->status_fd, .events = POLLIN},
        };
        if (poll(all, sizeof all / sizeof all[0], timeout_ms(wait_ns)) < 0 && errno != EINTR) {
            return false;
        }
        listen_to_init(jail);
        collect(jail, &jail->out_fd, &jail->result.out);
        collect(jail, &jail->errout_fd, &jail->result.errout);
        if ((all[4].revents & POLLHUP) != 0) {
            wg_closep(&jail->status_fd); /* else poll would return at once, for ever */
        }
        if ((all[0].revents & POLLIN) != 0) {
            return true;
        }
        uint64_t asked;
        if (read(jail->kill_fd, &asked, sizeof asked) == (ssize_t)sizeof asked) {
            kill_tree(jail, WG_JAIL_KILLED);
        }
    }
}

/* ---- the verdict on how it ended ---- */

static enum wg_code explain_failed_start(struct wg_jail *jail) {
    if (jail->failed.kind != 0) {
        errno = jail->failed.value;
        bool forbidden = errno == EPERM || errno == EINVAL || errno == ENOSYS;
        enum wg_code code =
            wg_fail(&jail->err, WG_EIO, "jail: %s", wg_launch_step_words(jail->failed.step));
        if (forbidden && geteuid() == 0 && jail->launch.kind != WG_JAIL_LANDLOCK) {
            jail->err.code = code = WG_EUNSUPPORTED;
        }
        return code;
    }
    if (jail->launch.kind == WG_JAIL_LANDLOCK) {
        return wg_fail(&jail->err, WG_EINTERNAL, "the jail's first process could not start");
    }
    WG_CLEANUP(wg_freep)
    char *words = wg_text_clean(wg_buf_str(&jail->result.errout), jail->result.errout.len, 120);
    words[strcspn(words, "\n")] = '\0';
    if (strstr(words, "namespace") != NULL || strstr(words, "uid map") != NULL) {
        return wg_fail(&jail->err, WG_EUNSUPPORTED,
                       "this kernel or container lets no user make namespaces (%s); see sysctl "
                       "kernel.apparmor_restrict_unprivileged_userns, user.max_user_namespaces",
                       words);
    }
    return wg_fail(&jail->err, WG_EINTERNAL, "bubblewrap could not set up the jail: %s",
                   words[0] == '\0' ? "it ended without a word" : words);
}

static enum wg_code judge_end(struct wg_jail *jail) {
    struct wg_jail_result *result = &jail->result;
    enum wg_cgroup_oom oom = wg_cgroup_oom(&jail->cgroup);
    if (oom == WG_CGROUP_OOM_MACHINE) {
        errno = ENOMEM;
        return wg_fail(&jail->err, WG_EIO, "the machine ran out of memory and killed the jail");
    }
    if (jail->was_busy) {
        return wg_jail_fail_busy(&jail->err);
    }
    int status = jail->last.value;
    if (oom == WG_CGROUP_OOM_OWN) {
        result->end = WG_JAIL_MEMORY_LIMIT;
    } else if (jail->has_reason) {
        result->end = jail->reason;
    } else if (jail->last.kind == 0) {
        return wg_fail(&jail->err, WG_EINTERNAL, "the jail's first process was lost");
    } else if (WIFSIGNALED(status)) {
        /* SIGKILL follows a second after SIGXCPU, for those who ignore it. */
        bool cpu = WTERMSIG(status) == SIGXCPU ||
                   (WTERMSIG(status) == SIGKILL &&
                    jail->last.command_cpu_ns >= jail->limits.cpu_s * SECOND_NS);
        result->end = cpu ? WG_JAIL_CPU_LIMIT : WG_JAIL_SIGNALED;
        result->signal = WTERMSIG(status);
    } else {
        result->end = WG_JAIL_EXITED;
        result->exit_status = WEXITSTATUS(status);
    }
    return WG_OK;
}

static enum wg_code conclude(struct wg_jail *jail) {
    int status = 0;
    struct rusage usage = {0};
    while (wait4(jail->bwrap_pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    /* init has died before bwrap outside, or dies with it. */
    if (!is_over(jail->init_fd, STUCK_LIMIT_NS)) {
        errno = EBUSY;
        return wg_fail(&jail->err, WG_EIO, "a process of the jail cannot be killed");
    }
    listen_to_init(jail);
    collect(jail, &jail->out_fd, &jail->result.out);
    collect(jail, &jail->errout_fd, &jail->result.errout);
    wg_landlock_translate_back(&jail->launch, &jail->result.out);
    wg_landlock_translate_back(&jail->launch, &jail->result.errout);
    if (!jail->is_ready) {
        return explain_failed_start(jail);
    }
    if (jail->exec_errno != 0) {
        errno = jail->exec_errno;
        if (jail->exec_step == WG_INIT_STEP_FOLDER) {
            return wg_fail(&jail->err, WG_EIO, "enter '%s' in the jail", jail->workdir);
        }
        return wg_fail(&jail->err, WG_EIO, "run '%s' in the jail", jail->program);
    }
    int64_t end_ns = jail->ended_at_ns != 0 ? jail->ended_at_ns : wg_clock_mono_ns();
    jail->result.wall_ns = end_ns - jail->ready_at_ns;
    jail->result.cpu_ns = jail->last.cpu_ns;
    jail->result.max_rss_bytes = jail->last.max_rss_bytes;
    if (jail->last.kind == 0) { /* init did not live to tell: what is known from outside */
        jail->result.cpu_ns = ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SECOND_NS;
        jail->result.max_rss_bytes = wg_cgroup_peak_bytes(&jail->cgroup);
    }
    return judge_end(jail);
}

static void *supervise(void *arg) {
    struct wg_jail *jail = arg;
    jail->started_at_ns = wg_clock_mono_ns();
    jail->bwrap_pid = fork();
    if (jail->bwrap_pid == 0) {
        wg_launch_child(&jail->launch);
    }
    if (jail->bwrap_pid > 0) {
        jail->bwrap_fd = (int)syscall(SYS_pidfd_open, jail->bwrap_pid, 0);
    }
    close_launch(&jail->launch);
    if (jail->bwrap_pid < 0 || jail->bwrap_fd < 0) {
        jail->code = wg_fail(&jail->err, WG_EIO, "start a process for the jail");
    } else if (watch(jail)) {
        jail->code = conclude(jail);
    } else {
        errno = EBUSY;
        jail->code = wg_fail(&jail->err, WG_EIO, "a process of the jail cannot be killed");
    }
    struct wg_err cgroup_err;
    enum wg_code cgroup_code = wg_cgroup_remove(&jail->cgroup, &cgroup_err);
    if (jail->code == WG_OK && cgroup_code != WG_OK) {
        jail->code = cgroup_code;
        jail->err = cgroup_err;
    }
    atomic_store(&jail->ended, true);
    set_phase(jail, jail->phase == RUNNING ? RUNNING : FAILED);
    return NULL;
}

/* ---- the interface ---- */

/* Signals are for the grader's main thread: the supervisor takes none. */
static int start_thread(struct wg_jail *jail) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&jail->thread, NULL, supervise, jail);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

enum wg_code wg_jail_start(const struct wg_jail_spec *spec, struct wg_jail **out,
                           struct wg_err *err) {
    enum wg_code code = wg_spec_check(spec, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_jail *jail = new_jail(spec);
    code = prepare(jail, spec, err);
    if (code == WG_OK) {
        errno = start_thread(jail);
        if (errno != 0) {
            code = wg_fail(err, WG_EIO, "start the jail's thread");
        }
    }
    if (code != WG_OK) {
        free_jail(jail);
        return code;
    }
    pthread_mutex_lock(&jail->lock);
    while (jail->phase == STARTING) {
        pthread_cond_wait(&jail->phase_changed, &jail->lock);
    }
    enum phase phase = jail->phase;
    pthread_mutex_unlock(&jail->lock);
    if (phase == FAILED) {
        pthread_join(jail->thread, NULL);
        code = jail->code == WG_OK ? WG_EINTERNAL : jail->code;
        if (err != NULL) {
            *err = jail->err;
        }
        free_jail(jail);
        return code;
    }
    *out = jail;
    return WG_OK;
}

struct wg_jail_time wg_jail_charged(struct wg_jail *jail) {
    pthread_mutex_lock(&jail->lock);
    struct wg_jail_time time = {.charged_ns = jail->tasks.charged_ns,
                                .until_ns = jail->tasks.looked_ns};
    pthread_mutex_unlock(&jail->lock);
    return time;
}

int64_t wg_jail_patience_ns(int64_t limit_ns) {
    return 4 * limit_ns + 10 * SECOND_NS;
}

enum wg_code wg_jail_fail_busy(struct wg_err *err) {
    errno = EBUSY;
    return wg_fail(err, WG_EIO,
                   "this machine is too busy: the command hardly ran; try again when less is going "
                   "on, or run fewer gradings at once");
}

void wg_jail_kill(struct wg_jail *jail) {
    uint64_t one = 1;
    while (write(jail->kill_fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

bool wg_jail_ended(struct wg_jail *jail) {
    return atomic_load(&jail->ended);
}

enum wg_code wg_jail_finish(struct wg_jail *jail, struct wg_jail_result *out, struct wg_err *err) {
    pthread_join(jail->thread, NULL);
    enum wg_code code = jail->code;
    if (code == WG_OK) {
        *out = jail->result;
        jail->result = (struct wg_jail_result){0};
    } else if (err != NULL) {
        *err = jail->err;
    }
    free_jail(jail);
    return code;
}

enum wg_code wg_jail_run(const struct wg_jail_spec *spec, struct wg_jail_result *out,
                         struct wg_err *err) {
    struct wg_jail *jail = NULL;
    enum wg_code code = wg_jail_start(spec, &jail, err);
    return code == WG_OK ? wg_jail_finish(jail, out, err) : code;
}
