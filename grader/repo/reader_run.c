/* One reading from beginning to end, and libgit2's settings for it: all of the reader but its
 * process, so that the fuzzers drive what really runs.
 *
 * Nothing of the machine's or the user's git configuration is read (it could rewrite URLs, name
 * credential helpers or proxies), nothing is checked out, and so no hook, filter or submodule of
 * the student's is ever run. */
#include <stdlib.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/repo/reader.h"

#define OBJECT_LIMIT       2000000
#define CACHE_LIMIT_BYTES  ((ssize_t)64 << 20)
#define WINDOW_BYTES       (32U << 20)
#define MAPPED_LIMIT_BYTES (512U << 20)

const char *wg_reader_git_words(void) {
    const git_error *last = git_error_last();
    return last == NULL || last->message == NULL ? "unknown error" : last->message;
}

void wg_reader_configure_git(const char *workspace) {
    /* One folder only has to stay findable: libgit2 looks for ~/.ssh/known_hosts in the "global"
     * configuration path. The workspace gets a link to the user's .ssh, and nothing else. */
    const char *home = getenv("HOME");
    if (home != NULL && home[0] == '/') {
        WG_CLEANUP(wg_freep) char *ssh = wg_path_join(home, ".ssh");
        WG_CLEANUP(wg_freep) char *link = wg_path_join(workspace, ".ssh");
        symlink(ssh,
                link); /* NOLINT(bugprone-unused-return-value): an ssh fetch tells if it fails */
    }
    git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_PROGRAMDATA, "");
    git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_SYSTEM, "");
    git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_XDG, "");
    git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_GLOBAL, workspace);
    /* git's refusal of other people's repositories protects against hooks and configured commands,
     * none of which are run here; and graders read repositories that belong to students. */
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    git_libgit2_opts(GIT_OPT_SET_PACK_MAX_OBJECTS, (size_t)OBJECT_LIMIT);
    git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, CACHE_LIMIT_BYTES);
    /* Packs are mapped piece by piece, so that even a large one fits the memory limit. */
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, (size_t)WINDOW_BYTES);
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, (size_t)MAPPED_LIMIT_BYTES);
    /* What does not matter here, or is told of where it does (reader_tree.c), but makes libgit2
     * refuse the repository. */
    const char *extensions[] = {"worktreeconfig", "partialclone"};
    git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions, sizeof extensions / sizeof extensions[0]);
    const char *file = getenv("SSL_CERT_FILE"), *folder = getenv("SSL_CERT_DIR");
    if (file != NULL || folder != NULL) {
        git_libgit2_opts(GIT_OPT_SET_SSL_CERT_LOCATIONS, file, folder);
    }
}

enum wg_code wg_reader_read(struct wg_reader *reader) {
    struct wg_submission *out = reader->out;
    out->file_index = -1;
    out->repository = wg_location_shown(reader->request->location);
    enum wg_code code = wg_location_kind(reader->request->location) == WG_LOCATION_PATH
                            ? wg_reader_open_path(reader)
                            : wg_reader_fetch(reader);
    if (code == WG_OK && out->verdict == WG_VERDICT_PASS) {
        code = wg_reader_resolve(reader);
    }
    if (code == WG_OK && out->verdict == WG_VERDICT_PASS) {
        code = wg_reader_find_file(reader);
    }
    return code;
}
