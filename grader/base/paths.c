#include "grader/base/paths.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"

static char *libexec_folder, *share_folder, *cache_folder;

/* Resolves PREFIX/{libexec,share}/wavegrade; false when it is not such a prefix. */
static bool take_prefix(const char *prefix) {
    WG_CLEANUP(wg_freep) char *libexec = wg_path_join(prefix, "libexec/wavegrade");
    WG_CLEANUP(wg_freep) char *share = wg_path_join(prefix, "share/wavegrade");
    WG_CLEANUP(wg_freep) char *real_libexec = realpath(libexec, NULL);
    WG_CLEANUP(wg_freep) char *real_share = realpath(share, NULL);
    if (real_libexec == NULL || real_share == NULL) {
        return false;
    }
    free(libexec_folder);
    free(share_folder);
    libexec_folder = WG_TAKE(&real_libexec);
    share_folder = WG_TAKE(&real_share);
    return true;
}

enum wg_code wg_paths_init(struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *exe = realpath("/proc/self/exe", NULL);
    if (exe == NULL) {
        return wg_fail(err, WG_EIO, "find the program's own path (is /proc mounted?)");
    }
    char *slash = strrchr(exe, '/');
    slash[slash == exe ? 1 : 0] = '\0';
    WG_CLEANUP(wg_freep) char *parent = wg_path_join(exe, "..");
    if (take_prefix(exe) || take_prefix(parent)) {
        return WG_OK;
    }
    return wg_fail(err, WG_ENOTFOUND,
                   "the installation is incomplete: neither '%s' nor the folder above it has "
                   "libexec/wavegrade and share/wavegrade; install again",
                   exe);
}

const char *wg_paths_libexec(void) {
    return libexec_folder;
}

const char *wg_paths_share(void) {
    return share_folder;
}

enum wg_code wg_paths_cache(const char **out, struct wg_err *err) {
    if (cache_folder == NULL) {
        /* The XDG specification asks for a relative value to be ignored. */
        const char *base = getenv("XDG_CACHE_HOME");
        WG_CLEANUP(wg_freep) char *path = NULL;
        if (base != NULL && base[0] == '/') {
            path = wg_path_join(base, "wavegrade");
        } else {
            const char *home = getenv("HOME");
            if (home == NULL || home[0] != '/') {
                const struct passwd *user = getpwuid(getuid());
                home = user != NULL ? user->pw_dir : NULL;
            }
            if (home == NULL || home[0] != '/') {
                errno = ENOENT;
                return wg_fail(err, WG_EIO, "find a cache folder (set XDG_CACHE_HOME)");
            }
            path = wg_path_join(home, ".cache/wavegrade");
        }
        enum wg_code code = wg_folder_make(path, 0700, err);
        if (code != WG_OK) {
            return code;
        }
        cache_folder = realpath(path, NULL);
        if (cache_folder == NULL) {
            return wg_fail(err, WG_EIO, "resolve '%s'", path);
        }
    }
    *out = cache_folder;
    return WG_OK;
}
