#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "sandbox/jail/internal.h"

static struct wg_jail_abilities found;
static char missing[300];

static bool run_nothing(struct wg_err *err) {
    const char *const argv[] = {"/usr/bin/true", NULL};
    struct wg_jail_spec spec = {
        .argv = argv,
        .workdir = "/",
        .limits = {.wall_ns = 10000000000, .cpu_s = 10, .output_bytes = 4096, .processes = 16},
    };
    struct wg_jail_result result = {0};
    bool works = wg_jail_run(&spec, &result, err) == WG_OK;
    if (works && (result.end != WG_JAIL_EXITED || result.exit_status != 0)) {
        wg_fail(err, WG_EUNSUPPORTED, "/usr/bin/true fails inside a jail");
        works = false;
    }
    wg_jail_result_done(&result);
    return works;
}

static void probe(void) {
    struct wg_err err = {0};
    found.cgroup = wg_cgroup_kind();
    /* The third argument 1 asks for the interface's version (LANDLOCK_CREATE_RULESET_VERSION). */
    found.landlock = syscall(SYS_landlock_create_ruleset, NULL, 0, 1) >= 1;
    WG_CLEANUP(wg_closep) int filter = -1;
    found.seccomp =
        prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0 && wg_seccomp_open(&filter, &err) == WG_OK;
    if (!found.seccomp) {
        snprintf(missing, sizeof missing, "the kernel has no seccomp filters (%s)", err.msg);
        found.missing = missing;
        return;
    }
    found.bubblewrap = run_nothing(&err);
    if (!found.bubblewrap) {
        snprintf(missing, sizeof missing, "%s", err.msg);
        found.missing = missing;
    }
}

const struct wg_jail_abilities *wg_jail_probe(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, probe);
    return &found;
}
