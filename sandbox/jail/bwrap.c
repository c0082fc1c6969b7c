#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
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

static void add_copy(struct wg_launch *launch, char *owned) {
    launch->argv = wg_realloc(launch->argv, launch->argc + 2, sizeof *launch->argv);
    launch->argv[launch->argc++] = owned;
    launch->argv[launch->argc] = NULL;
}

static void add(struct wg_launch *launch, const char *a, const char *b, const char *c) {
    const char *const words[] = {a, b, c};
    for (size_t i = 0; i < 3 && words[i] != NULL; i++) {
        add_copy(launch, wg_strdup(words[i]));
    }
}

static void add_number(struct wg_launch *launch, const char *option, int64_t value) {
    if (option != NULL) {
        add(launch, option, NULL, NULL);
    }
    add_copy(launch, wg_strf("%lld", (long long)value));
}

/* The parts of /usr that compilers and programs need; not /usr/local, /usr/share or /usr/src, where
 * a machine's own things are. */
static void add_system_folders(struct wg_launch *launch) {
    static const char *const usr[] = {"/usr/bin", "/usr/lib", "/usr/lib64", "/usr/include",
                                      "/usr/libexec/gcc"};
    for (size_t i = 0; i < sizeof usr / sizeof usr[0]; i++) {
        if (wg_file_is_folder(usr[i])) {
            add(launch, "--ro-bind", usr[i], usr[i]);
        }
    }
    static const char *const top[] = {"/bin", "/lib", "/lib64"};
    for (size_t i = 0; i < sizeof top / sizeof top[0]; i++) {
        char link[256];
        ssize_t len = readlink(top[i], link, sizeof link - 1);
        if (len > 0) { /* merged /usr */
            link[len] = '\0';
            add(launch, "--symlink", link, top[i]);
        } else if (wg_file_is_folder(top[i])) {
            add(launch, "--ro-bind", top[i], top[i]);
        }
    }
    if (wg_file_exists("/etc/ld.so.cache")) {
        add(launch, "--ro-bind", "/etc/ld.so.cache", "/etc/ld.so.cache");
    }
}

/* bwrap's --dev would add a terminal multiplexer and a shared memory folder; four plain devices
 * are enough. */
static void add_devices(struct wg_launch *launch) {
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"};
    add(launch, "--tmpfs", "/dev", NULL);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        add(launch, "--dev-bind", devices[i], devices[i]);
    }
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
        add_copy(launch, wg_strf(WG_STAGE_FOLDER "/%zu", launch->stage_count));
        launch->stages[launch->stage_count++] =
            (struct wg_stage){.source = WG_TAKE(&source), .is_folder = S_ISDIR(st.st_mode)};
    } else {
        add_copy(launch, WG_TAKE(&source));
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
    const char *libexec = wg_paths_libexec();
    if (libexec == NULL) {
        return wg_fail(err, WG_EINTERNAL, "jail: wg_paths_init was not called");
    }
    WG_CLEANUP(wg_freep) char *init = wg_path_join(libexec, "jail/init");
    return add_bind(launch, &(struct wg_jail_bind){.source = init, .target = WG_JAIL_INIT_TARGET},
                    err);
}

static void add_environment(struct wg_launch *launch, const char *const *env) {
    /* By options and not in bwrap's own environment: bwrap runs outside the jail, and a LD_PRELOAD
     * meant for the command must not act there. */
    for (size_t i = 0; env != NULL && env[i] != NULL; i++) {
        const char *equals = strchr(env[i], '=');
        add(launch, "--setenv", NULL, NULL);
        add_copy(launch, wg_strf("%.*s", (int)(equals - env[i]), env[i]));
        add(launch, equals + 1, NULL, NULL);
    }
}

enum wg_code wg_bwrap_plan(const struct wg_jail_spec *spec, bool has_memory_cgroup,
                           int status_target, int seccomp_target, struct wg_launch *out,
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
    add_number(out, "--seccomp", seccomp_target);
    add_system_folders(out);
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
    add_number(out, NULL, status_target);
    add_number(out, NULL, limits->processes);
    add_number(out, NULL, limits->cpu_s);
    add_number(out, NULL, limits->file_bytes);
    bool limit_address_space = limits->limit_address_space && !has_memory_cgroup;
    add_number(out, NULL, limit_address_space ? limits->memory_bytes : 0);
    for (size_t i = 0; spec->argv[i] != NULL; i++) {
        add(out, spec->argv[i], NULL, NULL);
    }
    return WG_OK;
}

void wg_launch_done(struct wg_launch *launch) {
    for (size_t i = 0; i < launch->argc; i++) {
        free(launch->argv[i]);
    }
    free(launch->argv);
    for (size_t i = 0; i < launch->stage_count; i++) {
        free(launch->stages[i].source);
    }
    *launch = (struct wg_launch){0};
}
