/* A plain working folder, as `wavegrade check .` reads it: no git, nothing committed.
 *
 * The folder may still be somebody else's (an instructor looks at a student's): links may not lead
 * out of it, and what is no regular file is not opened for reading. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "grader/repo/internal.h"

#define DEFAULT_FILE_BYTES ((int64_t)1 << 20)
#define MAX_DEPTH          6
#define MAX_ENTRIES        20000

/* Opens below dir; links are followed as long as they stay below it. */
static int open_beneath(int dir, const char *path, uint64_t flags) {
    struct open_how how = {.flags = flags | O_CLOEXEC,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    return (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
}

struct scan {
    struct wg_search search;
    size_t budget;
    bool is_repository; /* the top is one: another in it is not handed in with it */
    char *closed;       /* the first folder that may not be read; NULL: none */
};

static void scan_done(struct scan *scan) {
    wg_search_done(&scan->search);
    free(scan->closed);
}

static bool has_name(int dir, const char *name) {
    struct stat st;
    return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

static void scan_folder(struct scan *scan, int dir_fd, const char *prefix, int depth);

static void scan_inner(struct scan *scan, int fd, const char *path, int depth) {
    if (depth == MAX_DEPTH) {
        scan->search.cut = true;
    } else if (scan->is_repository && has_name(fd, ".git")) {
        wg_search_add_nested(&scan->search, path);
    } else {
        scan_folder(scan, fd, path, depth + 1);
        return;
    }
    close(fd);
}

static void scan_entry(struct scan *scan, int dir_fd, const char *name, const char *prefix,
                       int depth) {
    WG_CLEANUP(wg_freep)
    char *path = wg_strf("%s%s%s", prefix, prefix[0] == '\0' ? "" : "/", name);
    if (name[0] == '.') { /* ".git" and its like hold no hand-in */
        struct stat st;
        scan->search.skips_hidden |=
            strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, ".git") != 0 &&
            fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
        return;
    }
    int inner = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner >= 0) {
        scan_inner(scan, inner, path, depth);
        return;
    }
    if (errno == EACCES && scan->closed == NULL) {
        scan->closed = wg_strdup(path);
    }
    wg_search_add_file(&scan->search, path);
}

static void scan_folder(struct scan *scan, int dir_fd, const char *prefix, int depth) {
    DIR *dir = fdopendir(dir_fd); /* owns dir_fd from here */
    if (dir == NULL) {
        close(dir_fd);
        return;
    }
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        if (scan->budget == 0) {
            scan->search.cut = true;
            break;
        }
        --scan->budget;
        scan_entry(scan, dir_fd, entry->d_name, prefix, depth);
    }
    closedir(dir);
}

static void add_neighbours(struct wg_search *search, int top, const char *folder) {
    int fd = open_beneath(top, folder[0] == '\0' ? "." : folder, O_RDONLY | O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.') {
            wg_search_add_neighbour(search, entry->d_name);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
}

/* Heap: the path below the location, for sentences. */
static char *full_path(const struct wg_repo_request *request, const char *path) {
    return path[0] == '\0' ? wg_strdup(request->location) : wg_path_join(request->location, path);
}

static enum wg_code fail_closed(const struct wg_repo_request *request, const char *path,
                                struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *full = full_path(request, path);
    enum wg_code code = wg_access_check_way(full, err);
    return code != WG_OK ? code : wg_access_fail(full, err);
}

static enum wg_code explain_missing(const struct wg_repo_request *request, int top,
                                    const char *folder, struct wg_submission *out,
                                    struct wg_err *err) {
    WG_CLEANUP(scan_done)
    struct scan scan = {
        .search = {.request = request, .folder = folder, .where = "the folder"},
        .budget = MAX_ENTRIES,
        .is_repository = has_name(top, ".git"),
    };
    int fd = open_beneath(top, ".", O_RDONLY | O_DIRECTORY);
    if (fd >= 0) {
        scan_folder(&scan, fd, "", 0);
    } else if (errno == EACCES) {
        return fail_closed(request, "", err);
    }
    if (scan.closed != NULL && scan.search.sighting_count == 0) {
        return fail_closed(request, scan.closed, err);
    }
    add_neighbours(&scan.search, top, folder);
    wg_search_explain(&scan.search, out);
    return WG_OK;
}

static enum wg_code read_open_file(int fd, int64_t limit_bytes, struct wg_submission *out,
                                   struct wg_err *err) {
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return wg_fail(err, WG_EIO, "stat '%s'", out->path);
    }
    if (!S_ISREG(st.st_mode)) {
        out->file_index = -1;
        wg_submission_answer(out, WG_VERDICT_MISSING_FILE, "%s is %s, and has to be a file",
                             out->path, S_ISDIR(st.st_mode) ? "a folder" : "no ordinary file");
        return WG_OK;
    }
    if (st.st_size > limit_bytes) {
        wg_submission_answer_too_large(out, st.st_size, limit_bytes);
        return WG_OK;
    }
    /* Through /proc, as the file is open and checked: its name may mean another one by now. */
    WG_CLEANUP(wg_freep) char *self = wg_strf("/proc/self/fd/%d", fd);
    enum wg_code code = wg_file_read(self, (size_t)limit_bytes, &out->source, err);
    if (code == WG_OK) {
        wg_submission_judge_source(out);
    }
    return code;
}

static enum wg_code read_beneath(int top, int64_t limit_bytes, struct wg_submission *out,
                                 struct wg_err *err) {
    WG_CLEANUP(wg_closep) int fd = open_beneath(top, out->path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0) {
        return read_open_file(fd, limit_bytes, out, err);
    }
    if (errno == ENXIO) { /* a socket */
        out->file_index = -1;
        wg_submission_answer(out, WG_VERDICT_MISSING_FILE, "%s is not a regular file", out->path);
        return WG_OK;
    }
    if (errno != EXDEV && errno != ELOOP && errno != ENOENT) {
        return errno == EACCES ? wg_access_fail(out->path, err)
                               : wg_fail(err, WG_EIO, "open '%s'", out->path);
    }
    out->file_index = -1;
    wg_submission_answer(out, WG_VERDICT_MISSING_FILE,
                         "%s is a symbolic link that leads %s: use "
                         "the file itself",
                         out->path,
                         errno == EXDEV   ? "out of the folder"
                         : errno == ELOOP ? "in circles"
                                          : "nowhere");
    return WG_OK;
}

/* The one of the request's files that is in the folder. */
static enum wg_code take_file(const struct wg_repo_request *request, int top, const char *folder,
                              struct wg_submission *out, struct wg_err *err) {
    WG_CLEANUP(wg_closep)
    int dir = open_beneath(top, folder[0] == '\0' ? "." : folder, O_PATH | O_DIRECTORY);
    if (dir < 0 && errno == EACCES) {
        return fail_closed(request, folder, err);
    }
    int index = -1;
    for (size_t i = 0; dir >= 0 && i < request->file_count; i++) {
        if (!has_name(dir, request->files[i])) {
            if (errno == EACCES) {
                return fail_closed(request, folder, err);
            }
            continue;
        }
        if (index >= 0) {
            wg_submission_answer_several(out, request->files[index], request->files[i]);
            return WG_OK;
        }
        index = (int)i;
    }
    if (index < 0) {
        return explain_missing(request, top, folder, out, err);
    }
    out->file_index = index;
    out->path = wg_strf("%s%s%s", folder, folder[0] == '\0' ? "" : "/", request->files[index]);
    return read_beneath(top, request->limit_file_bytes, out, err);
}

/* The location is the file itself. With one assignment in question it may have any name. */
static enum wg_code take_location(const struct wg_repo_request *request, struct wg_submission *out,
                                  struct wg_err *err) {
    const char *slash = strrchr(request->location, '/');
    const char *name = slash == NULL ? request->location : slash + 1;
    int index = request->file_count == 1 ? 0 : -1;
    for (size_t i = 0; i < request->file_count; i++) {
        index = strcmp(name, request->files[i]) == 0 ? (int)i : index;
    }
    out->path = wg_text_clean(name, strlen(name), 255);
    if (index < 0) {
        wg_submission_answer(out, WG_VERDICT_MISSING_FILE,
                             "%s is not the name of an assignment's file: say which assignment is "
                             "meant with --assignment",
                             out->path);
        return WG_OK;
    }
    WG_CLEANUP(wg_closep)
    int fd = open(request->location, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        return wg_fail(err, WG_EIO, "open '%s'", request->location);
    }
    out->file_index = index;
    return read_open_file(fd, request->limit_file_bytes, out, err);
}

static enum wg_code read_location(const struct wg_repo_request *request, const char *folder,
                                  struct wg_submission *out, struct wg_err *err) {
    WG_CLEANUP(wg_closep) int top = open(request->location, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (top < 0 && errno == EACCES) {
        return fail_closed(request, "", err);
    }
    if (top >= 0) {
        return take_file(request, top, folder, out, err);
    }
    if (errno == ENOTDIR && wg_file_exists(request->location)) {
        return take_location(request, out, err);
    }
    if (errno != ENOENT && errno != ENOTDIR) {
        return wg_fail(err, WG_EIO, "open folder '%s'", request->location);
    }
    wg_submission_answer(out, WG_VERDICT_FETCH_ERROR, "there is no folder %s", out->repository);
    return WG_OK;
}

enum wg_code wg_repo_read_folder(const struct wg_repo_request *request, struct wg_submission *out,
                                 struct wg_err *err) {
    if (request->ref != NULL) {
        return wg_fail(err, WG_EINVAL,
                       "a plain folder has no branches or tags: leave the ref away");
    }
    enum wg_code code = wg_location_check_folder(request->folder, err);
    if (code != WG_OK) {
        return code;
    }
    WG_CLEANUP(wg_freep) char *folder = wg_folder_normalize(request->folder);
    wg_folder_drop_file(request, folder);
    struct wg_repo_request full = *request;
    if (full.limit_file_bytes <= 0) {
        full.limit_file_bytes = DEFAULT_FILE_BYTES;
    }
    struct wg_submission made = {.file_index = -1};
    made.repository = wg_text_clean(request->location, strlen(request->location), 500);
    code = read_location(&full, folder, &made, err);
    if (code != WG_OK) {
        wg_submission_done(&made);
        return code;
    }
    *out = made;
    return WG_OK;
}
