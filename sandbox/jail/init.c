/* The first process of a jail: sets the limits, runs the command, and reports its exact end.
 *
 *   init STATUS_FD FILTER_FD RULESET_FD SCOPED PROCESSES CPU_SECONDS FILE_BYTES ADDRESS_SPACE_BYTES
 * FOLDER COMMAND ARGUMENT...
 *
 * bubblewrap's own process 1 would do, but for three things: it tells a command killed by a signal
 * from one that returned 128+n only by guessing; RLIMIT_NPROC has to be set inside the user
 * namespace, where it counts the jail's processes and not all of the user's; and the largest
 * resident set would include that of the forked grader.
 *
 * The command runs under the same uid. What keeps it from forging the report: this process is not
 * dumpable, so that its /proc entries (mem, fd) are closed, the filter forbids ptrace and
 * pidfd_getfd, and the report's descriptor is not inherited. When this process ends, the kernel
 * kills everything else in the pid namespace: daemons cannot stay.
 *
 * In the weaker jail (FILTER_FD and RULESET_FD are not -1) there is no such namespace, and this
 * process does what bubblewrap would. Orphans become its children. Where Landlock bounds signals,
 * two rulesets do what the namespace does: this process puts on one that governs nothing else, so
 * that kill(-1) reaches its descendants and no one else; the command puts on its own, below that
 * one, and cannot signal this process. Where it does not, the command may signal only itself, and
 * children are killed as they come: each one's own children then become this process's. Death of
 * the grader arrives as WG_INIT_STOP_SIGNAL. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/jail/internal.h"

enum argument {
    ARG_STATUS = 1,
    ARG_FILTER,
    ARG_RULESET,
    ARG_SCOPED, /* 1: the ruleset bounds signals */
    ARG_PROCESSES,
    ARG_CPU,
    ARG_FILE,
    ARG_SPACE,
    ARG_FOLDER,
    ARG_COMMAND,
};

enum { FILTER_MAX = 2048 };

static bool is_alone; /* kill(-1) reaches nobody but descendants */
static bool is_stopping;

static void report(int fd, struct wg_init_message message) {
    while (send(fd, &message, sizeof message, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
}

static void limit(int resource, rlim_t soft, rlim_t hard) {
    struct rlimit wanted = {soft, hard}, now;
    /* A hard limit that is lower already must be respected. */
    if (getrlimit((__rlimit_resource_t)resource, &now) == 0 && now.rlim_max < hard) {
        wanted.rlim_max = now.rlim_max;
        wanted.rlim_cur = soft < now.rlim_max ? soft : now.rlim_max;
    }
    if (setrlimit((__rlimit_resource_t)resource, &wanted) != 0) {
        _exit(125);
    }
}

static void set_limits(char **argv) {
    rlim_t processes = strtoul(argv[ARG_PROCESSES], NULL, 10);
    rlim_t cpu_s = strtoul(argv[ARG_CPU], NULL, 10);
    rlim_t file_bytes = strtoul(argv[ARG_FILE], NULL, 10);
    rlim_t address_space_bytes = strtoul(argv[ARG_SPACE], NULL, 10);
    limit(RLIMIT_CORE, 0, 0);
    if (processes != 0) {
        limit(RLIMIT_NPROC, processes, processes);
    }
    limit(RLIMIT_CPU, cpu_s, cpu_s + 1); /* SIGXCPU, then SIGKILL */
    limit(RLIMIT_FSIZE, file_bytes, file_bytes);
    limit(RLIMIT_NOFILE, 1024, 1024);
    limit(RLIMIT_STACK, 8 << 20, 64 << 20);
    limit(RLIMIT_MSGQUEUE, 0, 0); /* kernel memory that no other limit counts */
    if (address_space_bytes != 0) {
        limit(RLIMIT_AS, address_space_bytes, address_space_bytes);
    }
}

/* ---- the weaker jail ---- */

/* A ruleset that governs signals alone. False: this kernel's cannot. */
static bool confine_signals(void) {
    const uint64_t scopes[3] = {0, 0, WG_LANDLOCK_SCOPES};
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, scopes, sizeof scopes, 0);
    if (ruleset < 0) {
        return false;
    }
    bool done = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    /* Believed only when seen: a kill(-1) that is not bounded would end all that the user runs. */
    return done && kill(getppid(), 0) != 0 && errno == EPERM;
}

/* Signals to itself and no other. What else can send signals, the other filter forbids. */
static int forbid_signals_to_others(void) {
    const struct sock_filter load_call =
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    const struct sock_filter load_target =
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]));
    struct sock_filter code[] = {
        load_call,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 2),
        load_target,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)getpid(), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int put_on_filter(int fd) {
    static struct sock_filter code[FILTER_MAX];
    ssize_t len = pread(fd, code, sizeof code, 0);
    if (len <= 0 || len == (ssize_t)sizeof code) {
        errno = EMSGSIZE;
        return -1;
    }
    struct sock_fprog program = {.len = (unsigned short)((size_t)len / sizeof code[0]),
                                 .filter = code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* In the child, before the command. */
static void confine(char **argv) {
    int filter = (int)strtol(argv[ARG_FILTER], NULL, 10);
    int ruleset = (int)strtol(argv[ARG_RULESET], NULL, 10);
    if (ruleset < 0) {
        return;
    }
    /* Should this process be killed in spite of all, the command at least goes with it. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || setsid() < 0 ||
        syscall(SYS_landlock_restrict_self, ruleset, 0) != 0 || put_on_filter(filter) != 0 ||
        (!is_alone && forbid_signals_to_others() != 0)) {
        _exit(125);
    }
    close(ruleset);
    close(filter);
}

/* Those that the kernel lists as children, and with them the right to have more. */
static void kill_children(void) {
    char text[4096];
    int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    close(fd);
    text[len < 0 ? 0 : len] = '\0';
    char *at = text;
    for (long pid; (pid = strtol(at, &at, 10)) > 0;) {
        struct rlimit none = {0, 0};
        syscall(SYS_prlimit64, pid, RLIMIT_NPROC, &none, NULL);
        kill((pid_t)pid, SIGKILL);
    }
}

/* ---- the end ---- */

static void stop(int signal_number) {
    (void)signal_number;
    int saved = errno;
    is_stopping = true;
    if (is_alone) {
        kill(-1, SIGKILL); /* everything below this process */
    } else {
        kill_children();
    }
    errno = saved;
}

static int64_t cpu_ns(const struct rusage *usage) {
    int64_t seconds = usage->ru_utime.tv_sec + usage->ru_stime.tv_sec;
    int64_t microseconds = usage->ru_utime.tv_usec + usage->ru_stime.tv_usec;
    return seconds * 1000000000 + microseconds * 1000;
}

static int reap(pid_t command, int status_fd) {
    struct wg_init_message end = {.kind = WG_INIT_ENDED};
    for (;;) {
        int status = 0;
        struct rusage usage;
        pid_t ended = wait4(-1, &status, 0, &usage);
        if (ended == command) {
            end.value = status;
            end.command_cpu_ns = cpu_ns(&usage);
            stop(0);
        } else if (ended > 0 && is_stopping && !is_alone) {
            stop(0); /* its children are ours now */
        } else if (ended < 0 && errno == ECHILD) {
            break;
        }
    }
    struct rusage all;
    getrusage(RUSAGE_CHILDREN, &all);
    end.cpu_ns = cpu_ns(&all);
    end.max_rss_bytes = all.ru_maxrss * 1024;
    report(status_fd, end);
    return 0;
}

int main(int argc, char **argv) {
    if (argc <= ARG_COMMAND) {
        return 125;
    }
    int status_fd = (int)strtol(argv[ARG_STATUS], NULL, 10);
    char **command = argv + ARG_COMMAND;
    is_alone = getpid() == 1 || (*argv[ARG_SCOPED] == '1' && confine_signals());
    struct sigaction on_stop = {.sa_handler = stop, .sa_flags = SA_RESTART};
    if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
        fcntl(status_fd, F_SETFD, FD_CLOEXEC) != 0 ||
        sigaction(WG_INIT_STOP_SIGNAL, &on_stop, NULL) != 0) {
        return 125;
    }
    report(status_fd, (struct wg_init_message){.kind = WG_INIT_READY});

    pid_t child = fork();
    if (child == 0) {
        struct wg_init_message failed = {.kind = WG_INIT_EXEC_FAILED};
        set_limits(argv);
        if (chdir(argv[ARG_FOLDER]) == 0) {
            confine(argv);
            execv(command[0], command);
        } else {
            failed.step = WG_INIT_STEP_FOLDER;
        }
        failed.value = errno;
        report(status_fd, failed);
        _exit(127);
    }
    if (child < 0) {
        report(status_fd, (struct wg_init_message){.kind = WG_INIT_EXEC_FAILED, .value = errno});
        return 125;
    }
    /* Keep nothing open: the other side of a socket must see when the command has closed it. */
    close_range(0, (unsigned)status_fd - 1, 0);
    close_range((unsigned)status_fd + 1, ~0U, 0);
    return reap(child, status_fd);
}
