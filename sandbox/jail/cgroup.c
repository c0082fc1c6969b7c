/* Limits on all processes of a jail together.
 *
 * v1: one folder in the memory hierarchy and one in the pids hierarchy. v2: one folder, which needs
 * both controllers delegated. The folder is made below the grader's own cgroup where that is
 * allowed, so that limits of a batch system or container stay in force, else (v2, whose groups hold
 * either processes or groups) below one of its parents.
 *
 * The child moves itself in before exec by writing "0": in v1 to `tasks`, as moving one's own
 * single thread does not take the kernel's global thread-group lock, which `cgroup.procs` waits for
 * some milliseconds.
 *
 * Whether memory ran out is read from the kernel's counters. The count of killed processes alone
 * would not do: it also counts those that the kernel killed because the *machine* had no memory
 * left, and that is no student's fault. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/jail/internal.h"

/* Groups are named PREFIX PID-NAMESPACE-NUMBER: containers see the same groups, and each other's
 * process ids not at all. */
#define PREFIX "wavegrade-"
/* No grading lasts that long: for groups of containers that are gone. */
#define ABANDONED_S INT64_C(86400)

static struct {
    pthread_once_t once;
    int version;
    char *bases[2]; /* v1: memory, pids; v2: one */
    char kind[200];
} site = {.once = PTHREAD_ONCE_INIT};

/* ---- small files ---- */

static bool put(const char *folder, const char *name, const char *text) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(folder, name);
    WG_CLEANUP(wg_closep) int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static bool put_number(const char *folder, const char *name, int64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    return put(folder, name, text);
}

static bool get(const char *folder, const char *name, struct wg_buf *out) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(folder, name);
    return wg_file_read(path, 1 << 16, out, NULL) == WG_OK;
}

/* Value of "key value" in a file of such lines, or of the whole file when key is NULL; 0 when it
 * is not there. */
static int64_t get_number(const char *folder, const char *name, const char *key) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    if (!get(folder, name, &text)) {
        return 0;
    }
    const char *at = text.data;
    size_t key_len = key == NULL ? 0 : strlen(key);
    while (key != NULL && !(strncmp(at, key, key_len) == 0 && at[key_len] == ' ')) {
        at = strchr(at, '\n');
        if (at == NULL) {
            return 0;
        }
        at++;
    }
    return strtoll(at + key_len, NULL, 10);
}

static bool has_word(const char *text, const char *word) {
    size_t len = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        if ((at == text || strchr(" ,\n", at[-1]) != NULL) && strchr(" ,\n", at[len]) != NULL) {
            return true;
        }
    }
    return false;
}

/* ---- where our groups may be made ---- */

/* Own path in a hierarchy, from /proc/self/cgroup ("4:memory:/a/b", "0::/a"). */
static char *own_path(const char *controller) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    if (wg_file_read("/proc/self/cgroup", 1 << 16, &text, NULL) != WG_OK) {
        return NULL;
    }
    char *rest = NULL;
    for (char *line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *names = strchr(line, ':');
        char *path = names == NULL ? NULL : strchr(names + 1, ':');
        if (path == NULL) {
            continue;
        }
        *path++ = '\0';
        bool is_v2 = names[1] == '\0';
        if (controller == NULL ? is_v2 : !is_v2 && has_word(names + 1, controller)) {
            return wg_strdup(path);
        }
    }
    return NULL;
}

/* The mount point and root of a hierarchy, from a line of mountinfo:
 *   36 35 0:30 ROOT MOUNT_POINT options ... - TYPE source super_options */
static bool parse_mount(char *line, const char *controller, char **root, char **point) {
    char *dash = strstr(line, " - ");
    if (dash == NULL) {
        return false;
    }
    *dash = '\0';
    char *rest = NULL, *type = strtok_r(dash + 3, " ", &rest);
    strtok_r(NULL, " ", &rest); /* source */
    const char *options = strtok_r(NULL, " ", &rest);
    if (type == NULL || options == NULL ||
        strcmp(type, controller == NULL ? "cgroup2" : "cgroup") != 0 ||
        (controller != NULL && !has_word(options, controller))) {
        return false;
    }
    char *fields[5] = {NULL};
    rest = NULL;
    for (int i = 0; i < 5; i++) {
        fields[i] = strtok_r(i == 0 ? line : NULL, " ", &rest);
    }
    *root = fields[3];
    *point = fields[4];
    return *point != NULL;
}

/* The folder of our own group in the hierarchy of controller (NULL: v2); NULL when not mounted. */
static char *own_folder(const char *controller, char **point_out) {
    WG_CLEANUP(wg_freep) char *path = own_path(controller);
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    if (path == NULL || wg_file_read("/proc/self/mountinfo", 1 << 22, &text, NULL) != WG_OK) {
        return NULL;
    }
    char *rest = NULL;
    for (char *line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *root = NULL, *point = NULL;
        if (!parse_mount(line, controller, &root, &point)) {
            continue;
        }
        /* In a container the mount shows only the part below ROOT. */
        size_t skip =
            strcmp(root, "/") != 0 && strncmp(path, root, strlen(root)) == 0 ? strlen(root) : 0;
        char *folder = wg_path_join(point, path + skip);
        if (!wg_file_is_folder(folder)) { /* our group lies outside of what is mounted */
            free(folder);
            folder = wg_strdup(point);
        }
        if (point_out != NULL) {
            *point_out = wg_strdup(point);
        }
        return folder;
    }
    return NULL;
}

/* Of process ids. */
static unsigned long own_namespace(void) {
    struct stat st;
    return stat("/proc/self/ns/pid", &st) == 0 ? (unsigned long)st.st_ino : 0;
}

static bool is_abandoned(int base_fd, const char *name) {
    long pid = 0;
    unsigned long name_space = 0;
    struct stat st;
    if (sscanf(name, PREFIX "%19ld-%19lu-", &pid, &name_space) != 2 || pid <= 0) {
        return false;
    }
    if (name_space == own_namespace()) {
        return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
    }
    return fstatat(base_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           time(NULL) - st.st_mtime > ABANDONED_S;
}

/* Whoever is in a group of ours is a jail's. Those that fork meanwhile are met again. */
static void kill_all_in(const char *folder) {
    enum { ROUNDS = 100 };
    for (int round = 0; round < ROUNDS; round++) {
        WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
        if (!get(folder, "cgroup.procs", &text) || text.len == 0) {
            return;
        }
        char *at = text.data;
        for (long pid; (pid = strtol(at, &at, 10)) > 0;) {
            kill((pid_t)pid, SIGKILL);
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

/* Removes groups that a grader left when it was killed, and what may still run in them: jails die
 * with their grader, but the weaker one's first process may have been killed as well. */
static void sweep(const char *base) {
    DIR *dir = opendir(base);
    int fd = dir == NULL ? -1 : dirfd(dir);
    if (fd < 0) {
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        if (is_abandoned(fd, entry->d_name)) {
            WG_CLEANUP(wg_freep) char *folder = wg_path_join(base, entry->d_name);
            kill_all_in(folder);
            unlinkat(fd, entry->d_name, AT_REMOVEDIR);
        }
    }
    closedir(dir);
}

static bool can_make_in(const char *base) {
    WG_CLEANUP(wg_freep)
    char *folder = wg_strf("%s/" PREFIX "%d-%lu-try", base, (int)getpid(), own_namespace());
    return mkdir(folder, 0755) == 0 && rmdir(folder) == 0;
}

static bool find_v1(void) {
    char *memory = own_folder("memory", NULL), *pids = own_folder("pids", NULL);
    if (memory != NULL && pids != NULL && can_make_in(memory) && can_make_in(pids)) {
        site.version = 1;
        site.bases[0] = memory;
        site.bases[1] = pids;
        return true;
    }
    if (memory != NULL || pids != NULL) {
        snprintf(site.kind, sizeof site.kind,
                 memory == NULL || pids == NULL
                     ? "none (the memory and pids controllers are not both mounted)"
                     : "none (no permission to make cgroups)");
    }
    free(memory);
    free(pids);
    return false;
}

static bool v2_is_usable(const char *base) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    return get(base, "cgroup.subtree_control", &text) && has_word(text.data, "memory") &&
           has_word(text.data, "pids") && can_make_in(base);
}

static bool find_v2(void) {
    WG_CLEANUP(wg_freep) char *point = NULL;
    WG_CLEANUP(wg_freep) char *base = own_folder(NULL, &point);
    if (base == NULL) {
        return false;
    }
    while (!v2_is_usable(base)) {
        char *slash = strrchr(base, '/');
        if (strcmp(base, point) == 0 || slash == NULL || slash == base) {
            snprintf(site.kind, sizeof site.kind,
                     "none (no cgroup v2 with memory and pids is delegated to this user; try "
                     "systemd-run --user --scope -p Delegate=yes)");
            return false;
        }
        *slash = '\0';
    }
    site.version = 2;
    site.bases[0] = WG_TAKE(&base);
    return true;
}

static void find_site(void) {
    snprintf(site.kind, sizeof site.kind, "none (no cgroup file system is mounted)");
    if (find_v1() || find_v2()) {
        snprintf(site.kind, sizeof site.kind, "v%d", site.version);
        sweep(site.bases[0]);
        if (site.bases[1] != NULL) {
            sweep(site.bases[1]);
        }
    }
}

const char *wg_cgroup_kind(void) {
    pthread_once(&site.once, find_site);
    return site.kind;
}

/* ---- one jail's group ---- */

static bool set_limits(const struct wg_cgroup *cgroup, const struct wg_jail_limits *limits) {
    const char *first = cgroup->folders[0];
    /* Two more than the command may have: bubblewrap's own, outside and process 1 inside. */
    int64_t processes = (int64_t)limits->processes + 2;
    if (cgroup->version == 1) {
        if (limits->memory_bytes > 0) {
            if (!put_number(first, "memory.limit_in_bytes", limits->memory_bytes)) {
                return false;
            }
            /* Not there when the kernel does not count swap. */
            put_number(first, "memory.memsw.limit_in_bytes", limits->memory_bytes);
        }
        return put_number(cgroup->folders[1], "pids.max", processes);
    }
    if (limits->memory_bytes > 0) {
        if (!put_number(first, "memory.max", limits->memory_bytes)) {
            return false;
        }
        put(first, "memory.swap.max", "0");
        put(first, "memory.oom.group", "1");
    }
    return put_number(first, "pids.max", processes);
}

enum wg_code wg_cgroup_make(const struct wg_jail_limits *limits, struct wg_cgroup *out,
                            struct wg_err *err) {
    static atomic_uint counter;
    wg_cgroup_kind();
    struct wg_cgroup made = {.version = site.version, .join_fds = {-1, -1}};
    unsigned number = atomic_fetch_add(&counter, 1);
    for (int i = 0; i < 2 && site.bases[i] != NULL; i++) {
        char *folder = wg_strf("%s/" PREFIX "%d-%lu-%u", site.bases[i], (int)getpid(),
                               own_namespace(), number);
        if (mkdir(folder, 0755) != 0) {
            enum wg_code code = wg_fail(err, WG_EIO, "make cgroup '%s'", folder);
            free(folder);
            wg_cgroup_remove(&made, NULL);
            return code;
        }
        made.folders[i] = folder;
        WG_CLEANUP(wg_freep)
        char *join = wg_path_join(folder, made.version == 1 ? "tasks" : "cgroup.procs");
        made.join_fds[i] = open(join, O_WRONLY | O_CLOEXEC);
        if (made.join_fds[i] < 0) {
            enum wg_code code = wg_fail(err, WG_EIO, "open '%s'", join);
            wg_cgroup_remove(&made, NULL);
            return code;
        }
    }
    if (made.version != 0 && !set_limits(&made, limits)) {
        enum wg_code code = wg_fail(err, WG_EIO, "set the limits of cgroup '%s'", made.folders[0]);
        wg_cgroup_remove(&made, NULL);
        return code;
    }
    *out = made;
    return WG_OK;
}

void wg_cgroup_kill(const struct wg_cgroup *cgroup) {
    /* In one go where the kernel offers that: v2, Linux 5.14. */
    bool done = cgroup->version == 0 ||
                (cgroup->version == 2 && put(cgroup->folders[0], "cgroup.kill", "1"));
    if (!done) {
        kill_all_in(cgroup->folders[0]);
    }
}

/* failcnt would say it, but stays 0 on some kernels (6.18 with v1): the peak says it as well. */
static bool v1_reached_own_limit(const char *folder) {
    int64_t limit = get_number(folder, "memory.limit_in_bytes", NULL);
    return get_number(folder, "memory.failcnt", NULL) > 0 ||
           get_number(folder, "memory.memsw.failcnt", NULL) > 0 ||
           get_number(folder, "memory.max_usage_in_bytes", NULL) >= limit - limit / 16;
}

enum wg_cgroup_oom wg_cgroup_oom(const struct wg_cgroup *cgroup) {
    const char *folder = cgroup->folders[0];
    int64_t killed = 0;
    bool own = false;
    if (cgroup->version == 1) {
        killed = get_number(folder, "memory.oom_control", "oom_kill");
        own = killed > 0 && v1_reached_own_limit(folder);
    } else if (cgroup->version == 2) {
        killed = get_number(folder, "memory.events", "oom_kill");
        own = get_number(folder, "memory.events", "oom") > 0;
    }
    return killed == 0 ? WG_CGROUP_OOM_NONE : own ? WG_CGROUP_OOM_OWN : WG_CGROUP_OOM_MACHINE;
}

int64_t wg_cgroup_peak_bytes(const struct wg_cgroup *cgroup) {
    return cgroup->version == 1 ? get_number(cgroup->folders[0], "memory.max_usage_in_bytes", NULL)
           : cgroup->version == 2 ? get_number(cgroup->folders[0], "memory.peak", NULL)
                                  : 0;
}

enum wg_code wg_cgroup_remove(struct wg_cgroup *cgroup, struct wg_err *err) {
    enum wg_code code = WG_OK;
    for (int i = 0; i < 2; i++) {
        wg_closep(&cgroup->join_fds[i]);
        if (cgroup->folders[i] == NULL) {
            continue;
        }
        /* The last process may be gone for its parent and not yet for its cgroup. */
        int tries = 0;
        while (rmdir(cgroup->folders[i]) != 0 && errno == EBUSY && tries++ < 2000) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
        if (tries >= 2000 && code == WG_OK) {
            errno = EBUSY;
            code = wg_fail(err, WG_EIO, "remove cgroup '%s': a process in it cannot be killed",
                           cgroup->folders[i]);
        }
        wg_freep(&cgroup->folders[i]);
    }
    *cgroup = WG_CGROUP_NONE;
    return code;
}
