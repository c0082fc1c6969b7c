/* Between fork and exec of bubblewrap, or of init in the weaker jail.
 *
 * The parent has threads, so only async-signal-safe calls are allowed here: nothing allocates, and
 * everything was prepared in struct wg_launch. The order matters:
 *
 *   1. join the cgroups, so that even bubblewrap's own work is counted;
 *   2. as root: make the bind sources reachable. They may lie below folders that WG_JAIL_UID cannot
 *      enter (a checkout in /root, a job folder of mode 0700), so they are cloned into a private
 *      mount namespace, below a fresh tmpfs that it can enter;
 *   3. as root: become WG_JAIL_UID for good. bubblewrap never runs as root: a payload mapped to the
 *      machine's root could open /proc/sys/kernel/core_pattern for writing even without
 * capabilities;
 *   4. put the descriptors where the spec wants them and close all others;
 *   5. exec with an empty environment: /proc/1/environ inside would show ours.
 *
 * A failing step is reported on the status socket, which becomes WG_INIT_SETUP_FAILED. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/jail/internal.h"

enum wg_launch_step {
    STEP_CGROUP,
    STEP_NAMESPACE,
    STEP_STAGE,
    STEP_UID,
    STEP_FDS,
    STEP_EXEC,
    STEP_REACH,
};

const char *wg_launch_step_words(int step) {
    static const char *const words[] = {
        [STEP_CGROUP] = "join the jail's cgroup",
        [STEP_NAMESPACE] = "make a mount namespace",
        [STEP_STAGE] = "make the bind sources reachable",
        [STEP_UID] = "become the jail's user",
        [STEP_FDS] = "arrange descriptors",
        [STEP_EXEC] = "run the jail's first program",
        [STEP_REACH] = "reach the files as user 65530 (install wavegrade where all may read)",
    };
    return step >= 0 && step <= STEP_REACH ? words[step] : "start";
}

_Noreturn static void give_up(int status_fd, enum wg_launch_step step) {
    struct wg_init_message message = {
        .kind = WG_INIT_SETUP_FAILED, .value = errno, .step = (int32_t)step};
    send(status_fd, &message, sizeof message, MSG_NOSIGNAL);
    _exit(125);
}

static void reset_signals(void) {
    /* Ignored signals and the mask survive exec: a grader that ignores SIGPIPE would hand that on.
     */
    struct sigaction plain = {.sa_handler = SIG_DFL};
    for (int i = 1; i < NSIG; i++) {
        sigaction(i, &plain, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* "/tmp/7": by hand, since snprintf is not async-signal-safe. */
static void stage_path(char out[sizeof WG_STAGE_FOLDER + 3], size_t index) {
    memcpy(out, WG_STAGE_FOLDER "/", sizeof WG_STAGE_FOLDER);
    char *digit = out + sizeof WG_STAGE_FOLDER;
    if (index >= 10) {
        *digit++ = (char)('0' + index / 10);
    }
    *digit++ = (char)('0' + index % 10);
    *digit = '\0';
}

static void stage_mounts(const struct wg_launch *launch) {
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        give_up(launch->status_fd, STEP_NAMESPACE);
    }
    /* All sources are taken before the tmpfs hides those that are below its folder. */
    int trees[WG_JAIL_MAX_BINDS + 1];
    for (size_t i = 0; i < launch->stage_count; i++) {
        trees[i] =
            (int)syscall(SYS_open_tree, AT_FDCWD, launch->stages[i].source,
                         OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW | AT_RECURSIVE);
        if (trees[i] < 0) {
            give_up(launch->status_fd, STEP_STAGE);
        }
    }
    if (mount("wavegrade", WG_STAGE_FOLDER, "tmpfs", MS_NOSUID | MS_NODEV,
              "mode=0755,size=64k,nr_inodes=64") != 0) {
        give_up(launch->status_fd, STEP_STAGE);
    }
    for (size_t i = 0; i < launch->stage_count; i++) {
        char target[sizeof WG_STAGE_FOLDER + 3];
        stage_path(target, i);
        int made =
            launch->stages[i].is_folder ? mkdir(target, 0755) : mknod(target, S_IFREG | 0644, 0);
        if (made != 0 ||
            syscall(SYS_move_mount, trees[i], "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) != 0) {
            give_up(launch->status_fd, STEP_STAGE);
        }
    }
}

/* The raw system calls: glibc's would try to tell the threads that only the parent has. */
static void drop_to_jail_user(int status_fd) {
    long uid = WG_JAIL_UID;
    if (syscall(SYS_setgroups, 0L, NULL) != 0 || syscall(SYS_setresgid, uid, uid, uid) != 0 ||
        syscall(SYS_setresuid, uid, uid, uid) != 0) {
        give_up(status_fd, STEP_UID);
    }
    if (getuid() == 0 || geteuid() == 0) {
        errno = EPERM;
        give_up(status_fd, STEP_UID);
    }
}

/* Returns nothing open but 0 to 2 and the targets. Sources are first lifted out of the way, as one
 * spec's source number may be another's target. */
static void arrange_fds(const struct wg_launch *launch) {
    enum { ALOFT = WG_JAIL_MAX_FD + 16, STANDARD = 3 };
    struct wg_jail_fd all[STANDARD + WG_JAIL_MAX_FDS + 3] = {
        {launch->in_fd, 0}, {launch->out_fd, 1}, {launch->errout_fd, 2}};
    size_t count = STANDARD + launch->fd_count;
    memcpy(all + STANDARD, launch->fds, launch->fd_count * sizeof launch->fds[0]);
    int status_fd = fcntl(launch->status_fd, F_DUPFD_CLOEXEC, ALOFT);
    bool wanted[ALOFT] = {false};
    for (size_t i = 0; i < count; i++) {
        all[i].source = fcntl(all[i].source, F_DUPFD_CLOEXEC, ALOFT);
        if (all[i].source < 0) {
            give_up(launch->status_fd, STEP_FDS);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (dup2(all[i].source, all[i].target) < 0) {
            give_up(status_fd, STEP_FDS);
        }
        wanted[all[i].target] = true;
    }
    for (unsigned fd = STANDARD; fd < ALOFT; fd++) {
        unsigned first = fd;
        while (fd < ALOFT && !wanted[fd]) {
            fd++;
        }
        if (fd > first) {
            close_range(first, fd - 1, 0);
        }
    }
    /* CLOEXEC, and not closed at once: a failing exec is still to be reported on status_fd. */
    if (close_range(ALOFT, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
        give_up(status_fd, STEP_FDS);
    }
}

void wg_launch_child(const struct wg_launch *launch) {
    reset_signals();
    for (size_t i = 0; i < 2; i++) {
        if (launch->join_fds[i] >= 0 && write(launch->join_fds[i], "0", 1) != 1) {
            give_up(launch->status_fd, STEP_CGROUP);
        }
    }
    bool is_weaker = launch->kind == WG_JAIL_LANDLOCK;
    if (launch->as_root) {
        if (!is_weaker) {
            stage_mounts(launch);
        }
        drop_to_jail_user(launch->status_fd);
    }
    for (size_t i = 0; is_weaker && i < launch->stage_count; i++) {
        if (access(launch->stages[i].source, F_OK) != 0) {
            give_up(launch->status_fd, STEP_REACH);
        }
    }
    /* After the change of user, which would clear it. Should the grader die before bubblewrap asks
     * for the same, nothing is left running. Without a pid namespace init is asked to end, as it
     * has others to kill. */
    if (prctl(PR_SET_PDEATHSIG, is_weaker ? WG_INIT_STOP_SIGNAL : SIGKILL) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || chdir("/") != 0) {
        give_up(launch->status_fd, STEP_UID);
    }
    umask(022);
    arrange_fds(launch);
    char *empty[] = {NULL};
    execve(launch->argv[0], launch->argv, launch->env == NULL ? empty : launch->env);
    give_up(launch->fds[launch->fd_count - 1].target, STEP_EXEC);
}
