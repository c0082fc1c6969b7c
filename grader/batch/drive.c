#include "grader/batch/drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/batch/internal.h"

/* ---- What is known already ---- */

static void set_row(struct wg_batch_row *row, enum wg_verdict verdict, const char *assignment) {
    row->state = WG_BATCH_DONE;
    row->verdict = verdict;
    free(row->assignment);
    row->assignment = assignment != NULL && assignment[0] != '\0' ? wg_strdup(assignment) : NULL;
}

static void take_attempt(struct wg_batch_drive *drive, const struct wg_store_attempt *attempt) {
    const struct wg_batch_plan *plan = drive->plan;
    size_t prefix = strlen(plan->id), index = 0;
    int try = 0;
    if (strncmp(attempt->uid, plan->id, prefix) != 0 ||
        sscanf(attempt->uid + prefix, "/%19zu.%9d", &index, &try) != 2 || index >= plan->count) {
        return;
    }
    struct wg_batch_row *row = &drive->rows[index];
    if (try < row->tries) {
        return; /* a later one is known */
    }
    set_row(row, attempt->verdict, attempt->assignment);
    row->points = attempt->points;
    row->max_points = attempt->max_points;
    row->wall_ms = attempt->wall_ms;
    row->cpu_ms = attempt->cpu_ms;
    row->tries = try + 1;
}

enum wg_code wg_batch_drive_start(struct wg_batch_drive *drive, struct wg_err *err) {
    drive->rows = wg_calloc(drive->plan->count + 1, sizeof *drive->rows);
    size_t imported = 0;
    struct wg_store_attempts found = {0};
    struct wg_store_filter filter = {.batch = drive->plan->id, .pick = WG_STORE_ALL};
    enum wg_code code = wg_batch_collect(drive->plan, drive->store, &imported, err);
    code = code != WG_OK ? code : wg_store_list(drive->store, &filter, &found, err);
    for (size_t i = 0; code == WG_OK && i < found.count; i++) {
        take_attempt(drive, &found.all[i]);
    }
    wg_store_attempts_done(&found);
    return code;
}

void wg_batch_drive_done(struct wg_batch_drive *drive) {
    for (size_t i = 0; drive->rows != NULL && i < drive->plan->count; i++) {
        free(drive->rows[i].assignment);
        free(drive->rows[i].why);
    }
    free(drive->rows);
    drive->rows = NULL;
}

static bool is_open(const struct wg_batch_row *row) {
    return row->state == WG_BATCH_OPEN ||
           (row->state == WG_BATCH_DONE && row->verdict == WG_VERDICT_GRADER_ERROR);
}

/* ---- One run of the engine ---- */

struct round {
    struct wg_batch_drive *drive;
    struct wg_batch_job job;
    bool is_last; /* what is lost now stays so */
};

static void show_row(struct wg_batch_drive *drive, size_t index) {
    if (drive->watch.row != NULL) {
        drive->watch.row(drive->watch.ctx, index, &drive->rows[index]);
    }
}

/* A student without access, or without a commit by the deadline, has no commit that could be known;
 * the same answer again is no new attempt. */
static bool is_same_refusal(struct wg_batch_drive *drive, size_t index,
                            const struct wg_result *result) {
    const struct wg_batch_item *item = &drive->plan->items[index];
    if ((result->verdict != WG_VERDICT_FETCH_ERROR && result->verdict != WG_VERDICT_MISSING_FILE) ||
        !item->skip_same) {
        return false;
    }
    struct wg_err ignored = {0};
    struct wg_store_attempts found = {0};
    struct wg_store_filter filter = {
        .student = item->student, .assignment = result->assignment.id, .pick = WG_STORE_LATEST};
    bool is_same = false;
    if (wg_store_list(drive->store, &filter, &found, &ignored) == WG_OK) {
        for (size_t i = 0; i < found.count; i++) {
            const char *assignment = result->assignment.id != NULL ? result->assignment.id : "";
            is_same |= strcmp(found.all[i].assignment, assignment) == 0 &&
                       found.all[i].verdict == result->verdict &&
                       strcmp(found.all[i].asked, item->asked) == 0 &&
                       strcmp(found.all[i].sentence,
                              result->sentence != NULL ? result->sentence : "") == 0;
        }
    }
    wg_store_attempts_done(&found);
    return is_same;
}

static void add_cost(struct wg_batch_cost *cost, struct wg_batch_row *row,
                     const struct wg_result *result) {
    const struct {
        const char *name;
        double *sum_ms;
    } stages[] = {{"fetch", &cost->fetch_ms},
                  {"build", &cost->build_ms},
                  {"check", &cost->check_ms},
                  {"timing", &cost->timing_ms},
                  {"total", &row->wall_ms}};
    row->wall_ms = 0;
    for (size_t i = 0; i < result->stage_count; i++) {
        for (size_t s = 0; s < sizeof stages / sizeof stages[0]; s++) {
            if (strcmp(result->stages[i].name, stages[s].name) == 0) {
                *stages[s].sum_ms += result->stages[i].wall_ms;
            }
        }
    }
    cost->cpu_ms += result->cpu_ms;
    cost->graded++;
}

static enum wg_code keep(struct round *round, size_t index, const struct wg_result *result,
                         struct wg_err *err) {
    struct wg_batch_drive *drive = round->drive;
    struct wg_batch_row *row = &drive->rows[index];
    bool is_same = is_same_refusal(drive, index, result);
    enum wg_code code = is_same ? WG_OK
                                : wg_batch_import(drive->plan, drive->store, index, round->job.try,
                                                  result, NULL, err);
    if (code != WG_OK) {
        return code;
    }
    set_row(row, result->verdict, result->assignment.id);
    row->state = is_same ? WG_BATCH_SAME : WG_BATCH_DONE;
    row->points = result->points;
    row->max_points = result->max_points;
    row->cpu_ms = result->cpu_ms;
    if (!is_same) {
        add_cost(&drive->cost, row, result);
    }
    return WG_OK;
}

static void on_graded(struct round *round, size_t index) {
    struct wg_batch_drive *drive = round->drive;
    struct wg_result *result = NULL;
    struct wg_err err = {0};
    enum wg_code code = wg_batch_read_result(drive->plan, index, round->job.try, &result, &err);
    code = code != WG_OK ? code : keep(round, index, result, &err);
    wg_result_free(result);
    drive->rows[index].tries = round->job.try + 1;
    if (code != WG_OK && drive->watch.trouble != NULL) {
        drive->watch.trouble(drive->watch.ctx, index, &err);
    }
    if (code == WG_OK && (round->is_last || !is_open(&drive->rows[index]))) {
        show_row(drive, index);
    }
}

static void on_lost(struct round *round, size_t index, const char *why) {
    struct wg_batch_drive *drive = round->drive;
    struct wg_batch_row *row = &drive->rows[index];
    struct wg_err err = {0};
    free(row->why);
    row->why = wg_strdup(why != NULL ? why : "its worker left no result");
    row->tries = round->job.try + 1;
    if (!round->is_last) {
        return;
    }
    struct wg_result *fault = wg_batch_fault(drive->plan, index, row->why);
    if (keep(round, index, fault, &err) != WG_OK && drive->watch.trouble != NULL) {
        drive->watch.trouble(drive->watch.ctx, index, &err);
    } else {
        show_row(drive, index);
    }
    wg_result_free(fault);
}

static void on_end(void *ctx, size_t index, enum wg_batch_end end, const char *why) {
    struct round *round = ctx;
    struct wg_batch_row *row = &round->drive->rows[index];
    switch (end) {
    case WG_BATCH_GRADED:
        on_graded(round, index);
        break;
    case WG_BATCH_UNCHANGED:
        row->state = WG_BATCH_SAME;
        row->verdict = round->drive->plan->items[index].known_verdict;
        show_row(round->drive, index);
        break;
    case WG_BATCH_OLDER:
        row->state = WG_BATCH_LEFT_OUT;
        show_row(round->drive, index);
        break;
    case WG_BATCH_LOST:
        on_lost(round, index, why);
        break;
    case WG_BATCH_FETCHED:
        break; /* it is graded in the next step */
    }
}

static void on_stage(void *ctx, size_t index, const char *stage, const char *where) {
    struct wg_batch_drive *drive = ((struct round *)ctx)->drive;
    if (drive->watch.stage != NULL) {
        drive->watch.stage(drive->watch.ctx, index, stage, where);
    }
}

/* Of the job's items those that still need grading: in place. */
static void keep_open(const struct wg_batch_drive *drive, struct wg_batch_job *job,
                      size_t *indices) {
    size_t kept = 0;
    for (size_t i = 0; i < job->count; i++) {
        if (drive->rows[indices[i]].tries <= job->try && is_open(&drive->rows[indices[i]])) {
            indices[kept++] = indices[i];
        }
    }
    job->count = kept;
}

/* Machines of a cluster often reach no git server: all is fetched here first. */
static enum wg_code run_slurm(struct round *round, const struct wg_batch_events *events,
                              size_t *indices, struct wg_err *err) {
    enum wg_code code = wg_batch_run_fetch(&round->job, events, err);
    keep_open(round->drive, &round->job, indices);
    if (code != WG_OK || *events->stop != 0 || round->job.count == 0) {
        return code;
    }
    return wg_batch_run_slurm(&round->job, round->drive->slurm, events, err);
}

/* What was graded before has most likely not changed; finding out takes no processor, only
 * answers of servers, and so goes faster than the rest. */
static enum wg_code look_first(struct round *round, const struct wg_batch_events *events,
                               struct wg_err *err) {
    struct wg_batch_job known = round->job;
    WG_CLEANUP(wg_freep) size_t *indices = wg_calloc(known.count + 1, sizeof *indices);
    known.count = 0;
    known.indices = indices;
    known.jobs = 0;
    for (size_t i = 0; i < round->job.count; i++) {
        if (known.plan->items[round->job.indices[i]].known_commit != NULL) {
            indices[known.count++] = round->job.indices[i];
        }
    }
    return known.count > 0 ? wg_batch_run_fetch(&known, events, err) : WG_OK;
}

static enum wg_code run_round(struct wg_batch_drive *drive, size_t *indices, size_t count, int try,
                              bool is_last, struct wg_err *err) {
    struct round round = {.drive = drive,
                          .is_last = is_last,
                          .job = {.plan = drive->plan,
                                  .indices = indices,
                                  .count = count,
                                  .try = try,
                                  .jobs = drive->jobs}};
    struct wg_batch_events events = {
        .ctx = &round, .stage = on_stage, .end = on_end, .stop = drive->stop};
    if (drive->slurm != NULL) {
        return run_slurm(&round, &events, indices, err);
    }
    enum wg_code code = look_first(&round, &events, err);
    keep_open(drive, &round.job, indices);
    return code == WG_OK && round.job.count > 0 && *drive->stop == 0
               ? wg_batch_run_local(&round.job, &events, err)
               : code;
}

/* ---- All of them ---- */

static int most_tries(const struct wg_batch_drive *drive) {
    int most = 0;
    for (size_t i = 0; i < drive->plan->count; i++) {
        most = drive->rows[i].tries > most ? drive->rows[i].tries : most;
    }
    return most;
}

/* The open items by how often they were tried: the number names their result files. */
static enum wg_code run_open(struct wg_batch_drive *drive, bool is_last, struct wg_err *err) {
    WG_CLEANUP(wg_freep) size_t *indices = wg_calloc(drive->plan->count + 1, sizeof *indices);
    enum wg_code code = WG_OK;
    for (int try = most_tries(drive); try >= 0 && code == WG_OK && *drive->stop == 0; try--) {
        size_t count = 0;
        for (size_t i = 0; i < drive->plan->count; i++) {
            if (is_open(&drive->rows[i]) && drive->rows[i].tries == try) {
                indices[count++] = i;
            }
        }
        code = count > 0 ? run_round(drive, indices, count, try, is_last, err) : WG_OK;
    }
    return code;
}

static size_t count_open(const struct wg_batch_drive *drive) {
    size_t count = 0;
    for (size_t i = 0; i < drive->plan->count; i++) {
        count += is_open(&drive->rows[i]) ? 1 : 0;
    }
    return count;
}

enum wg_code wg_batch_drive_run(struct wg_batch_drive *drive, struct wg_err *err) {
    enum wg_code code = WG_OK;
    for (int round = 0; code == WG_OK && *drive->stop == 0 && round < drive->tries; round++) {
        size_t open = count_open(drive);
        if (open == 0) {
            break;
        }
        if (round > 0 && drive->watch.retry != NULL) {
            drive->watch.retry(drive->watch.ctx, open);
        }
        code = run_open(drive, round + 1 == drive->tries, err);
    }
    return code;
}
