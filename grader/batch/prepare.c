#include "grader/batch/prepare.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "grader/manifest/manifest.h"
#include "grader/repo/location.h"

struct preparing {
    struct wg_roster *roster;
    const struct wg_batch_wishes *wishes;
    struct wg_store_attempts before; /* the latest of everybody */
    struct wg_manifest **manifests;
    size_t manifest_count;
    char *all_digests;
    struct wg_batch_plan plan;
};

static void preparing_done(struct preparing *preparing) {
    for (size_t i = 0; i < preparing->manifest_count; i++) {
        wg_manifest_free(preparing->manifests[i]);
    }
    free((void *)preparing->manifests);
    free(preparing->all_digests);
    wg_store_attempts_done(&preparing->before);
    wg_batch_plan_done(&preparing->plan);
}

/* ---- Assignments ---- */

static char *list_digests(const struct preparing *preparing) {
    struct wg_buf list = {0};
    for (size_t i = 0; i < preparing->manifest_count; i++) {
        wg_buf_printf(&list, "%s %s\n", preparing->manifests[i]->id,
                      preparing->manifests[i]->digest);
    }
    return list.data != NULL ? list.data : wg_strdup("");
}

/* A folder by its whole path: the work may be done elsewhere. */
static char *absolute_assignment(const char *name) {
    char *path = strchr(name, '/') != NULL || wg_file_is_folder(name) ? realpath(name, NULL) : NULL;
    return path != NULL ? path : wg_strdup(name);
}

/* Heap: what grading it depends on beside the file; NULL: no such assignment. */
static char *digest_of(const struct preparing *preparing, const char *assignment,
                       struct wg_err *err) {
    if (assignment == NULL) {
        return wg_strdup(preparing->all_digests);
    }
    for (size_t i = 0; i < preparing->manifest_count; i++) {
        if (strcmp(preparing->manifests[i]->id, assignment) == 0) {
            return wg_strf("%s %s\n", assignment, preparing->manifests[i]->digest);
        }
    }
    struct wg_manifest *manifest = NULL;
    if (wg_manifest_find(assignment, &manifest, err) != WG_OK) {
        return NULL;
    }
    char *digest = wg_strf("%s %s\n", manifest->id, manifest->digest);
    wg_manifest_free(manifest);
    return digest;
}

/* ---- Items ---- */

/* Names may be any cell of a spreadsheet; a line of a table they must fit into. */
static char *copy_line(const char *text) {
    char *copy = text != NULL ? wg_strdup(text) : NULL;
    for (char *c = copy; c != NULL && *c != '\0'; c++) {
        *c = iscntrl((unsigned char)*c) ? ' ' : *c;
    }
    return copy;
}

/* A path that is not absolute is relative to the roster, wherever the command is given. */
static char *place_repository(const char *repository, const char *folder) {
    bool is_address =
        repository[0] == '\0' || repository[0] == '/' || strstr(repository, "://") != NULL;
    WG_CLEANUP(wg_freep) char *path = is_address ? NULL : wg_path_join(folder, repository);
    if (is_address || (strchr(repository, ':') != NULL && !wg_file_exists(path))) {
        return wg_strdup(repository);
    }
    char *resolved = realpath(path, NULL);
    return resolved != NULL ? resolved : WG_TAKE(&path);
}

static char *digest_asked(const struct preparing *preparing, const struct wg_batch_item *item,
                          const char *assignment_digest) {
    const struct wg_batch_settings *settings = &preparing->plan.settings;
    WG_CLEANUP(wg_freep)
    char *text = wg_strf("1\n%s\n%s\n%s\n%d%d%d %d\n%s\n%s", WG_VERSION, settings->platform,
                         settings->device != NULL ? settings->device : "", settings->timing,
                         settings->checked, settings->facts, settings->warp_size,
                         item->folder != NULL ? item->folder : "", assignment_digest);
    char digest[65];
    wg_text_sha256_hex(text, strlen(text), digest);
    return wg_strdup(digest);
}

static void find_likely(const struct preparing *preparing, struct wg_batch_item *item) {
    const struct wg_store_attempt *newest = NULL;
    for (size_t i = 0; item->assignment == NULL && i < preparing->before.count; i++) {
        const struct wg_store_attempt *attempt = &preparing->before.all[i];
        if (strcmp(attempt->student, item->student) == 0 && attempt->assignment[0] != '\0' &&
            strcmp(attempt->repository, item->repository) == 0 &&
            (newest == NULL || attempt->graded_s >= newest->graded_s)) {
            newest = attempt;
        }
    }
    item->likely_assignment = newest != NULL ? wg_strdup(newest->assignment) : NULL;
}

/* The newest grading of the student that answers what is asked now. */
static void find_known(const struct preparing *preparing, struct wg_batch_item *item) {
    const struct wg_store_attempt *newest = NULL;
    for (size_t i = 0; i < preparing->before.count; i++) {
        const struct wg_store_attempt *attempt = &preparing->before.all[i];
        if (strcmp(attempt->student, item->student) == 0 &&
            strcmp(attempt->asked, item->asked) == 0 &&
            (newest == NULL || attempt->graded_s >= newest->graded_s)) {
            newest = attempt;
        }
    }
    item->skip_same = newest != NULL;
    if (newest == NULL || newest->verdict == WG_VERDICT_GRADER_ERROR || newest->commit[0] == '\0') {
        return;
    }
    item->known_commit = wg_strdup(newest->commit);
    item->known_tree = newest->tree[0] != '\0' ? wg_strdup(newest->tree) : NULL;
    item->known_time_s = newest->commit_time_s;
    item->known_verdict = newest->verdict;
}

/* What no grading could make sense of. A row without a repository is one that has none yet. */
static enum wg_code check_place(const struct wg_roster_row *row, const char *place,
                                struct wg_err *err) {
    bool is_here = row->repository[0] == '\0' || wg_file_exists(place);
    enum wg_code code = is_here ? WG_OK : wg_location_check(row->repository, err);
    code = code != WG_OK ? code : wg_location_check_ref(row->ref, err);
    return code != WG_OK ? code : wg_location_check_folder(row->folder, err);
}

static void add_item(struct preparing *preparing, const struct wg_roster_row *row) {
    const char *named = row->assignment != NULL ? row->assignment : preparing->wishes->assignment;
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *assignment = named != NULL ? absolute_assignment(named) : NULL;
    WG_CLEANUP(wg_freep) char *digest = digest_of(preparing, assignment, &err);
    WG_CLEANUP(wg_freep)
    char *place = place_repository(row->repository, preparing->wishes->roster_folder);
    if (digest == NULL || check_place(row, place, &err) != WG_OK) {
        wg_roster_add_problem(preparing->roster, row->line, err.msg);
        return;
    }
    struct wg_batch_plan *plan = &preparing->plan;
    plan->items = wg_realloc(plan->items, plan->count + 1, sizeof *plan->items);
    struct wg_batch_item *item = &plan->items[plan->count++];
    *item = (struct wg_batch_item){
        .student = wg_strdup(row->id),
        .repository = WG_TAKE(&place),
        .name = copy_line(row->name),
        .ref = copy_line(row->ref),
        .folder = copy_line(row->folder),
        .assignment = WG_TAKE(&assignment),
        .line = row->line,
    };
    item->asked = digest_asked(preparing, item, digest);
    find_likely(preparing, item);
    if (!preparing->wishes->regrade) {
        find_known(preparing, item);
    }
}

/* ---- Whom ---- */

static bool is_listed(const char *list, const char *id) {
    size_t len = strlen(id);
    for (const char *at = list; at != NULL; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strncmp(at, id, len) == 0 && (at[len] == ',' || at[len] == '\0')) {
            return true;
        }
    }
    return false;
}

static enum wg_code check_only(const struct preparing *preparing, struct wg_err *err) {
    const struct wg_roster *roster = preparing->roster;
    WG_CLEANUP(wg_freep) char *list = wg_strdup(preparing->wishes->only);
    WG_CLEANUP(wg_freep) const char **ids = wg_calloc(roster->row_count + 1, sizeof *ids);
    for (size_t i = 0; i < roster->row_count; i++) {
        ids[i] = roster->rows[i].id;
    }
    char *rest = NULL;
    for (char *id = strtok_r(list, ",", &rest); id != NULL; id = strtok_r(NULL, ",", &rest)) {
        bool is_there = false;
        for (size_t i = 0; i < roster->row_count && !is_there; i++) {
            is_there = strcmp(ids[i], id) == 0;
        }
        if (!is_there) {
            const char *nearest = wg_text_nearest(id, ids, roster->row_count);
            return wg_fail(err, WG_EINVAL, "--only: the roster has no '%.60s'%s%.60s%s", id,
                           nearest != NULL ? "; did you mean '" : "",
                           nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
        }
    }
    return WG_OK;
}

/* ---- All of it ---- */

static uint64_t random_number(void) {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
        number = (uint64_t)wg_clock_mono_ns() * 0x9e3779b97f4a7c15U;
    }
    return number;
}

/* By time, so that folders sort; with some chance in it, so that two of one second differ. */
static char *make_id(void) {
    char date[32];
    time_t now = (time_t)wg_clock_wall_s();
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(date, sizeof date, "%Y%m%d-%H%M%S", &parts);
    return wg_strf("%s-%04x", date, (unsigned)(random_number() & 0xffff));
}

static void copy_settings(const struct wg_batch_settings *from, struct wg_batch_settings *to) {
    *to = *from;
    to->platform = wg_strdup(from->platform);
    to->device = from->device != NULL ? wg_strdup(from->device) : NULL;
    to->ssh_key = from->ssh_key != NULL ? wg_strdup(from->ssh_key) : NULL;
    to->seed = from->seed != 0 ? from->seed : random_number();
}

static enum wg_code look_back(struct preparing *preparing, struct wg_store *store,
                              struct wg_err *err) {
    struct wg_err unknown = {0};
    enum wg_code code =
        wg_manifest_load_all(&preparing->manifests, &preparing->manifest_count, err);
    if (code != WG_OK) {
        return code;
    }
    preparing->all_digests = list_digests(preparing);
    const char *wanted = preparing->wishes->assignment;
    WG_CLEANUP(wg_freep) char *found = digest_of(preparing, wanted, &unknown);
    if (found == NULL) {
        *err = unknown;
        err->code = WG_EINVAL;
        return WG_EINVAL;
    }
    struct wg_store_filter filter = {.pick = WG_STORE_LATEST};
    return store != NULL ? wg_store_list(store, &filter, &preparing->before, err) : WG_OK;
}

enum wg_code wg_batch_prepare(struct wg_roster *roster, const struct wg_batch_wishes *wishes,
                              struct wg_store *store, struct wg_batch_plan *out,
                              struct wg_err *err) {
    WG_CLEANUP(preparing_done)
    struct preparing preparing = {.roster = roster, .wishes = wishes};
    enum wg_code code = look_back(&preparing, store, err);
    code = code == WG_OK && wishes->only != NULL ? check_only(&preparing, err) : code;
    if (code != WG_OK) {
        return code;
    }
    preparing.plan.id = make_id();
    copy_settings(&wishes->settings, &preparing.plan.settings);
    for (size_t i = 0; i < roster->row_count; i++) {
        if (wishes->only == NULL || is_listed(wishes->only, roster->rows[i].id)) {
            add_item(&preparing, &roster->rows[i]);
        }
    }
    *out = preparing.plan;
    preparing.plan = (struct wg_batch_plan){0};
    return WG_OK;
}
