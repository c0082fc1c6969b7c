/* What the plans of both jails share: the words that are executed, and what a command sees of the
 * system. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "sandbox/jail/internal.h"

/* The parts of /usr that compilers and programs need; not /usr/local, /usr/share or /usr/src, where
 * a machine's own things are. */
static const struct {
    const char *path;
    bool is_for_programs;
} system_folders[] = {
    {"/usr/bin", true}, {"/usr/include", true}, {"/usr/libexec/gcc", true},
    {"/bin", true},     {"/usr/lib", false},    {"/usr/lib64", false},
    {"/lib", false},    {"/lib64", false},
};

size_t wg_spec_system_folders(const struct wg_jail_spec *spec,
                              const char *out[WG_SYSTEM_FOLDERS_MAX]) {
    size_t count = 0;
    for (size_t i = 0; i < sizeof system_folders / sizeof system_folders[0]; i++) {
        if (wg_file_is_folder(system_folders[i].path) &&
            !(spec->without_programs && system_folders[i].is_for_programs)) {
            out[count++] = system_folders[i].path;
        }
    }
    return count;
}

void wg_launch_add_owned(struct wg_launch *launch, char *word) {
    launch->argv = wg_realloc(launch->argv, launch->argc + 2, sizeof *launch->argv);
    launch->argv[launch->argc++] = word;
    launch->argv[launch->argc] = NULL;
}

void wg_launch_add(struct wg_launch *launch, const char *word) {
    wg_launch_add_owned(launch, wg_strdup(word));
}

enum wg_code wg_launch_find_init(char **out, struct wg_err *err) {
    const char *libexec = wg_paths_libexec();
    if (libexec == NULL) {
        return wg_fail(err, WG_EINTERNAL, "jail: wg_paths_init was not called");
    }
    *out = wg_path_join(libexec, "jail/init");
    return WG_OK;
}

/* The value behind "Threads:" of a process's status, 0 when it is gone. */
static int64_t threads_of(const char *pid) {
    WG_CLEANUP(wg_freep) char *path = wg_strf("/proc/%s/status", pid);
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    if (wg_file_read(path, 1 << 16, &text, NULL) != WG_OK) {
        return 0;
    }
    const char *line = strstr(text.data, "\nThreads:");
    return line == NULL ? 0 : strtoll(line + 9, NULL, 10);
}

/* RLIMIT_NPROC counts all that a user runs on the machine, unless there is a user namespace. */
static int64_t count_tasks_of(uid_t uid) {
    DIR *dir = opendir("/proc");
    int64_t count = 0;
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        WG_CLEANUP(wg_freep) char *path = wg_strf("/proc/%s", entry->d_name);
        struct stat st;
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && stat(path, &st) == 0 &&
            st.st_uid == uid) {
            count += threads_of(entry->d_name);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return count;
}

static void add_number(struct wg_launch *launch, int64_t value) {
    wg_launch_add_owned(launch, wg_strf("%lld", (long long)value));
}

void wg_launch_add_init(struct wg_launch *launch, const struct wg_jail_spec *spec, bool has_cgroup,
                        const struct wg_launch_fds *fds) {
    const struct wg_jail_limits *limits = &spec->limits;
    enum { OTHERS = 512 };
    int64_t processes = limits->processes + 1; /* init counts too */
    if (launch->kind == WG_JAIL_LANDLOCK) {
        /* A cgroup counts exactly; a number of the whole user's is only the second best, and needs
         * room for what else the user starts meanwhile, other jails among it. */
        processes = has_cgroup ? 0
                               : processes + OTHERS +
                                     count_tasks_of(launch->as_root ? WG_JAIL_UID : getuid());
    }
    add_number(launch, fds->status);
    add_number(launch, fds->filter);
    add_number(launch, fds->ruleset);
    add_number(launch, fds->is_scoped);
    add_number(launch, processes);
    add_number(launch, limits->cpu_s);
    add_number(launch, limits->file_bytes);
    add_number(launch, limits->limit_address_space && !has_cgroup ? limits->memory_bytes : 0);
}

void wg_launch_done(struct wg_launch *launch) {
    for (size_t i = 0; i < launch->argc; i++) {
        free(launch->argv[i]);
    }
    free(launch->argv);
    for (size_t i = 0; i < launch->env_count; i++) {
        free(launch->env[i]);
    }
    free(launch->env);
    for (size_t i = 0; i < launch->stage_count; i++) {
        free(launch->stages[i].source);
        free(launch->stages[i].target);
    }
    *launch = (struct wg_launch){0};
}
