/* What of a local repository is closed to whoever grades: their own right to read is nothing that a
 * student answers for. The reader process cannot tell this from its own confinement, so that the
 * grader looks for itself. Links are left to the reader: they may lead to what is nobody's matter.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/repo/internal.h"

#define MAX_DEPTH   16
#define MAX_ENTRIES 50000
#define LINK_BYTES  4096

enum wg_code wg_access_fail(const char *path, struct wg_err *err) {
    errno = EACCES;
    return wg_fail(err, WG_EIO,
                   "'%.120s' is closed to the grader's user, who needs the right to read it", path);
}

static enum wg_code need(const char *path, int rights, struct wg_err *err) {
    return faccessat(AT_FDCWD, path, rights, AT_EACCESS) != 0 && errno == EACCES
               ? wg_access_fail(path, err)
               : WG_OK;
}

enum wg_code wg_access_check_way(const char *path, struct wg_err *err) {
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        WG_CLEANUP(wg_freep) char *folder = wg_strf("%.*s", (int)(slash - path), path);
        enum wg_code code = folder[0] == '\0' ? WG_OK : need(folder, X_OK, err);
        if (code != WG_OK) {
            return code;
        }
    }
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? need(path, X_OK, err) : WG_OK;
}

static enum wg_code check_tree(const char *path, int depth, size_t *budget, struct wg_err *err) {
    struct stat st;
    if (*budget == 0 || depth == MAX_DEPTH || lstat(path, &st) != 0 || S_ISLNK(st.st_mode)) {
        return WG_OK;
    }
    --*budget;
    if (!S_ISDIR(st.st_mode)) {
        return S_ISREG(st.st_mode) ? need(path, R_OK, err) : WG_OK;
    }
    enum wg_code code = need(path, R_OK | X_OK, err);
    DIR *dir = code == WG_OK ? opendir(path) : NULL;
    const struct dirent *entry;
    while (code == WG_OK && *budget > 0 && dir != NULL && (entry = readdir(dir)) != NULL) {
        /* What git left unfinished ("tmp_obj_...") is no part of the repository. */
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, "tmp_", 4) != 0) {
            WG_CLEANUP(wg_freep) char *inner = wg_path_join(path, entry->d_name);
            code = check_tree(inner, depth + 1, budget, err);
        }
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return code;
}

/* A .git that is a file names what the worktree's repository keeps of it. */
static enum wg_code check_worktree(const char *git_file, struct wg_err *err) {
    static const char prefix[] = "gitdir: ";
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    struct wg_err ignored = {0};
    enum wg_code code = need(git_file, R_OK, err);
    if (code != WG_OK || wg_file_read(git_file, LINK_BYTES, &text, &ignored) != WG_OK ||
        strncmp(wg_buf_str(&text), prefix, sizeof prefix - 1) != 0) {
        return code;
    }
    char *name = text.data + sizeof prefix - 1;
    name[strcspn(name, "\r\n")] = '\0';
    return name[0] == '/' && strstr(name, "/worktrees/") != NULL ? wg_access_check_way(name, err)
                                                                 : WG_OK;
}

/* Heap: the folder with HEAD and objects, whether or not it may be looked into. */
static char *git_folder(const char *path) {
    struct stat st;
    WG_CLEANUP(wg_freep) char *inside = wg_path_join(path, ".git");
    return lstat(inside, &st) == 0 ? WG_TAKE(&inside) : wg_strdup(path);
}

enum wg_code wg_access_check_repository(const char *path, bool with_objects, struct wg_err *err) {
    static const char *const parts[] = {"HEAD", "config", "packed-refs", "refs", "objects"};
    enum wg_code code = wg_access_check_way(path, err);
    WG_CLEANUP(wg_freep) char *folder = git_folder(path);
    struct stat st = {0};
    if (code != WG_OK || lstat(folder, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return S_ISREG(st.st_mode) ? check_worktree(folder, err) : code;
    }
    code = need(folder, X_OK, err);
    size_t budget = MAX_ENTRIES;
    for (size_t i = 0; code == WG_OK && i < sizeof parts / sizeof parts[0]; i++) {
        WG_CLEANUP(wg_freep) char *part = wg_path_join(folder, parts[i]);
        bool is_objects = strcmp(parts[i], "objects") == 0;
        if (!is_objects || with_objects) {
            code = check_tree(part, 0, &budget, err);
        } else if (lstat(part, &st) == 0 && S_ISDIR(st.st_mode)) {
            code = need(part, X_OK, err);
        }
    }
    return code;
}
