#include "grader/batch/slurm_exec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"

/* sbatch waits patiently for a controller that is restarting. */
#define WALL_NS      (INT64_C(180) * 1000000000)
#define OUTPUT_LIMIT ((size_t)64 << 20)

static const char *const withheld[] = {
    "WAVEGRADE_GIT_", /* secrets have no business in the cluster's job records */
    "SQUEUE_",        "SBATCH_WAIT=", "SBATCH_CLUSTERS=", "SLURM_CLUSTERS=", "SBATCH_ARRAY_",
    "SBATCH_EXPORT=", NULL,
};

static bool is_withheld(const char *variable) {
    for (const char *const *prefix = withheld; *prefix; prefix++) {
        if (strncmp(variable, *prefix, strlen(*prefix)) == 0) {
            return true;
        }
    }
    return false;
}

/* Borrowed strings, heap array. */
static char **make_environment(void) {
    size_t count = 0;
    while (environ[count]) {
        count++;
    }
    char **out = wg_calloc(count + 1, sizeof *out);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_withheld(environ[i])) {
            out[kept++] = environ[i];
        }
    }
    return out;
}

static int spawn(const char *const *argv, int out_fd, int err_fd, pid_t *pid) {
    WG_CLEANUP(wg_freep) char **environment = make_environment();
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out_fd, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err_fd, STDERR_FILENO);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    int failed =
        posix_spawnp(pid, argv[0], &actions, &attributes, (char *const *)argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Reads both streams until they end. */
static enum wg_code collect(const char *name, const int fds[2], struct wg_buf *const into[2],
                            struct wg_err *err) {
    struct pollfd polled[2] = {{.fd = fds[0], .events = POLLIN}, {.fd = fds[1], .events = POLLIN}};
    int64_t end_ns = wg_clock_mono_ns() + WALL_NS;
    while (polled[0].fd >= 0 || polled[1].fd >= 0) {
        int64_t left_ms = (end_ns - wg_clock_mono_ns()) / 1000000;
        if (left_ms <= 0) {
            return wg_fail(err, WG_ELIMIT, "%s did not answer in %d seconds", name,
                           (int)(WALL_NS / 1000000000));
        }
        if (poll(polled, 2, (int)left_ms) < 0 && errno != EINTR) {
            return wg_fail(err, WG_EIO, "wait for %s", name);
        }
        for (int i = 0; i < 2; i++) {
            char chunk[65536];
            if (polled[i].fd < 0 || !(polled[i].revents & (POLLIN | POLLHUP | POLLERR))) {
                continue;
            }
            ssize_t got = read(polled[i].fd, chunk, sizeof chunk);
            if (got > 0) {
                wg_buf_add(into[i], chunk, (size_t)got);
            } else if (got == 0 || errno != EINTR) {
                polled[i].fd = -1;
            }
            if (into[i]->len > OUTPUT_LIMIT) {
                return wg_fail(err, WG_ELIMIT, "%s prints without end", name);
            }
        }
    }
    return WG_OK;
}

/* The last line that says something: commands print warnings first. */
static void last_line(const struct wg_buf *text, char out[160]) {
    const char *bytes = wg_buf_str(text);
    size_t end = text->len;
    while (end > 0 && strchr("\r\n\t ", bytes[end - 1])) {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && bytes[begin - 1] != '\n') {
        begin--;
    }
    size_t len = end - begin < 159 ? end - begin : 159;
    memcpy(out, bytes + begin, len);
    out[len] = '\0';
}

enum wg_code wg_slurm_exec(const char *const *argv, struct wg_buf *out, struct wg_err *err) {
    int pipes[2][2] = {{-1, -1}, {-1, -1}};
    if (pipe2(pipes[0], O_CLOEXEC) != 0) {
        return wg_fail(err, WG_EIO, "make a pipe");
    }
    if (pipe2(pipes[1], O_CLOEXEC) != 0) {
        enum wg_code code = wg_fail(err, WG_EIO, "make a pipe");
        close(pipes[0][0]);
        close(pipes[0][1]);
        return code;
    }
    pid_t pid = -1;
    int failed = spawn(argv, pipes[0][1], pipes[1][1], &pid);
    close(pipes[0][1]);
    close(pipes[1][1]);
    WG_CLEANUP(wg_closep) int out_fd = pipes[0][0];
    WG_CLEANUP(wg_closep) int err_fd = pipes[1][0];
    if (failed == ENOENT) {
        return wg_fail(err, WG_EUNSUPPORTED,
                       "this machine has no '%s': start the batch on a login node of the cluster "
                       "(package slurm-client)",
                       argv[0]);
    }
    if (failed != 0) {
        errno = failed;
        return wg_fail(err, WG_EIO, "start '%s'", argv[0]);
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf words = {0};
    struct wg_buf *const into[2] = {out, &words};
    enum wg_code code = collect(argv[0], (int[]){out_fd, err_fd}, into, err);
    if (code != WG_OK) {
        kill(-pid, SIGKILL);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (code == WG_OK && status != 0) {
        char line[160];
        last_line(&words, line);
        /* Not WG_EIO, which would add an errno that has nothing to do with it. */
        return wg_fail(err, WG_EUNSUPPORTED, "%s failed: %s", argv[0],
                       *line ? line : "it does not say why");
    }
    return code;
}
