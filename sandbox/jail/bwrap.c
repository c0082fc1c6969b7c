#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/jail/internal.h"

const char *wg_bwrap_program(void) {
    /* Fixed places: with PATH, whoever sets the environment of a privileged grader would choose
     * what it runs. */
    static const char *const places[] = {"/usr/bin/bwrap", "/usr/local/bin/bwrap"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (access(places[i], X_OK) == 0) {
            return places[i];
        }
    }
    return NULL;
}

static void add(struct wg_launch *launch, const char *a, const char *b, const char *c) {
    const char *const words[] = {a, b, c};
    for (size_t i = 0; i < 3 && words[i] != NULL; i++) {
        wg_launch_add(launch, words[i]);
    }
}

static void add_number(struct wg_launch *launch, const char *option, int64_t value) {
    wg_launch_add(launch, option);
    wg_launch_add_owned(launch, wg_strf("%lld", (long long)value));
}

static void add_system_folders(struct wg_launch *launch, const struct wg_jail_spec *spec) {
    const char *folders[WG_SYSTEM_FOLDERS_MAX];
    size_t count = wg_spec_system_folders(spec, folders);
    for (size_t i = 0; i < count; i++) {
        char link[256];
        ssize_t len = readlink(folders[i], link, sizeof link - 1);
        link[len < 0 ? 0 : len] = '\0'; /* merged /usr */
        add(launch, len > 0 ? "--symlink" : "--ro-bind", len > 0 ? link : folders[i], folders[i]);
    }
    if (wg_file_exists("/etc/ld.so.cache")) {
        add(launch, "--ro-bind", "/etc/ld.so.cache", "/etc/ld.so.cache");
    }
}

/* bwrap's --dev would add a terminal multiplexer and a shared memory folder; a few plain devices
 * are enough. */
static void add_devices(struct wg_launch *launch) {
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/urandom"};
    add(launch, "--tmpfs", "/dev", NULL);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        add(launch, "--dev-bind", devices[i], devices[i]);
    }
    add(launch, "--symlink", "urandom", "/dev/random"); /* the same, these days */
    add(launch, "--symlink", "/proc/self/fd", "/dev/fd");
    add(launch, "--symlink", "/proc/self/fd/0", "/dev/stdin");
    add(launch, "--symlink", "/proc/self/fd/1", "/dev/stdout");
    add(launch, "--symlink", "/proc/self/fd/2", "/dev/stderr");
}

static enum wg_code add_bind(struct wg_launch *launch, const struct wg_jail_bind *bind,
                             struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *source = realpath(bind->source, NULL);
    struct stat st;
    if (source == NULL || stat(source, &st) != 0) {
        return errno == ENOENT || errno == ENOTDIR
                   ? wg_fail(err, WG_ENOTFOUND, "jail: '%s' does not exist", bind->source)
                   : wg_fail(err, WG_EIO, "jail: open '%s'", bind->source);
    }
    if (bind->device) {
        /* Anyone can reach /dev: nothing to stage. */
        if (!S_ISCHR(st.st_mode)) {
            return wg_fail(err, WG_EINVAL, "jail: '%s' is not a device", bind->source);
        }
        add(launch, "--dev-bind", source, bind->target);
        return WG_OK;
    }
    add(launch, bind->writable ? "--bind" : "--ro-bind", NULL, NULL);
    if (launch->as_root) {
        wg_launch_add_owned(launch, wg_strf(WG_STAGE_FOLDER "/%zu", launch->stage_count));
        launch->stages[launch->stage_count++] =
            (struct wg_stage){.source = WG_TAKE(&source), .is_folder = S_ISDIR(st.st_mode)};
    } else {
        wg_launch_add_owned(launch, WG_TAKE(&source));
    }
    add(launch, bind->target, NULL, NULL);
    return WG_OK;
}

static enum wg_code add_binds(struct wg_launch *launch, const struct wg_jail_spec *spec,
                              struct wg_err *err) {
    for (size_t i = 0; i < spec->bind_count; i++) {
        enum wg_code code = add_bind(launch, &spec->binds[i], err);
        if (code != WG_OK) {
            return code;
        }
    }
    WG_CLEANUP(wg_freep) char *init = NULL;
    enum wg_code code = wg_launch_find_init(&init, err);
    return code == WG_OK
               ? add_bind(launch,
                          &(struct wg_jail_bind){.source = init, .target = WG_JAIL_INIT_TARGET},
                          err)
               : code;
}

static void add_environment(struct wg_launch *launch, const char *const *env) {
    /* By options and not in bwrap's own environment: bwrap runs outside the jail, and a LD_PRELOAD
     * meant for the command must not act there. */
    for (size_t i = 0; env != NULL && env[i] != NULL; i++) {
        const char *equals = strchr(env[i], '=');
        add(launch, "--setenv", NULL, NULL);
        wg_launch_add_owned(launch, wg_strf("%.*s", (int)(equals - env[i]), env[i]));
        add(launch, equals + 1, NULL, NULL);
    }
}

enum wg_code wg_bwrap_plan(const struct wg_jail_spec *spec, bool has_cgroup,
                           const struct wg_launch_fds *fds, struct wg_launch *out,
                           struct wg_err *err) {
    const char *program = wg_bwrap_program();
    if (program == NULL) {
        return wg_fail(err, WG_EUNSUPPORTED,
                       "bubblewrap is not installed (apt-get install bubblewrap)");
    }
    out->as_root = geteuid() == 0;
    add(out, program, "--unshare-all", "--unshare-user");
    add(out, "--disable-userns", "--die-with-parent", "--new-session");
    add(out, "--as-pid-1", "--cap-drop", "ALL");
    add(out, "--hostname", "jail", NULL);
    add_number(out, "--seccomp", fds->filter);
    add_system_folders(out, spec);
    add(out, "--proc", "/proc", NULL);
    add_devices(out);
    const struct wg_jail_limits *limits = &spec->limits;
    if (limits->tmpfs_bytes > 0) {
        add_number(out, "--size", limits->tmpfs_bytes);
        add(out, "--tmpfs", "/tmp", NULL);
    }
    enum wg_code code = add_binds(out, spec, err);
    if (code != WG_OK) {
        return code;
    }
    add(out, "--remount-ro", "/dev", NULL);
    add(out, "--remount-ro", "/", NULL);
    add(out, "--chdir", spec->workdir, NULL);
    add_environment(out, spec->env);
    add(out, "--", WG_JAIL_INIT_TARGET, NULL);
    wg_launch_add_init(out, spec, has_cgroup,
                       &(struct wg_launch_fds){.status = fds->status, .filter = -1, .ruleset = -1});
    wg_launch_add(out, spec->workdir);
    for (size_t i = 0; spec->argv[i] != NULL; i++) {
        wg_launch_add(out, spec->argv[i]);
    }
    return WG_OK;
}
