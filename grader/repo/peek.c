/* A look at a local repository without git: whether a branch still is the commit that is known.
 *
 * Starting the reader takes longer than all else about a submission that has not changed. Only the
 * two plain ways to write a branch down are understood, a loose file and packed-refs; whatever else
 * there is (worktrees, symbolic branches, reftables, tags) is left to the reader, and so is
 * everything that is not the known commit. */
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/repo/internal.h"

#define REF_LIMIT_BYTES    ((size_t)4096)
#define PACKED_LIMIT_BYTES ((size_t)4 << 20)
#define HEX_DIGITS         40

static bool read_small(const char *folder, const char *name, size_t limit, struct wg_buf *out) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(folder, name);
    struct wg_err ignored = {0};
    return wg_file_read(path, limit, out, &ignored) == WG_OK;
}

/* Heap: the folder with HEAD and objects; NULL: not found at once. */
static char *find_git_folder(const char *path) {
    static const char *const places[] = {".git", "."};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        WG_CLEANUP(wg_freep) char *folder = wg_path_join(path, places[i]);
        WG_CLEANUP(wg_freep) char *objects = wg_path_join(folder, "objects");
        if (wg_file_is_folder(objects)) {
            return WG_TAKE(&folder);
        }
    }
    return NULL;
}

/* Heap: "refs/heads/main"; NULL: not plainly a branch. */
static char *branch_name(const char *folder, const char *ref) {
    static const char symbolic[] = "ref: refs/heads/";
    WG_CLEANUP(wg_buf_done) struct wg_buf head = {0};
    const char *name = ref;
    if (ref == NULL) {
        if (!read_small(folder, "HEAD", REF_LIMIT_BYTES, &head) ||
            strncmp(wg_buf_str(&head), symbolic, sizeof symbolic - 1) != 0) {
            return NULL;
        }
        head.data[strcspn(head.data, "\r\n")] = '\0';
        name = head.data + sizeof symbolic - 1;
    }
    bool is_plain = name[0] != '\0' && name[0] != '/' && name[0] != '.' &&
                    strstr(name, "..") == NULL && strstr(name, "//") == NULL &&
                    strncmp(name, "refs/", 5) != 0 && strcmp(name, "HEAD") != 0;
    return is_plain ? wg_strf("refs/heads/%s", name) : NULL;
}

static bool is_line(const char *text, const char *commit, const char *rest) {
    size_t len = strlen(rest);
    return strncmp(text, commit, HEX_DIGITS) == 0 && strncmp(text + HEX_DIGITS, rest, len) == 0 &&
           strchr("\r\n", text[HEX_DIGITS + len]) != NULL; /* the end counts as well */
}

/* Whether a tag has the name, which then comes before the branch. */
static bool has_tag(const char *folder, const char *name) {
    WG_CLEANUP(wg_freep) char *loose = wg_strf("%s/refs/tags/%s", folder, name);
    WG_CLEANUP(wg_freep) char *line = wg_strf(" refs/tags/%s\n", name);
    WG_CLEANUP(wg_buf_done) struct wg_buf packed = {0};
    return wg_file_exists(loose) ||
           (read_small(folder, "packed-refs", PACKED_LIMIT_BYTES, &packed) &&
            strstr(wg_buf_str(&packed), line) != NULL);
}

static bool is_packed(const char *folder, const char *branch, const char *commit) {
    WG_CLEANUP(wg_buf_done) struct wg_buf packed = {0};
    if (!read_small(folder, "packed-refs", PACKED_LIMIT_BYTES, &packed)) {
        return false;
    }
    WG_CLEANUP(wg_freep) char *rest = wg_strf(" %s", branch);
    for (const char *line = packed.data; line != NULL && *line != '\0';) {
        if (is_line(line, commit, rest)) {
            return true;
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return false;
}

bool wg_repo_peek(const struct wg_repo_request *request) {
    const char *known = request->known_commit;
    if (known == NULL || strlen(known) != HEX_DIGITS ||
        wg_location_kind(request->location) != WG_LOCATION_PATH ||
        (request->not_after_s != 0 && request->known_time_s > request->not_after_s)) {
        return false;
    }
    WG_CLEANUP(wg_freep) char *path = wg_location_path(request->location);
    WG_CLEANUP(wg_freep) char *folder = find_git_folder(path);
    WG_CLEANUP(wg_freep)
    char *branch = folder != NULL ? branch_name(folder, request->ref) : NULL;
    if (branch == NULL || (request->ref != NULL && has_tag(folder, request->ref))) {
        return false;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf loose = {0};
    if (read_small(folder, branch, REF_LIMIT_BYTES, &loose)) {
        return is_line(wg_buf_str(&loose), known, "");
    }
    return is_packed(folder, branch, known);
}
