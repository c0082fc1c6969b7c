#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/batch/internal.h"
#include "grader/manifest/json.h"
#include "grader/result/json_write.h"

#define FACTS_LIMIT_BYTES  ((size_t)1 << 20)
#define SOURCE_LIMIT_BYTES ((size_t)16 << 20)

static char *path_of(const struct wg_batch_plan *plan, size_t index, const char *ending) {
    return wg_strf("%s/sources/%zu.%s", plan->spool, index, ending);
}

/* The facts last: whoever finds them finds the file as well. */
enum wg_code wg_batch_source_write(const struct wg_batch_plan *plan, size_t index,
                                   const struct wg_submission *submission, const char *file,
                                   struct wg_err *err) {
    struct cJSON *root = wg_json_new_object();
    wg_json_add_string(root, "file", file);
    wg_json_add_string(root, "repository", submission->repository);
    wg_json_add_string(root, "ref", submission->ref);
    wg_json_add_string(root, "commit", submission->commit);
    wg_json_add_string(root, "tree", submission->tree);
    wg_json_add_int(root, "commit_time_s", submission->commit_time_s);
    wg_json_add_string(root, "path", submission->path);
    WG_CLEANUP(wg_buf_done) struct wg_buf facts = {0};
    wg_json_print(root, true, &facts);
    WG_CLEANUP(wg_freep) char *source_path = path_of(plan, index, "source");
    WG_CLEANUP(wg_freep) char *facts_path = path_of(plan, index, "json");
    enum wg_code code = wg_file_write(source_path, wg_buf_str(&submission->source),
                                      submission->source.len, 0600, err);
    return code != WG_OK ? code : wg_file_write(facts_path, facts.data, facts.len, 0600, err);
}

static char *get(const struct wg_json *root, const char *name) {
    struct wg_json member = wg_json_member(root, name, true);
    return wg_json_string(&member);
}

static void get_id(const struct wg_json *root, const char *name, char out[65]) {
    WG_CLEANUP(wg_freep) char *text = get(root, name);
    size_t len = text != NULL ? strlen(text) : 0;
    memcpy(out, len < 65 && text != NULL ? text : "", len < 65 ? len + 1 : 1);
}

static enum wg_code read_facts(const char *path, struct wg_submission *out, char **file,
                               struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    struct wg_json_document document = {0};
    enum wg_code code = wg_file_read(path, FACTS_LIMIT_BYTES, &text, err);
    code = code != WG_OK ? code : wg_json_open(&document, path, wg_buf_str(&text), text.len, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_json root = wg_json_root(&document);
    struct wg_json commit_time = wg_json_member(&root, "commit_time_s", true);
    *file = get(&root, "file");
    out->repository = get(&root, "repository");
    out->ref = get(&root, "ref");
    get_id(&root, "commit", out->commit);
    get_id(&root, "tree", out->tree);
    out->commit_time_s = wg_json_integer(&commit_time, INT32_MIN, INT64_C(1) << 50);
    out->path = get(&root, "path");
    code = document.code;
    wg_json_done(&document);
    return code;
}

enum wg_code wg_batch_source_read(const struct wg_batch_plan *plan, size_t index,
                                  struct wg_submission *out, char **file, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *source_path = path_of(plan, index, "source");
    WG_CLEANUP(wg_freep) char *facts_path = path_of(plan, index, "json");
    WG_CLEANUP(wg_submission_done) struct wg_submission got = {0};
    WG_CLEANUP(wg_freep) char *name = NULL;
    enum wg_code code = read_facts(facts_path, &got, &name, err);
    code = code != WG_OK ? code : wg_file_read(source_path, SOURCE_LIMIT_BYTES, &got.source, err);
    if (code != WG_OK) {
        return code;
    }
    *out = got;
    got = (struct wg_submission){0};
    *file = WG_TAKE(&name);
    return WG_OK;
}
