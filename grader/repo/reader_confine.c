/* What the reader may open of this machine's files while it reads a local repository: that
 * repository.
 *
 * Git follows what a repository says about where its parts are (a .git file, commondir, alternates,
 * symbolic links). Whoever grades may read more than the student who wrote that: other students'
 * work, for one. Landlock holds the whole process to the folder that was named; and, for a
 * worktree, to the repository that says of itself that this is one of its worktrees. Kernels
 * without Landlock (before 5.13) are as open as git is. */
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/repo/reader.h"

#define LINK_BYTES 4096

static const uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static const uint64_t handled =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE |
    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
    LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
    LANDLOCK_ACCESS_FS_MAKE_SYM;

/* Heap: the folder that a small file below folder names, without links; NULL: it names none. */
static char *named_folder(const char *folder, const char *file, const char *prefix) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(folder, file);
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    struct wg_err ignored = {0};
    if (wg_file_read(path, LINK_BYTES, &text, &ignored) != WG_OK ||
        strncmp(wg_buf_str(&text), prefix, strlen(prefix)) != 0) {
        return NULL;
    }
    char *name = text.data + strlen(prefix);
    name[strcspn(name, "\r\n")] = '\0';
    WG_CLEANUP(wg_freep)
    char *joined = name[0] == '/' ? wg_strdup(name) : wg_path_join(folder, name);
    return realpath(joined, NULL);
}

/* Heap: the repository that a worktree belongs to. Both sides have to say so: the worktree's .git
 * names a folder below REPOSITORY/worktrees, and that names the worktree. */
static char *repository_of_worktree(const char *top) {
    WG_CLEANUP(wg_freep) char *metadata = named_folder(top, ".git", "gitdir: ");
    WG_CLEANUP(wg_freep)
    char *common = metadata == NULL ? NULL : named_folder(metadata, "commondir", "");
    WG_CLEANUP(wg_freep)
    char *back = metadata == NULL ? NULL : named_folder(metadata, "gitdir", "");
    WG_CLEANUP(wg_freep) char *git_file = wg_path_join(top, ".git");
    if (common == NULL || back == NULL || strcmp(back, git_file) != 0) {
        return NULL;
    }
    WG_CLEANUP(wg_freep) char *worktrees = wg_strf("%s/worktrees/", common);
    return strncmp(metadata, worktrees, strlen(worktrees)) == 0 ? WG_TAKE(&common) : NULL;
}

static bool allow(int ruleset, const char *path) {
    struct landlock_path_beneath_attr beneath = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE};
    WG_CLEANUP(wg_closep) int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat st;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        beneath.allowed_access =
            reading; /* of a plain file, which is no repository, it is refused */
    }
    beneath.parent_fd = fd;
    return fd >= 0 &&
           syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
}

void wg_reader_confine(const char *path) {
    const struct landlock_ruleset_attr rules = {.handled_access_fs = handled};
    WG_CLEANUP(wg_freep) char *top = realpath(path, NULL);
    WG_CLEANUP(wg_closep)
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (top == NULL || ruleset < 0) {
        return;
    }
    WG_CLEANUP(wg_freep) char *repository = repository_of_worktree(top);
    if (!allow(ruleset, top) || (repository != NULL && !allow(ruleset, repository)) ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) {
        _exit(1); /* the grader says that the reader gave no answer */
    }
}
