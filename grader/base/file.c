#include "grader/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/temp.h"

void wg_closep(int *fd) {
    if (*fd >= 0) {
        int saved = errno;
        close(*fd);
        errno = saved;
        *fd = -1;
    }
}

char *wg_path_join(const char *dir, const char *name) {
    size_t len = strlen(dir);
    while (len > 0 && dir[len - 1] == '/') {
        len--;
    }
    while (*name == '/') {
        name++;
    }
    return wg_strf("%.*s/%s", (int)len, dir, name);
}

bool wg_path_climbs(const char *path) {
    while (*path != '\0') {
        size_t len = strcspn(path, "/");
        if (len == 2 && memcmp(path, "..", 2) == 0) {
            return true;
        }
        path += len;
        path += strspn(path, "/");
    }
    return false;
}

bool wg_file_exists(const char *path) {
    return access(path, F_OK) == 0;
}

bool wg_file_is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static enum wg_code fail_at_folder(const char *path, struct wg_err *err) {
    return wg_fail(err, WG_EINVAL, "'%s' is a folder; a file is wanted", path);
}

enum wg_code wg_file_read(const char *path, size_t limit_bytes, struct wg_buf *out,
                          struct wg_err *err) {
    /* O_NONBLOCK: opening a fifo must not wait for a writer. */
    WG_CLEANUP(wg_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return wg_fail(err, errno == ENOENT || errno == ENOTDIR ? WG_ENOTFOUND : WG_EIO,
                       errno == ENOENT || errno == ENOTDIR ? "'%s' does not exist" : "open '%s'",
                       path);
    }
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return wg_fail(err, WG_EIO, "stat '%s'", path);
    }
    if (S_ISDIR(st.st_mode)) {
        return fail_at_folder(path, err);
    }
    if (!S_ISREG(st.st_mode)) {
        errno = EINVAL;
        return wg_fail(err, WG_EIO, "read '%s', which is not a regular file", path);
    }
    if (st.st_size > 0 && (uint64_t)st.st_size > limit_bytes) {
        return wg_fail(err, WG_ELIMIT, "'%s' has %lld bytes, more than the limit of %zu", path,
                       (long long)st.st_size, limit_bytes);
    }
    /* To the end, not to st_size: files of /proc say 0, and a file may grow meanwhile. */
    size_t before = out->len;
    char chunk[16384];
    for (;;) {
        ssize_t got = read(fd, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return wg_fail(err, WG_EIO, "read '%s'", path);
        }
        if (got == 0) {
            wg_buf_add(out, "", 0); /* an empty file still gives a string */
            return WG_OK;
        }
        if ((size_t)got > limit_bytes - (out->len - before)) {
            return wg_fail(err, WG_ELIMIT, "'%s' is larger than the limit of %zu bytes", path,
                           limit_bytes);
        }
        wg_buf_add(out, chunk, (size_t)got);
    }
}

static bool write_all(int fd, const char *bytes, size_t len) {
    while (len > 0) {
        ssize_t put = write(fd, bytes, len);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return false;
        }
        bytes += put;
        len -= (size_t)put;
    }
    return true;
}

/* Not mkstemp: it would force mode 0600 and take the umask out of the game. Heap: its name. */
static char *create_beside(const char *path, mode_t mode, int *fd) {
    static atomic_uint counter;
    char *temp = NULL;
    do {
        free(temp);
        temp = wg_strf("%s.tmp-%d-%u", path, (int)getpid(), atomic_fetch_add(&counter, 1));
        *fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    } while (*fd < 0 && errno == EEXIST);
    return temp;
}

/* A file without a name, which is gone when its writer is killed. -1: not on this file system. */
static int create_nameless(const char *path, mode_t mode) {
    const char *slash = strrchr(path, '/');
    WG_CLEANUP(wg_freep)
    char *folder = slash == NULL ? wg_strdup(".") : wg_strf("%.*s/", (int)(slash - path), path);
    return open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
}

static bool link_to(int fd, const char *name) {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Gives the written, nameless file its name. A link cannot take the place of a file, a rename can.
 */
static bool publish(int fd, const char *path) {
    if (link_to(fd, path)) {
        return true;
    }
    if (errno != EEXIST) {
        return false;
    }
    WG_CLEANUP(wg_closep) int unused = -1;
    WG_CLEANUP(wg_freep) char *temp = create_beside(path, 0600, &unused);
    if (unused < 0 || unlink(temp) != 0 || !link_to(fd, temp)) {
        return false;
    }
    if (rename(temp, path) != 0) {
        int saved = errno;
        unlink(temp);
        errno = saved;
        return false;
    }
    return true;
}

/* ---- What is written to and not replaced ---- */

/* N of /dev/fd/N and its other names; -1: another path. */
static int stream_number(const char *path) {
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(path, names[i]) == 0) {
            return (int)i;
        }
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        size_t len = strlen(folders[i]);
        if (strncmp(path, folders[i], len) != 0) {
            continue;
        }
        const char *digits = path + len;
        size_t count = strspn(digits, "0123456789");
        if (count > 0 && count < 9 && digits[count] == '\0') {
            return (int)strtol(digits, NULL, 10);
        }
    }
    return -1;
}

/* The standard stream that this file is open as: what it holds must stay. -1: none. */
static int stream_at(const char *path) {
    struct stat file;
    if (stat(path, &file) != 0) {
        return -1;
    }
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat stream;
        int flags = fcntl(fd, F_GETFL);
        if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fstat(fd, &stream) == 0 &&
            stream.st_dev == file.st_dev && stream.st_ino == file.st_ino) {
            return fd;
        }
    }
    return -1;
}

/* Our own descriptors close on exec; those that a shell opened for us do not. */
static bool is_given(int fd) {
    int flags = fcntl(fd, F_GETFD);
    if (flags < 0 || (flags & FD_CLOEXEC) != 0) {
        errno = EBADF;
        return false;
    }
    return true;
}

static enum wg_code write_stream(int fd, const char *path, const void *bytes, size_t len,
                                 struct wg_err *err) {
    bool is_ready = is_given(fd) && (fd != STDOUT_FILENO || fflush(stdout) == 0);
    return is_ready && write_all(fd, bytes, len) ? WG_OK : wg_fail(err, WG_EIO, "write '%s'", path);
}

/* A device, a fifo. */
static bool is_special(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static enum wg_code write_special(const char *path, const void *bytes, size_t len,
                                  struct wg_err *err) {
    WG_CLEANUP(wg_closep) int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 || !write_all(fd, bytes, len)) {
        return wg_fail(err, WG_EIO, "write '%s'", path);
    }
    return WG_OK;
}

static enum wg_code replace_file(const char *path, const void *bytes, size_t len, mode_t mode,
                                 struct wg_err *err) {
    /* Behind a symbolic link the file itself is replaced, and the link stays. */
    WG_CLEANUP(wg_freep) char *target = realpath(path, NULL);
    path = target == NULL ? path : target;
    WG_CLEANUP(wg_freep) char *temp = NULL;
    WG_CLEANUP(wg_closep) int fd = create_nameless(path, mode);
    if (fd < 0) {
        temp = create_beside(path, mode, &fd);
    }
    if (fd < 0) {
        return wg_fail(err, WG_EIO, "create '%s'", path);
    }
    /* fsync first: without it a power failure may leave the new name with no contents. */
    bool done = write_all(fd, bytes, len) && fsync(fd) == 0;
    if (done && temp == NULL) {
        done = publish(fd, path);
    } else if (done) {
        done = rename(temp, path) == 0;
    }
    if (!done) {
        enum wg_code code = wg_fail(err, WG_EIO, "write '%s'", path);
        if (temp != NULL) {
            unlink(temp);
        }
        return code;
    }
    return WG_OK;
}

enum wg_code wg_file_write(const char *path, const void *bytes, size_t len, mode_t mode,
                           struct wg_err *err) {
    int number = stream_number(path);
    int stream = number >= 0 ? number : stream_at(path);
    if (stream >= 0) {
        return write_stream(stream, path, bytes, len, err);
    }
    if (wg_file_is_folder(path)) {
        return fail_at_folder(path, err);
    }
    return is_special(path) ? write_special(path, bytes, len, err)
                            : replace_file(path, bytes, len, mode, err);
}

enum wg_code wg_folder_make(const char *path, mode_t mode, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *part = wg_strdup(path);
    for (char *slash = part; slash != NULL;) {
        slash = slash[0] == '\0' ? NULL : strchr(slash + 1, '/');
        if (slash != NULL) {
            *slash = '\0';
        }
        if (mkdir(part, mode) != 0 && errno != EEXIST) {
            int saved = errno;
            if (!wg_file_is_folder(part)) {
                errno = saved;
                return wg_fail(err, WG_EIO, "make folder '%s'", part);
            }
        }
        if (slash != NULL) {
            *slash = '/';
        }
    }
    if (!wg_file_is_folder(path)) {
        errno = ENOTDIR;
        return wg_fail(err, WG_EIO, "make folder '%s'", path);
    }
    return WG_OK;
}

/* Removing a tree that a student's program may have made.
 *
 * Recursion would hold one descriptor a level, and a hostile tree can be deeper than any limit on
 * those, or than PATH_MAX. So the tree is flattened instead: each folder found directly below the
 * root has its files unlinked and its own folders renamed up to the root, after which it is empty.
 * Every folder moves at most once, and two descriptors are enough. Nothing is opened through a
 * symbolic link. */

/* A folder that its maker locked (mode 0) is opened up; its owner, or root, may do that. */
static void unlock_folder(int parent, const char *name) {
    WG_CLEANUP(wg_closep)
    int fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
        char self[64];
        snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
        chmod(self, 0700); /* NOLINT(bugprone-unused-return-value): the retry reports */
    }
}

static bool is_dot(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* *fd_out is the descriptor that the DIR owns. */
static DIR *open_folder(int parent, const char *name, int *fd_out) {
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES) {
        unlock_folder(parent, name);
        fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (dir == NULL) {
        wg_closep(&fd);
    }
    *fd_out = fd;
    return dir;
}

static void closedirp(DIR **dir) {
    if (*dir != NULL) {
        int saved = errno;
        closedir(*dir);
        errno = saved;
    }
}

/* Moves folder dir/name to the root under a name that is free. */
static bool lift_folder(int root, int dir, const char *name, unsigned *counter) {
    for (int tries = 0; tries < 100000; tries++) {
        char lifted[32];
        snprintf(lifted, sizeof lifted, "wg-lifted-%u", (*counter)++);
        if (renameat2(dir, name, root, lifted, RENAME_NOREPLACE) == 0) {
            return true;
        }
        if (errno == EACCES) {
            unlock_folder(dir, name); /* moving a folder writes its ".." */
        } else if (errno != EEXIST) {
            return false;
        }
    }
    return false;
}

static bool remove_entry(int root, const char *name, dev_t device, unsigned *counter) {
    if (unlinkat(root, name, 0) == 0 || unlinkat(root, name, AT_REMOVEDIR) == 0) {
        return true;
    }
    if (errno != ENOTEMPTY && errno != EEXIST && errno != EACCES) {
        return false;
    }
    int fd = -1;
    WG_CLEANUP(closedirp) DIR *dir = open_folder(root, name, &fd);
    struct stat st;
    if (dir == NULL || fstat(fd, &st) != 0) {
        return false;
    }
    if (st.st_dev != device) {
        errno = EXDEV;
        return false;
    }
    fchmod(fd, 0700); /* NOLINT(bugprone-unused-return-value): unlinkat reports */
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        if (is_dot(entry->d_name) || unlinkat(fd, entry->d_name, 0) == 0 ||
            unlinkat(fd, entry->d_name, AT_REMOVEDIR) == 0) {
            continue;
        }
        if (!lift_folder(root, fd, entry->d_name, counter)) {
            return false;
        }
    }
    /* A file system may skip entries while others are removed: then the next pass comes back. */
    return unlinkat(root, name, AT_REMOVEDIR) == 0 || errno == ENOTEMPTY || errno == EEXIST;
}

enum wg_code wg_folder_remove(const char *path, struct wg_err *err) {
    int fd = -1;
    WG_CLEANUP(closedirp) DIR *root = open_folder(AT_FDCWD, path, &fd);
    if (root == NULL) {
        if (errno == ENOENT || ((errno == ENOTDIR || errno == ELOOP) && unlink(path) == 0)) {
            return WG_OK;
        }
        return wg_fail(err, WG_EIO, "open folder '%s' to remove it", path);
    }
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return wg_fail(err, WG_EIO, "stat '%s'", path);
    }
    fchmod(fd, 0700); /* NOLINT(bugprone-unused-return-value): unlinkat reports */
    unsigned counter = 0;
    bool more = true;
    while (more) {
        more = false;
        rewinddir(root);
        const struct dirent *entry;
        while ((entry = readdir(root)) != NULL) {
            if (is_dot(entry->d_name)) {
                continue;
            }
            more = true;
            if (!remove_entry(fd, entry->d_name, st.st_dev, &counter)) {
                return wg_fail(err, WG_EIO, "remove '%s/%s'", path, entry->d_name);
            }
        }
    }
    if (rmdir(path) != 0) {
        return wg_fail(err, WG_EIO, "remove '%s'", path);
    }
    wg_temp_forget(path);
    return WG_OK;
}
