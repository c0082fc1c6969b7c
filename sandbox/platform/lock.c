#include "sandbox/platform/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"

const char *wg_device_lock_folder(void) {
    static const char shared[] = "/run/lock";
    struct stat status;
    bool is_for_all = stat(shared, &status) == 0 && S_ISDIR(status.st_mode) &&
                      (status.st_mode & (S_IWOTH | S_ISVTX)) == (S_IWOTH | S_ISVTX);
    return is_for_all ? shared : "/tmp";
}

/* Reading is enough to lock, and a file of another user in such a folder cannot be opened with
 * O_CREAT. */
static int open_lock(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) {
        fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (fd >= 0) {
            (void)fchmod(fd, 0644); /* whatever the umask says */
        }
    }
    return fd;
}

static int lock(int fd, int operation) {
    int result;
    do {
        result = flock(fd, operation);
    } while (result != 0 && errno == EINTR);
    return result;
}

enum wg_code wg_device_lock(const char *folder, const char *platform, const char *address,
                            bool alone, void (*waiting)(void *ctx), void *ctx, int *fd,
                            struct wg_err *err) {
    WG_CLEANUP(wg_freep)
    char *path = wg_strf("%s/wavegrade-%s-%s.lock", folder, platform, address);
    for (char *c = path + strlen(folder) + 1; *c; c++) {
        *c = *c == '/' || *c == ':' ? '-' : *c;
    }
    int opened = open_lock(path);
    if (opened < 0) {
        return wg_fail(err, WG_EIO, "open the device's lock '%.150s'", path);
    }
    int operation = alone ? LOCK_EX : LOCK_SH;
    if (lock(opened, operation | LOCK_NB) != 0) {
        if (waiting != NULL) {
            waiting(ctx);
        }
        if (lock(opened, operation) != 0) {
            wg_fail(err, WG_EIO, "wait for the device's lock '%.150s'", path);
            close(opened);
            return WG_EIO;
        }
    }
    *fd = opened;
    return WG_OK;
}
