#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/batch/batch.h"
#include "grader/manifest/json.h"
#include "grader/result/json_write.h"

#define PLAN_SCHEMA      "wavegrade/batch-plan/v1"
#define PLAN_LIMIT_BYTES ((size_t)256 << 20)
#define ITEMS_MOST       ((size_t)1000000)
#define TIME_MOST_S      ((int64_t)1 << 40)

/* ---- Writing ---- */

static void put(struct cJSON *object, const char *name, const char *text) {
    if (text != NULL && text[0] != '\0') {
        wg_json_add_string(object, name, text);
    }
}

static void put_settings(struct cJSON *root, const struct wg_batch_settings *settings) {
    struct cJSON *to = wg_json_add_object(root, "settings");
    char seed[32];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)settings->seed);
    put(to, "platform", settings->platform);
    put(to, "device", settings->device);
    put(to, "ssh_key", settings->ssh_key);
    put(to, "seed", seed); /* as text: JSON readers may round what is above 2^53 */
    wg_json_add_int(to, "timing", settings->timing);
    wg_json_add_int(to, "checked", settings->checked);
    wg_json_add_int(to, "facts", settings->facts);
    wg_json_add_int(to, "warp_size", settings->warp_size);
    wg_json_add_int(to, "deadline_s", settings->deadline_s);
    wg_json_add_int(to, "since_s", settings->since_s);
    wg_json_add_int(to, "mark_late", settings->mark_late);
}

static void put_item(struct cJSON *items, const struct wg_batch_item *item) {
    struct cJSON *to = wg_json_append_object(items);
    put(to, "student", item->student);
    put(to, "repository", item->repository);
    put(to, "name", item->name);
    put(to, "ref", item->ref);
    put(to, "folder", item->folder);
    put(to, "assignment", item->assignment);
    put(to, "asked", item->asked);
    put(to, "known_commit", item->known_commit);
    put(to, "known_tree", item->known_tree);
    wg_json_add_int(to, "known_time_s", item->known_time_s);
    put(to, "known_verdict", wg_verdict_name(item->known_verdict));
    put(to, "likely_assignment", item->likely_assignment);
    wg_json_add_int(to, "skip_same", item->skip_same);
    wg_json_add_int(to, "line", (int64_t)item->line);
}

static enum wg_code make_folders(const char *spool, struct wg_err *err) {
    static const char *const names[] = {"sources", "results"};
    enum wg_code code = wg_folder_make(spool, 0700, err);
    for (size_t i = 0; code == WG_OK && i < 2; i++) {
        WG_CLEANUP(wg_freep) char *path = wg_path_join(spool, names[i]);
        code = wg_folder_make(path, 0700, err);
    }
    return code;
}

enum wg_code wg_batch_plan_write(const struct wg_batch_plan *plan, struct wg_err *err) {
    enum wg_code code = make_folders(plan->spool, err);
    if (code != WG_OK) {
        return code;
    }
    struct cJSON *root = wg_json_new_object();
    wg_json_add_string(root, "schema", PLAN_SCHEMA);
    wg_json_add_string(root, "id", plan->id);
    put_settings(root, &plan->settings);
    struct cJSON *items = wg_json_add_array(root, "items");
    for (size_t i = 0; i < plan->count; i++) {
        put_item(items, &plan->items[i]);
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    wg_json_print(root, true, &text);
    WG_CLEANUP(wg_freep) char *path = wg_path_join(plan->spool, "plan.json");
    return wg_file_write(path, text.data, text.len, 0600, err);
}

/* ---- Reading ---- */

static char *get(const struct wg_json *object, const char *name) {
    struct wg_json member = wg_json_member(object, name, false);
    return wg_json_exists(&member) ? wg_json_string(&member) : NULL;
}

static int64_t get_number(const struct wg_json *object, const char *name, int64_t most) {
    struct wg_json member = wg_json_member(object, name, true);
    return wg_json_integer(&member, 0, most);
}

static void get_settings(const struct wg_json *root, struct wg_batch_settings *out) {
    struct wg_json from = wg_json_member(root, "settings", true);
    struct wg_json platform = wg_json_member(&from, "platform", true);
    struct wg_json seed = wg_json_member(&from, "seed", true);
    out->platform = wg_json_string(&platform);
    out->device = get(&from, "device");
    out->ssh_key = get(&from, "ssh_key");
    WG_CLEANUP(wg_freep) char *digits = wg_json_string(&seed);
    out->seed = digits != NULL ? strtoull(digits, NULL, 10) : 0;
    out->timing = get_number(&from, "timing", 1) != 0;
    out->checked = get_number(&from, "checked", 1) != 0;
    out->facts = get_number(&from, "facts", 1) != 0;
    out->warp_size = (int)get_number(&from, "warp_size", 64);
    out->deadline_s = get_number(&from, "deadline_s", TIME_MOST_S);
    out->since_s = get_number(&from, "since_s", TIME_MOST_S);
    out->mark_late = get_number(&from, "mark_late", 1) != 0;
}

static void get_item(const struct wg_json *from, struct wg_batch_item *out) {
    struct wg_json student = wg_json_member(from, "student", true);
    out->student = wg_json_string(&student);
    out->repository = get(from, "repository");
    out->repository = out->repository != NULL ? out->repository : wg_strdup("");
    out->name = get(from, "name");
    out->ref = get(from, "ref");
    out->folder = get(from, "folder");
    out->assignment = get(from, "assignment");
    out->asked = get(from, "asked");
    out->known_commit = get(from, "known_commit");
    out->known_tree = get(from, "known_tree");
    struct wg_json known_time = wg_json_member(from, "known_time_s", true);
    out->known_time_s = wg_json_integer(&known_time, -TIME_MOST_S, TIME_MOST_S);
    WG_CLEANUP(wg_freep) char *verdict = get(from, "known_verdict");
    if (verdict == NULL || !wg_verdict_parse(verdict, &out->known_verdict)) {
        out->known_verdict = WG_VERDICT_GRADER_ERROR;
    }
    out->likely_assignment = get(from, "likely_assignment");
    out->skip_same = get_number(from, "skip_same", 1) != 0;
    out->line = (size_t)get_number(from, "line", INT64_C(1) << 31);
}

static void get_plan(const struct wg_json *root, struct wg_batch_plan *out) {
    static const char *const schemas[] = {PLAN_SCHEMA};
    struct wg_json schema = wg_json_member(root, "schema", true);
    struct wg_json id = wg_json_member(root, "id", true);
    struct wg_json items = wg_json_member(root, "items", true);
    wg_json_choice(&schema, schemas, 1);
    out->id = wg_json_string(&id);
    get_settings(root, &out->settings);
    out->count = wg_json_count(&items, 0, ITEMS_MOST);
    out->items = wg_calloc(out->count + 1, sizeof *out->items);
    for (size_t i = 0; i < out->count; i++) {
        struct wg_json item = wg_json_item(&items, i);
        get_item(&item, &out->items[i]);
    }
}

enum wg_code wg_batch_plan_read(const char *spool, struct wg_batch_plan *out, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(spool, "plan.json");
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    struct wg_json_document document = {0};
    enum wg_code code = wg_file_read(path, PLAN_LIMIT_BYTES, &text, err);
    code = code != WG_OK ? code : wg_json_open(&document, path, wg_buf_str(&text), text.len, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_batch_plan plan = {.spool = wg_strdup(spool)};
    struct wg_json root = wg_json_root(&document);
    get_plan(&root, &plan);
    code = document.code;
    wg_json_done(&document);
    if (code != WG_OK) {
        wg_batch_plan_done(&plan);
        return code;
    }
    *out = plan;
    return WG_OK;
}

void wg_batch_plan_done(struct wg_batch_plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        struct wg_batch_item *item = &plan->items[i];
        char *owned[] = {item->student,      item->repository,       item->name,  item->ref,
                         item->folder,       item->assignment,       item->asked, item->known_tree,
                         item->known_commit, item->likely_assignment};
        for (size_t s = 0; s < sizeof owned / sizeof owned[0]; s++) {
            free(owned[s]);
        }
    }
    free(plan->items);
    free(plan->id);
    free(plan->spool);
    free(plan->settings.platform);
    free(plan->settings.device);
    free(plan->settings.ssh_key);
    *plan = (struct wg_batch_plan){0};
}

/* ---- Names ---- */

char *wg_batch_result_path(const struct wg_batch_plan *plan, size_t index, int try) {
    return wg_strf("%s/results/%zu.%d.json", plan->spool, index, try);
}

char *wg_batch_uid(const struct wg_batch_plan *plan, size_t index, int try) {
    return wg_strf("%s/%zu.%d", plan->id, index, try);
}
