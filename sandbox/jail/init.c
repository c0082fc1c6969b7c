/* Process 1 of a jail: sets the limits, runs the command, and reports its exact end.
 *
 *   init STATUS_FD PROCESSES CPU_SECONDS FILE_BYTES ADDRESS_SPACE_BYTES COMMAND ARGUMENT...
 *
 * bubblewrap's own process 1 would do, but for three things: it tells a command killed by a signal
 * from one that returned 128+n only by guessing; RLIMIT_NPROC has to be set inside the user
 * namespace, where it counts the jail's processes and not all of the user's; and the largest
 * resident set would include that of the forked grader.
 *
 * The command runs under the same uid. What keeps it from forging the report: this process is not
 * dumpable, so that its /proc entries (mem, fd) are closed, the filter forbids ptrace and
 * pidfd_getfd, and the report's descriptor is not inherited. When this process ends, the kernel
 * kills everything else in the pid namespace: daemons cannot stay. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/jail/internal.h"

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
    rlim_t processes = strtoul(argv[2], NULL, 10);
    rlim_t cpu_s = strtoul(argv[3], NULL, 10);
    rlim_t file_bytes = strtoul(argv[4], NULL, 10);
    rlim_t address_space_bytes = strtoul(argv[5], NULL, 10);
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_NPROC, processes + 1, processes + 1); /* this one counts too */
    limit(RLIMIT_CPU, cpu_s, cpu_s + 1);               /* SIGXCPU, then SIGKILL */
    limit(RLIMIT_FSIZE, file_bytes, file_bytes);
    limit(RLIMIT_NOFILE, 1024, 1024);
    limit(RLIMIT_STACK, 8 << 20, 64 << 20);
    limit(RLIMIT_MSGQUEUE, 0, 0); /* kernel memory that no other limit counts */
    if (address_space_bytes != 0) {
        limit(RLIMIT_AS, address_space_bytes, address_space_bytes);
    }
}

static void stop(int signal_number) {
    (void)signal_number;
    int saved = errno;
    kill(-1, SIGKILL); /* everything in the pid namespace but this process */
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
    if (argc < 7) {
        return 125;
    }
    int status_fd = (int)strtol(argv[1], NULL, 10);
    char **command = argv + 6;
    struct sigaction on_stop = {.sa_handler = stop, .sa_flags = SA_RESTART};
    if (prctl(PR_SET_DUMPABLE, 0) != 0 || fcntl(status_fd, F_SETFD, FD_CLOEXEC) != 0 ||
        sigaction(WG_INIT_STOP_SIGNAL, &on_stop, NULL) != 0) {
        return 125;
    }
    report(status_fd, (struct wg_init_message){.kind = WG_INIT_READY});

    pid_t child = fork();
    if (child == 0) {
        set_limits(argv);
        execv(command[0], command);
        report(status_fd, (struct wg_init_message){.kind = WG_INIT_EXEC_FAILED, .value = errno});
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
