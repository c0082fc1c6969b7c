#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/jail/internal.h"

enum wg_code wg_jail_give(const char *path, struct wg_err *err) {
    if (geteuid() == 0 &&
        fchownat(AT_FDCWD, path, WG_JAIL_UID, WG_JAIL_UID, AT_SYMLINK_NOFOLLOW) != 0) {
        return wg_fail(err, WG_EIO, "give '%s' to the jail's user", path);
    }
    return WG_OK;
}

enum wg_code wg_jail_folder_make(char **out, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = NULL;
    enum wg_code code = wg_folder_make_temp("wavegrade-job", &path, err);
    if (code == WG_OK) {
        code = wg_jail_give(path, err);
        if (code != WG_OK) {
            rmdir(path);
        }
    }
    if (code == WG_OK) {
        *out = WG_TAKE(&path);
    }
    return code;
}

enum wg_code wg_jail_folder_remove(const char *path, struct wg_err *err) {
    return wg_folder_remove(path, err);
}

enum wg_code wg_jail_read_file(const char *folder, const char *name, size_t limit_bytes,
                               struct wg_buf *out, struct wg_err *err) {
    WG_CLEANUP(wg_closep) int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0) {
        return wg_fail(err, WG_EIO, "open folder '%s'", folder);
    }
    /* No link anywhere below the folder: jailed code could point it at our files. O_NONBLOCK: nor
     * may a fifo make us wait. */
    struct open_how how = {.flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV};
    WG_CLEANUP(wg_closep) int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof how);
    if (fd < 0) {
        switch (errno) {
        case ENOENT:
        case ENOTDIR:
            return wg_fail(err, WG_ENOTFOUND, "'%s' does not exist", name);
        case ELOOP:
        case EXDEV:
        case ENXIO: /* a socket */
            return wg_fail(err, WG_EPROTO, "'%s' is not a regular file", name);
        case EACCES: /* its maker may have locked it */
            return wg_fail(err, WG_EPROTO, "'%s' may not be read", name);
        default:
            return wg_fail(err, WG_EIO, "open '%s'", name);
        }
    }
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return wg_fail(err, WG_EIO, "stat '%s'", name);
    }
    if (!S_ISREG(st.st_mode)) {
        return wg_fail(err, WG_EPROTO, "'%s' is not a regular file", name);
    }
    if ((uint64_t)st.st_size > limit_bytes) {
        return wg_fail(err, WG_ELIMIT, "'%s' has %lld bytes, more than the limit of %zu", name,
                       (long long)st.st_size, limit_bytes);
    }
    size_t left = (size_t)st.st_size;
    char chunk[16384];
    while (left > 0) {
        ssize_t got = read(fd, chunk, left < sizeof chunk ? left : sizeof chunk);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return wg_fail(err, WG_EIO, "read '%s'", name);
        }
        if (got == 0) {
            break;
        }
        wg_buf_add(out, chunk, (size_t)got);
        left -= (size_t)got;
    }
    wg_buf_add(out, "", 0);
    return WG_OK;
}
