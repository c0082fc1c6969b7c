/* Temporary folders and their locks.
 *
 * Making a folder and locking it are two steps, and a sweep of another process may come between. It
 * then holds the lock itself while it removes the folder; so a maker that does not get the lock, or
 * whose folder is gone once it has it, makes another one. Locks and not process ids, since a folder
 * for temporary files may be shared by containers that count their processes by themselves. */
#include "grader/base/temp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"

enum { MAKE_TRIES = 100, OWNER_TRIES = 5000, REMOVE_TRIES = 2000 };

static const struct timespec moment = {.tv_nsec = 1000000};

struct held {
    char *path;
    int fd; /* with the lock */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct held *all;
static size_t count;

static const char *temp_base(void) {
    const char *base = getenv("TMPDIR");
    return base == NULL || base[0] != '/' ? "/tmp" : base;
}

/* Is this descriptor's folder still the one of that name? */
static bool is_there(int fd, const char *path) {
    struct stat ours;
    struct stat named;
    return fstat(fd, &ours) == 0 && lstat(path, &named) == 0 && ours.st_dev == named.st_dev &&
           ours.st_ino == named.st_ino;
}

/* -1: somebody else has the lock, or had it and has removed the folder. Where there are no locks
 * (some network file systems) nothing is ever swept either. */
static int open_locked(const char *path, int operation, bool needs_lock) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool is_locked = fd >= 0 && flock(fd, operation | LOCK_NB) == 0;
    if (fd >= 0 && ((!is_locked && (needs_lock || errno == EWOULDBLOCK)) || !is_there(fd, path))) {
        wg_closep(&fd);
    }
    return fd;
}

static void hold(const char *path, int fd) {
    pthread_mutex_lock(&lock);
    all = wg_realloc(all, count + 1, sizeof *all);
    all[count++] = (struct held){.path = wg_strdup(path), .fd = fd};
    pthread_mutex_unlock(&lock);
}

enum wg_code wg_folder_make_temp(const char *prefix, char **out, struct wg_err *err) {
    for (int i = 0; i < MAKE_TRIES; i++) {
        WG_CLEANUP(wg_freep) char *path = wg_strf("%s/%s.XXXXXX", temp_base(), prefix);
        if (mkdtemp(path) == NULL) {
            return wg_fail(err, WG_EIO, "make a temporary folder in '%s'", temp_base());
        }
        int fd = open_locked(path, LOCK_SH, false);
        if (fd >= 0) {
            hold(path, fd);
            *out = WG_TAKE(&path);
            return WG_OK;
        }
    }
    return wg_fail(err, WG_EIO, "lock a temporary folder in '%s'", temp_base());
}

void wg_temp_forget(const char *path) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(all[i].path, path) == 0) {
            free(all[i].path);
            close(all[i].fd);
            all[i] = all[--count];
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

static bool is_ours(const char *name) {
    const char *dot = strrchr(name, '.');
    return strncmp(name, WG_TEMP_PREFIX, strlen(WG_TEMP_PREFIX)) == 0 && dot != NULL &&
           strlen(dot) == strlen(".XXXXXX");
}

void wg_temp_sweep(void) {
    DIR *dir = opendir(temp_base());
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (!is_ours(entry->d_name)) {
            continue;
        }
        WG_CLEANUP(wg_freep) char *path = wg_path_join(temp_base(), entry->d_name);
        WG_CLEANUP(wg_closep) int fd = open_locked(path, LOCK_EX, true);
        if (fd >= 0) {
            (void)wg_folder_remove(path, NULL); /* what cannot be removed is not this user's */
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
}

/* Runs in the fork, alone: other threads are gone, and their locks with them. */
static void remove_after(pid_t owner) {
    for (int i = 0; i < OWNER_TRIES && getppid() == owner; i++) {
        nanosleep(&moment, NULL);
    }
    while (count > 0) {
        WG_CLEANUP(wg_freep) char *path = wg_strdup(all[count - 1].path);
        /* A process that is being killed may still make files in it. */
        for (int i = 0; i < REMOVE_TRIES && wg_folder_remove(path, NULL) != WG_OK; i++) {
            nanosleep(&moment, NULL);
        }
        wg_temp_forget(path);
    }
}

void wg_temp_remove_at_end(void) {
    pid_t owner = getpid();
    pthread_mutex_lock(&lock); /* so that the list is whole in the fork */
    pid_t janitor = count == 0 ? -1 : fork();
    pthread_mutex_unlock(&lock);
    if (janitor != 0) {
        return;
    }
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        signal(signals[i], SIG_IGN);
    }
    /* Whoever reads our output shall see its end. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        close(fd);
    }
    remove_after(owner);
    _exit(0);
}
