/* What this machine offers, found by running something in each jail. */
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "sandbox/jail/internal.h"

static struct wg_jail_abilities found;
static char missing[300], landlock_missing[300];

static bool run_nothing(enum wg_jail_kind kind, struct wg_err *err) {
    const char *const argv[] = {"/usr/bin/true", NULL};
    struct wg_jail_spec spec = {
        .argv = argv,
        .workdir = "/",
        .kind = kind,
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

static bool has_filters(struct wg_err *err) {
    WG_CLEANUP(wg_closep) int filter = -1;
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0 && wg_seccomp_open(false, &filter, err) == WG_OK;
}

static void probe(void) {
    struct wg_err err = {0};
    found.cgroup = wg_cgroup_kind();
    found.landlock_abi = wg_landlock_abi();
    found.seccomp = has_filters(&err);
    if (!found.seccomp) {
        snprintf(missing, sizeof missing, "the kernel has no seccomp filters (%s)", err.msg);
        found.missing = found.landlock_missing = missing;
        return;
    }
    found.bubblewrap = run_nothing(WG_JAIL_STRONG, &err);
    if (!found.bubblewrap) {
        snprintf(missing, sizeof missing, "%s", err.msg);
        found.missing = missing;
    }
    found.landlock = run_nothing(WG_JAIL_LANDLOCK, &err);
    if (!found.landlock) {
        snprintf(landlock_missing, sizeof landlock_missing, "%s", err.msg);
        found.landlock_missing = landlock_missing;
    }
}

const struct wg_jail_abilities *wg_jail_probe(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, probe);
    return &found;
}

static enum wg_jail_kind choice = WG_JAIL_STRONG;

void wg_jail_choose(enum wg_jail_kind kind) {
    choice = kind;
}

enum wg_jail_kind wg_jail_chosen(void) {
    if (choice != WG_JAIL_AUTO) {
        return choice;
    }
    /* Where neither works, the strong one's sentence says what to install. */
    const struct wg_jail_abilities *abilities = wg_jail_probe();
    return !abilities->bubblewrap && abilities->landlock ? WG_JAIL_LANDLOCK : WG_JAIL_STRONG;
}
