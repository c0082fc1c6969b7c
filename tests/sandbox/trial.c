#include "tests/sandbox/trial.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"

static enum wg_jail_kind kind_in_test;

void trial_require(enum wg_jail_kind kind) {
    struct wg_err err = {0};
    cr_assert_eq(wg_paths_init(&err), WG_OK, "%s", err.msg);
    kind_in_test = kind;
    const struct wg_jail_abilities *abilities = wg_jail_probe();
    const char *missing = kind == WG_JAIL_STRONG ? abilities->missing : abilities->landlock_missing;
    if (missing != NULL) {
        if (getenv("WG_JAIL_MUST_WORK") != NULL) {
            cr_assert_fail("%s", missing);
        }
        cr_skip_test("%s", missing);
    }
}

bool trial_has_cgroups(void) {
    return strncmp(wg_jail_probe()->cgroup, "none", 4) != 0;
}

const char *trial_payload(void) {
    static char path[4096];
    ssize_t len = readlink("/proc/self/exe", path, sizeof path - 32);
    path[len < 0 ? 0 : len] = '\0';
    char *slash = strrchr(path, '/');
    snprintf(slash, 32, "/wg_test_payload");
    return path;
}

void trial_done(struct trial *trial) {
    wg_jail_result_done(&trial->result);
}

void trial_init(struct trial *trial, const char *mode, ...) {
    *trial = (struct trial){.argv = {PAYLOAD, mode},
                            .binds = {{.source = trial_payload(), .target = PAYLOAD}}};
    va_list args;
    va_start(args, mode);
    for (size_t i = 2; i < MAX_ARGS && trial->argv[i - 1] != NULL; i++) {
        trial->argv[i] = va_arg(args, const char *);
    }
    va_end(args);
    trial->spec = (struct wg_jail_spec){
        .argv = trial->argv,
        .binds = trial->binds,
        .bind_count = 1,
        .fds = trial->fds,
        .workdir = "/",
        .kind = kind_in_test,
        .limits = {.wall_ns = 20000 * MS,
                   .cpu_s = 20,
                   .memory_bytes = 512 * MIB,
                   .file_bytes = 64 * MIB,
                   .tmpfs_bytes = 4 * MIB,
                   .output_bytes = 65536,
                   .processes = 64},
    };
}

void trial_run(struct trial *trial) {
    struct wg_err err = {0};
    enum wg_code code = wg_jail_run(&trial->spec, &trial->result, &err);
    cr_assert_eq(code, WG_OK, "%s", err.msg);
}

int64_t trial_run_timed(struct trial *trial) {
    int64_t start = wg_clock_mono_ns();
    trial_run(trial);
    return wg_clock_mono_ns() - start;
}

bool trial_is_alive(const char *name) {
    DIR *dir = opendir("/proc");
    const struct dirent *entry;
    bool found = false;
    while (dir != NULL && !found && (entry = readdir(dir)) != NULL) {
        WG_CLEANUP(wg_freep) char *path = wg_strf("/proc/%s/comm", entry->d_name);
        WG_CLEANUP(wg_buf_done) struct wg_buf comm = {0};
        found = wg_file_read(path, 64, &comm, NULL) == WG_OK &&
                strncmp(comm.data, name, strlen(name)) == 0;
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return found;
}
