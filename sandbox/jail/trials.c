/* Whether each mechanism that the jails rest on does what it should: every one is used once, on
 * something harmless, and has to show its effect. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/jail/internal.h"

#define MIB ((int64_t)1 << 20)

/* Runs part in a child, as what it puts on cannot be taken off again. */
static bool works_in_child(bool (*part)(void)) {
    pid_t child = fork();
    if (child == 0) {
        _exit(part() ? 0 : 1);
    }
    int status = 1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- each mechanism ---- */

static bool filter_denies_a_call(void) {
    WG_CLEANUP(wg_closep) int fd = -1;
    static char code[16384];
    if (wg_seccomp_open(false, &fd, NULL) != WG_OK) {
        return false;
    }
    ssize_t len = read(fd, code, sizeof code);
    /* The kernel's struct sock_fprog. */
    struct {
        unsigned short len;
        char *filter;
    } program = {(unsigned short)(len / 8), code};
    return len > 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, 2, &program) == 0 && syscall(SYS_unshare, 0) < 0 && errno == EPERM;
}

static bool landlock_denies_a_file(void) {
    const uint64_t reading = 1 << 2;
    int before = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &reading, sizeof reading, 0);
    return before >= 0 && ruleset >= 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_landlock_restrict_self, ruleset, 0) == 0 &&
           open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 && errno == EACCES;
}

static bool pidfd_kills(void) {
    pid_t child = fork();
    if (child == 0) {
        for (;;) {
            pause();
        }
    }
    WG_CLEANUP(wg_closep) int fd = child < 0 ? -1 : (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd end = {.fd = fd, .events = POLLIN};
    bool works = fd >= 0 && poll(&end, 1, 0) == 0 &&
                 syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0 &&
                 poll(&end, 1, 5000) == 1;
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    return works;
}

static bool close_range_closes(void) {
    enum { HIGH = 200 };
    return dup2(STDERR_FILENO, HIGH) == HIGH && close_range(HIGH, HIGH + 1, 0) == 0 &&
           fcntl(HIGH, F_GETFD) < 0;
}

static bool openat2_follows_no_link(void) {
    WG_CLEANUP(wg_freep) char *folder = NULL;
    if (wg_folder_make_temp("wavegrade-trial", &folder, NULL) != WG_OK) {
        return false;
    }
    WG_CLEANUP(wg_freep) char *link = wg_path_join(folder, "link");
    WG_CLEANUP(wg_freep) char *file = wg_path_join(folder, "file");
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    bool works = symlink("/etc/passwd", link) == 0 &&
                 wg_file_write(file, "x", 1, 0600, NULL) == WG_OK &&
                 wg_jail_read_file(folder, "file", MIB, &text, NULL) == WG_OK &&
                 wg_jail_read_file(folder, "link", MIB, &text, NULL) == WG_EPROTO &&
                 wg_jail_read_file(folder, "../../etc/passwd", MIB, &text, NULL) == WG_EPROTO;
    wg_folder_remove(folder, NULL);
    return works;
}

/* tail keeps the last line of what it reads, and the device's line never ends. */
static bool memory_is_bounded(enum wg_jail_kind kind) {
    const char *const argv[] = {"/usr/bin/tail", "/dev/zero", NULL};
    const struct wg_jail_spec spec = {
        .argv = argv,
        .workdir = "/",
        .kind = kind,
        .limits = {.wall_ns = 20000000000,
                   .cpu_s = 20,
                   .memory_bytes = 48 * MIB,
                   .output_bytes = 4096,
                   .processes = 16},
    };
    struct wg_jail_result result = {0};
    bool works = wg_jail_run(&spec, &result, NULL) == WG_OK && result.end == WG_JAIL_MEMORY_LIMIT;
    wg_jail_result_done(&result);
    return works;
}

/* ---- all of them ---- */

static void add(struct wg_jail_trial *all, size_t *count, const char *name, bool works,
                bool required, const char *effect, const char *remedy) {
    struct wg_jail_trial *trial = &all[(*count)++];
    *trial = (struct wg_jail_trial){.name = name, .works = works, .required = required};
    snprintf(trial->text, sizeof trial->text, "%s", works ? effect : remedy);
}

size_t wg_jail_try(struct wg_jail_trial all[WG_JAIL_TRIALS_MAX]) {
    const struct wg_jail_abilities *found = wg_jail_probe();
    size_t count = 0;
    add(all, &count, "namespaces, with bubblewrap", found->bubblewrap, true,
        "a command ran isolated", found->missing == NULL ? "" : found->missing);
    add(all, &count, "system call filter", works_in_child(filter_denies_a_call), true,
        "a forbidden call was refused", "use a kernel with CONFIG_SECCOMP_FILTER");
    bool has_landlock = found->landlock && works_in_child(landlock_denies_a_file);
    add(all, &count, "landlock, the weaker jail", has_landlock, false,
        "a file could not be opened any more, and a command ran confined",
        found->landlock_missing == NULL ? "the kernel's Landlock denies nothing"
                                        : found->landlock_missing);
    bool has_groups = strncmp(found->cgroup, "none", 4) != 0;
    WG_CLEANUP(wg_freep)
    char *groups = wg_strf("%s: limits are set with rlimits and by looking", found->cgroup);
    add(all, &count, "cgroups", has_groups, false, found->cgroup, groups);
    enum wg_jail_kind kind = found->bubblewrap ? WG_JAIL_STRONG : WG_JAIL_LANDLOCK;
    bool has_jail = found->bubblewrap || has_landlock;
    add(all, &count, "memory limit", has_jail && memory_is_bounded(kind), true,
        has_groups ? "a command that wanted too much was ended by its cgroup"
                   : "a command that wanted too much was seen and ended",
        has_groups ? "the memory controller does not end what reaches its limit"
                   : "give this user a cgroup: systemd-run --user --scope -p Delegate=yes");
    add(all, &count, "pidfd", pidfd_kills(), true, "a process was ended and seen to end",
        "use Linux 5.3 or newer");
    add(all, &count, "close_range", works_in_child(close_range_closes), true,
        "a descriptor was closed", "use Linux 5.9 or newer");
    add(all, &count, "openat2", openat2_follows_no_link(), true,
        "links that lead out were not followed", "use Linux 5.6 or newer");
    return count;
}
