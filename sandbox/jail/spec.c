#include <fcntl.h>
#include <string.h>

#include "sandbox/jail/internal.h"

/* Absolute, and without components that could climb ("..") or hide what is meant (".", ""). */
static bool is_plain_absolute(const char *path) {
    if (path == NULL || path[0] != '/') {
        return false;
    }
    for (const char *part = path + 1;;) {
        size_t len = strcspn(part, "/");
        if ((len == 0 && path[1] != '\0') || (len == 1 && part[0] == '.') ||
            (len == 2 && part[0] == '.' && part[1] == '.')) {
            return false;
        }
        if (part[len] == '\0') {
            return true;
        }
        part += len + 1;
    }
}

/* Folders that the jail fills itself: binds may not reach into them. */
static bool is_system_path(const char *path) {
    static const char *const system[] = {"usr",    "bin", "sbin", "lib", "lib32", "lib64",
                                         "libx32", "etc", "proc", "dev", "sys"};
    size_t len = strcspn(path + 1, "/");
    for (size_t i = 0; i < sizeof system / sizeof system[0]; i++) {
        if (strlen(system[i]) == len && strncmp(path + 1, system[i], len) == 0) {
            return true;
        }
    }
    return len == 0;
}

static bool is_device_path(const char *path) {
    return is_plain_absolute(path) && strncmp(path, "/dev/", 5) == 0;
}

/* Some vendors' runtimes look devices up in the kernel's tree of them (/sys/devices, /sys/dev): for
 * reading, and where it lies outside. */
static bool is_device_tree(const struct wg_jail_bind *bind) {
    return !bind->writable && is_plain_absolute(bind->target) &&
           strncmp(bind->target, "/sys/dev", 8) == 0 && strcmp(bind->source, bind->target) == 0;
}

static bool is_target_allowed(const struct wg_jail_bind *bind) {
    if (bind->device) {
        return is_device_path(bind->source) && is_device_path(bind->target);
    }
    if (is_device_tree(bind)) {
        return true;
    }
    return is_plain_absolute(bind->target) && !is_system_path(bind->target) &&
           strcmp(bind->target, WG_JAIL_INIT_TARGET) != 0;
}

static enum wg_code check_binds(const struct wg_jail_spec *spec, struct wg_err *err) {
    if (spec->bind_count > WG_JAIL_MAX_BINDS) {
        return wg_fail(err, WG_EINVAL, "jail: %zu binds, at most %d", spec->bind_count,
                       WG_JAIL_MAX_BINDS);
    }
    for (size_t i = 0; i < spec->bind_count; i++) {
        const struct wg_jail_bind *bind = &spec->binds[i];
        if (bind->source == NULL || bind->source[0] == '\0') {
            return wg_fail(err, WG_EINVAL, "jail: bind %zu has no source", i);
        }
        if (!is_target_allowed(bind)) {
            return wg_fail(err, WG_EINVAL, "jail: bind target '%s' is not allowed",
                           bind->target == NULL ? "" : bind->target);
        }
    }
    return WG_OK;
}

static enum wg_code check_fds(const struct wg_jail_spec *spec, struct wg_err *err) {
    if (spec->fd_count > WG_JAIL_MAX_FDS) {
        return wg_fail(err, WG_EINVAL, "jail: %zu descriptors, at most %d", spec->fd_count,
                       WG_JAIL_MAX_FDS);
    }
    for (size_t i = 0; i < spec->fd_count; i++) {
        int target = spec->fds[i].target;
        if (target < 3 || target > WG_JAIL_MAX_FD) {
            return wg_fail(err, WG_EINVAL, "jail: descriptor %d is not between 3 and %d", target,
                           WG_JAIL_MAX_FD);
        }
        for (size_t j = 0; j < i; j++) {
            if (spec->fds[j].target == target) {
                return wg_fail(err, WG_EINVAL, "jail: descriptor %d is given twice", target);
            }
        }
        if (fcntl(spec->fds[i].source, F_GETFD) < 0) {
            return wg_fail(err, WG_EINVAL, "jail: descriptor %d (for %d) is not open",
                           spec->fds[i].source, target);
        }
    }
    return WG_OK;
}

static enum wg_code check_limits(const struct wg_jail_limits *limits, struct wg_err *err) {
    const struct {
        const char *name;
        int64_t value, least;
    } all[] = {
        {"wall_ns", limits->wall_ns, 1},           {"cpu_s", limits->cpu_s, 1},
        {"memory_bytes", limits->memory_bytes, 0}, {"file_bytes", limits->file_bytes, 0},
        {"tmpfs_bytes", limits->tmpfs_bytes, 0},   {"output_bytes", limits->output_bytes, 0},
        {"processes", limits->processes, 1},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].value < all[i].least) {
            return wg_fail(err, WG_EINVAL, "jail: limit %s is %lld, at least %lld is needed",
                           all[i].name, (long long)all[i].value, (long long)all[i].least);
        }
    }
    return WG_OK;
}

enum wg_code wg_spec_check(const struct wg_jail_spec *spec, struct wg_err *err) {
    if (spec->argv == NULL || !is_plain_absolute(spec->argv[0])) {
        return wg_fail(err, WG_EINVAL, "jail: argv[0] has to be an absolute path");
    }
    if (!is_plain_absolute(spec->workdir)) {
        return wg_fail(err, WG_EINVAL, "jail: the working folder has to be an absolute path");
    }
    for (size_t i = 0; spec->env != NULL && spec->env[i] != NULL; i++) {
        if (strchr(spec->env[i], '=') == NULL || spec->env[i][0] == '=') {
            return wg_fail(err, WG_EINVAL, "jail: '%s' is not NAME=value", spec->env[i]);
        }
    }
    enum wg_code code = check_binds(spec, err);
    if (code == WG_OK) {
        code = check_fds(spec, err);
    }
    return code == WG_OK ? check_limits(&spec->limits, err) : code;
}
