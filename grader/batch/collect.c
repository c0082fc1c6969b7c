/* From result files to the store. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/batch/drive.h"
#include "grader/batch/internal.h"
#include "grader/batch/normalize.h"

enum wg_code wg_batch_read_result(const struct wg_batch_plan *plan, size_t index, int try,
                                  struct wg_result **out, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = wg_batch_result_path(plan, index, try);
    WG_CLEANUP(wg_buf_done) struct wg_buf json = {0};
    enum wg_code code = wg_file_read(path, WG_RESULT_JSON_BYTES, &json, err);
    code = code != WG_OK ? code : wg_result_from_json(wg_buf_str(&json), json.len, out, err);
    const char *likely = plan->items[index].likely_assignment;
    if (code == WG_OK && (*out)->assignment.id == NULL && likely != NULL) {
        (*out)->assignment.id = wg_strdup(likely);
    }
    return code;
}

enum wg_code wg_batch_import(const struct wg_batch_plan *plan, struct wg_store *store, size_t index,
                             int try, const struct wg_result *result, bool *added,
                             struct wg_err *err) {
    const struct wg_batch_item *item = &plan->items[index];
    const char *source = result->submission.source;
    int64_t deadline_s = plan->settings.deadline_s;
    char normalized[65] = "";
    if (source != NULL) {
        wg_normalize_digest(source, strlen(source), normalized);
    }
    WG_CLEANUP(wg_freep) char *uid = wg_batch_uid(plan, index, try);
    struct wg_store_new about = {
        .uid = uid,
        .batch = plan->id,
        .student = item->student,
        .name = item->name,
        .asked = item->asked,
        .normalized = normalized,
        .deadline_s = deadline_s,
        .is_late = deadline_s != 0 && result->submission.commit_time_s > deadline_s,
        .cpu_ms = result->cpu_ms,
    };
    return wg_store_add(store, &about, result, added, err);
}

static bool parse_name(const char *name, size_t count, size_t *index, int *try) {
    unsigned long long i = 0;
    unsigned t = 0;
    int len = 0;
    if (sscanf(name, "%19llu.%9u.json%n", &i, &t, &len) != 2 || len == 0 || name[len] != '\0' ||
        i >= count) {
        return false;
    }
    *index = (size_t)i;
    *try = (int)t;
    return true;
}

/* A file that cannot be read is left for a look; its item counts as not graded. */
static enum wg_code import_file(const struct wg_batch_plan *plan, struct wg_store *store,
                                const char *name, size_t *imported, struct wg_err *err) {
    size_t index = 0;
    int try = 0;
    struct wg_result *result = NULL;
    struct wg_err ignored = {0};
    if (!parse_name(name, plan->count, &index, &try) ||
        wg_batch_read_result(plan, index, try, &result, &ignored) != WG_OK) {
        return WG_OK;
    }
    bool added = false;
    enum wg_code code = wg_batch_import(plan, store, index, try, result, &added, err);
    *imported += added ? 1 : 0;
    wg_result_free(result);
    return code;
}

enum wg_code wg_batch_collect(const struct wg_batch_plan *plan, struct wg_store *store,
                              size_t *imported, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(plan->spool, "results");
    DIR *folder = opendir(path);
    *imported = 0;
    if (folder == NULL) {
        return errno == ENOENT ? WG_OK : wg_fail(err, WG_EIO, "read the folder '%.150s'", path);
    }
    enum wg_code code = WG_OK;
    for (struct dirent *entry; code == WG_OK && (entry = readdir(folder)) != NULL;) {
        code = import_file(plan, store, entry->d_name, imported, err);
    }
    closedir(folder);
    return code;
}
