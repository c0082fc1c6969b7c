/* Assignments by name: the bundled ones in share/, any other by the path of its folder. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/text.h"
#include "grader/manifest/manifest.h"

struct name_list {
    char **names;
    size_t count;
};

static void name_list_done(struct name_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->names[i]);
    }
    free((void *)list->names);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Folders below root that hold a manifest, sorted. */
static enum wg_code list_assignments(const char *root, struct name_list *out, struct wg_err *err) {
    DIR *dir = opendir(root);
    if (dir == NULL) {
        return wg_fail(err, WG_EIO, "open folder '%s'", root);
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        WG_CLEANUP(wg_freep) char *file = wg_strf("%s/%s/assignment.json", root, entry->d_name);
        if (entry->d_name[0] == '.' || !wg_file_exists(file)) {
            continue;
        }
        out->names = wg_realloc((void *)out->names, out->count + 1, sizeof *out->names);
        out->names[out->count++] = wg_strdup(entry->d_name);
    }
    closedir(dir);
    if (out->count > 1) {
        qsort((void *)out->names, out->count, sizeof *out->names, by_text);
    }
    return WG_OK;
}

enum wg_code wg_manifest_load_all(struct wg_manifest ***out, size_t *count, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *root = wg_path_join(wg_paths_share(), "assignments");
    WG_CLEANUP(name_list_done) struct name_list list = {0};
    enum wg_code code = list_assignments(root, &list, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_manifest **all = wg_calloc(list.count + 1, sizeof *all);
    for (size_t i = 0; i < list.count; i++) {
        WG_CLEANUP(wg_freep) char *folder = wg_path_join(root, list.names[i]);
        code = wg_manifest_load(folder, &all[i], err);
        if (code != WG_OK) {
            for (size_t loaded = 0; loaded < i; loaded++) {
                wg_manifest_free(all[loaded]);
            }
            free((void *)all);
            return code;
        }
    }
    *out = all;
    *count = list.count;
    return WG_OK;
}

static enum wg_code fail_unknown(const char *name, const struct name_list *list,
                                 struct wg_err *err) {
    const char *near = wg_text_nearest(name, (const char *const *)list->names, list->count);
    if (near != NULL) {
        return wg_fail(err, WG_ENOTFOUND, "no assignment '%.80s', did you mean '%s'?", name, near);
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf known = {0};
    for (size_t i = 0; i < list->count; i++) {
        wg_buf_printf(&known, "%s%s", i == 0 ? "" : ", ", list->names[i]);
    }
    return wg_fail(err, WG_ENOTFOUND, "no assignment '%.80s'; bundled are: %s", name,
                   wg_buf_str(&known));
}

enum wg_code wg_manifest_find(const char *name_or_path, struct wg_manifest **out,
                              struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *root = wg_path_join(wg_paths_share(), "assignments");
    WG_CLEANUP(name_list_done) struct name_list list = {0};
    if (strchr(name_or_path, '/') != NULL) {
        return wg_manifest_load(name_or_path, out, err);
    }
    enum wg_code code = list_assignments(root, &list, err);
    if (code != WG_OK) {
        return code;
    }
    /* A bundled name wins over a folder of the same name that happens to be here: students name
     * their folders after the assignment. */
    for (size_t i = 0; i < list.count; i++) {
        if (strcmp(list.names[i], name_or_path) == 0) {
            WG_CLEANUP(wg_freep) char *folder = wg_path_join(root, name_or_path);
            return wg_manifest_load(folder, out, err);
        }
    }
    WG_CLEANUP(wg_freep) char *manifest = wg_path_join(name_or_path, "assignment.json");
    return wg_file_exists(manifest) ? wg_manifest_load(name_or_path, out, err)
                                    : fail_unknown(name_or_path, &list, err);
}

/* ROOT/.wavegrade of the nearest root, heap, or NULL. Above the root of a repository is nobody's
 * business. */
static char *find_brought_along(const char *folder) {
    WG_CLEANUP(wg_freep) char *root = realpath(folder, NULL);
    while (root != NULL && root[0] != 0) {
        WG_CLEANUP(wg_freep) char *brought = wg_path_join(root, ".wavegrade");
        WG_CLEANUP(wg_freep) char *repository = wg_path_join(root, ".git");
        if (wg_file_is_folder(brought)) {
            return WG_TAKE(&brought);
        }
        if (wg_file_exists(repository)) {
            return NULL;
        }
        *strrchr(root, '/') = 0;
    }
    return NULL;
}

static enum wg_code has_file_of(const char *assignment, const char *folder, bool *out,
                                struct wg_err *err) {
    struct wg_manifest *manifest = NULL;
    enum wg_code code = wg_manifest_load(assignment, &manifest, err);
    if (code == WG_OK) {
        WG_CLEANUP(wg_freep) char *file = wg_path_join(folder, manifest->file);
        *out = wg_file_exists(file);
        wg_manifest_free(manifest);
    }
    return code;
}

enum wg_code wg_manifest_find_beside(const char *folder, char **out, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *root = find_brought_along(folder);
    WG_CLEANUP(name_list_done) struct name_list list = {0};
    *out = NULL;
    enum wg_code code = root != NULL ? list_assignments(root, &list, err) : WG_OK;
    for (size_t i = 0; code == WG_OK && *out == NULL && i < list.count; i++) {
        WG_CLEANUP(wg_freep) char *assignment = wg_path_join(root, list.names[i]);
        bool is_it = false;
        code = has_file_of(assignment, folder, &is_it, err);
        if (code == WG_OK && is_it) {
            *out = WG_TAKE(&assignment);
        }
    }
    return code;
}
