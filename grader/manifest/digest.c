/* One digest stands for all that can change a grade: manifest, references and starter. Files are
 * listed by path below their folder, so the same assignment has the same digest wherever it is
 * installed. Hidden files (editors, git) do not count. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "grader/manifest/load.h"

#define MAX_FILE_BYTES ((size_t)64 << 20)
#define MAX_DEPTH      8

static void freep_entries(struct dirent ***entries) {
    for (size_t i = 0; *entries != NULL && (*entries)[i] != NULL; i++) {
        free((*entries)[i]);
    }
    free((void *)*entries);
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* strcmp order: the same under every locale. */
static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum wg_code add_file(const char *path, const char *label, struct wg_buf *list,
                             struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf bytes = {0};
    enum wg_code code = wg_file_read(path, MAX_FILE_BYTES, &bytes, err);
    if (code != WG_OK) {
        return code;
    }
    char hex[65];
    wg_text_sha256_hex(wg_buf_str(&bytes), bytes.len, hex);
    wg_buf_printf(list, "%s %s\n", hex, label);
    return WG_OK;
}

static enum wg_code add_folder(const char *path, const char *label, int depth, struct wg_buf *list,
                               struct wg_err *err) {
    if (depth > MAX_DEPTH) {
        return wg_fail(err, WG_ELIMIT, "'%s' is nested more than %d folders deep", path, MAX_DEPTH);
    }
    struct dirent **found = NULL;
    int count = scandir(path, &found, is_visible, by_name);
    if (count < 0) {
        return wg_fail(err, WG_EIO, "read folder '%s'", path);
    }
    /* One longer and ended by NULL, so that the cleanup needs no count. */
    WG_CLEANUP(freep_entries)
    struct dirent **entries = wg_calloc((size_t)count + 1, sizeof *entries);
    for (int i = 0; i < count; i++) {
        entries[i] = found[i];
    }
    free((void *)found);
    for (size_t i = 0; entries[i] != NULL; i++) {
        WG_CLEANUP(wg_freep) char *below = wg_path_join(path, entries[i]->d_name);
        WG_CLEANUP(wg_freep) char *name = wg_path_join(label, entries[i]->d_name);
        enum wg_code code = wg_file_is_folder(below) ? add_folder(below, name, depth + 1, list, err)
                                                     : add_file(below, name, list, err);
        if (code != WG_OK) {
            return code;
        }
    }
    return WG_OK;
}

enum wg_code wg_manifest_digest(const char *folder, const char *reference_folder, char out[65],
                                struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf list = {0};
    enum wg_code code = add_folder(folder, "assignment", 0, &list, err);
    size_t len = strlen(folder);
    bool inside = strncmp(reference_folder, folder, len) == 0 && reference_folder[len] == '/';
    if (code == WG_OK && !inside) {
        code = add_folder(reference_folder, "reference", 0, &list, err);
    }
    if (code == WG_OK) {
        wg_text_sha256_hex(wg_buf_str(&list), list.len, out);
    }
    return code;
}
