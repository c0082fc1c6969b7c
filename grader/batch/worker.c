/* One item from the roster to its result file. Runs in a process of its own: whatever happens here,
 * a crash included, costs this item only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/batch/internal.h"
#include "grader/grade/grade.h"
#include "sandbox/platform/needs.h"

/* Runs of one submission at a time: items beside each other keep the other processors busy. */
enum { RUNS_BESIDE_EACH_OTHER = 2 };

struct work {
    const struct wg_batch_plan *plan;
    const struct wg_batch_item *item;
    size_t index;
    int try;
    struct wg_batch_slot *slot;
    struct wg_grade_request request;
    struct wg_submission submission;
    char *file;   /* the manifest's name of it; NULL: not known */
    char *builds; /* folder of what this batch has compiled */
};

static void work_done(struct work *work) {
    wg_submission_done(&work->submission);
    free(work->file);
    free(work->builds);
}

static void tell(void *ctx, const char *what, size_t done, size_t total) {
    struct wg_batch_slot *slot = ctx;
    if (total != 0) {
        snprintf(slot->stage, sizeof slot->stage, "%.40s %zu/%zu", what, done, total);
    } else {
        snprintf(slot->stage, sizeof slot->stage, "%.*s", (int)sizeof slot->stage - 1, what);
    }
    atomic_fetch_add(&slot->changes, 1);
}

struct wg_result *wg_batch_fault(const struct wg_batch_plan *plan, size_t index, const char *why) {
    const struct wg_batch_item *item = &plan->items[index];
    struct wg_result *result = wg_result_new();
    result->verdict = WG_VERDICT_GRADER_ERROR;
    result->sentence =
        wg_strf("Not graded, through no fault of the submission: %s. `wavegrade batch --resume` "
                "tries again.",
                why);
    result->seed = plan->settings.seed;
    /* The id of an assignment that was named by its folder is that folder's name. */
    const char *named = item->assignment != NULL ? item->assignment : item->likely_assignment;
    const char *slash = named != NULL ? strrchr(named, '/') : NULL;
    named = slash != NULL ? slash + 1 : named;
    result->assignment.id = named != NULL ? wg_strdup(named) : NULL;
    result->environment.platform = wg_strdup(plan->settings.platform);
    result->environment.wavegrade_version = wg_strdup(WG_VERSION);
    result->environment.date_s = wg_clock_wall_s();
    return result;
}

static struct wg_grade_request make_request(const struct wg_batch_job *job, size_t index,
                                            const struct wg_batch_assignments *assignments,
                                            struct wg_batch_slot *slot) {
    const struct wg_batch_settings *settings = &job->plan->settings;
    const struct wg_batch_item *item = &job->plan->items[index];
    return (struct wg_grade_request){
        .location = item->repository,
        .ref = item->ref,
        .folder = item->folder,
        .assignment = item->assignment,
        .platform = settings->platform,
        .ssh_key = settings->ssh_key,
        .has_seed = true,
        .seed = settings->seed,
        .timing = settings->timing,
        .checked = settings->checked,
        .facts = settings->facts,
        .warp_size = settings->warp_size,
        .workers = job->jobs == 1 ? 0 : RUNS_BESIDE_EACH_OTHER,
        .known_commit = item->known_commit,
        .known_tree = item->known_tree,
        .known_time_s = item->known_time_s,
        .bundled = assignments->all,
        .bundled_count = assignments->count,
        .not_after_s = settings->mark_late ? 0 : settings->deadline_s,
        .progress = tell,
        .progress_ctx = slot,
    };
}

static enum wg_code fetch(struct work *work, struct wg_err *err) {
    if (wg_batch_source_read(work->plan, work->index, &work->submission, &work->file, err) ==
        WG_OK) {
        return WG_OK;
    }
    if (work->item->repository[0] == '\0') {
        work->submission = (struct wg_submission){
            .verdict = WG_VERDICT_FETCH_ERROR,
            .file_index = -1,
            .repository = wg_strdup(""),
            .sentence = wg_strdup("the roster names no repository for this student"),
        };
        return WG_OK;
    }
    tell(work->slot, "fetching", 0, 0);
    int64_t start_ns = wg_clock_mono_ns();
    enum wg_code code = wg_grade_fetch(&work->request, &work->submission, &work->file, err);
    work->request.fetched_ns = wg_clock_mono_ns() - start_ns;
    return code;
}

static enum wg_code grade(struct work *work, struct wg_result **out, struct wg_err *err) {
    const struct wg_batch_settings *settings = &work->plan->settings;
    enum wg_code code = settings->device != NULL
                            ? wg_needs_choose_device(settings->platform, settings->device, err)
                            : WG_OK;
    work->request.build_cache = work->builds;
    work->request.fetched = &work->submission;
    work->request.fetched_file = work->file;
    return code != WG_OK ? code : wg_grade(&work->request, out, err);
}

/* Whoever ends a job ends its processes one after the other, and some of ours may have failed over
 * that before this one's turn. A fault is written down only if there is somebody left to do it. */
static void wait_for_own_end(void) {
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
}

static int write_result(struct work *work, const struct wg_result *result) {
    WG_CLEANUP(wg_buf_done) struct wg_buf json = {0};
    WG_CLEANUP(wg_freep) char *path = wg_batch_result_path(work->plan, work->index, work->try);
    struct wg_err err = {0};
    if (result->verdict == WG_VERDICT_GRADER_ERROR) {
        wait_for_own_end();
    }
    wg_result_to_json_with_source(result, &json);
    if (wg_file_write(path, json.data, json.len, 0600, &err) != WG_OK) {
        tell(work->slot, err.msg, 0, 0);
        return WG_BATCH_EXIT_LOST;
    }
    return WG_BATCH_EXIT_GRADED;
}

static int write_fault(struct work *work, const struct wg_err *err) {
    struct wg_result *result = wg_batch_fault(work->plan, work->index, err->msg);
    int status = write_result(work, result);
    wg_result_free(result);
    return status;
}

int wg_batch_work(const struct wg_batch_job *job, size_t index, enum wg_batch_mode mode,
                  const struct wg_batch_assignments *assignments, struct wg_batch_slot *slot) {
    WG_CLEANUP(work_done)
    struct work work = {.plan = job->plan,
                        .item = &job->plan->items[index],
                        .index = index,
                        .try = job->try,
                        .slot = slot,
                        .builds = wg_path_join(job->plan->spool, "builds"),
                        .request = make_request(job, index, assignments, slot)};
    struct wg_err err = {0};
    struct wg_result *result = NULL;
    enum wg_code code = fetch(&work, &err);
    if (code == WG_OK && work.submission.unchanged) {
        return WG_BATCH_EXIT_UNCHANGED;
    }
    if (code == WG_OK && work.submission.commit_time_s != 0 &&
        work.submission.commit_time_s < job->plan->settings.since_s) {
        return WG_BATCH_EXIT_OLDER;
    }
    if (code == WG_OK && mode == WG_BATCH_FETCH && work.submission.verdict == WG_VERDICT_PASS) {
        code = wg_batch_source_write(job->plan, index, &work.submission, work.file, &err);
        return code == WG_OK ? WG_BATCH_EXIT_FETCHED : write_fault(&work, &err);
    }
    code = code == WG_OK ? grade(&work, &result, &err) : code;
    if (code != WG_OK) {
        return write_fault(&work, &err);
    }
    int status = write_result(&work, result);
    wg_result_free(result);
    return status;
}
