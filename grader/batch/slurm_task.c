#include "grader/batch/slurm_task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/batch/batch.h"
#include "grader/batch/slurm_spool.h"
#include "grader/batch/slurm_text.h"

struct task {
    struct wg_batch_plan plan;
    struct wg_slurm_round round;
    size_t *indices, count; /* without results yet */
    bool *ended;            /* by the plan's index */
};

static void note(const struct task *task, size_t index, const char *text) {
    struct wg_err err = {0};
    if (wg_slurm_note_write(&task->plan, index, task->round.try, text, &err) != WG_OK) {
        /* The log is all that is left to say it in. */
        fprintf(stderr, "item %zu: %s (%s)\n", index, text, err.msg);
    }
}

static void on_end(void *ctx, size_t index, enum wg_batch_end end, const char *why) {
    struct task *task = ctx;
    task->ended[index] = true;
    fprintf(stderr, "%s: %s\n", task->plan.items[index].student,
            end == WG_BATCH_GRADED ? "graded" : "no result");
    if (end == WG_BATCH_LOST) {
        note(task, index, why ? why : "it does not say why");
    } else if (end != WG_BATCH_GRADED) {
        note(task, index, "there was nothing to grade on the node");
    }
}

static enum wg_code read_share(struct task *task, const char *spool, size_t round, size_t number,
                               struct wg_err *err) {
    enum wg_code code = wg_batch_plan_read(spool, &task->plan, err);
    code = code ? code : wg_slurm_round_read(&task->plan, round, &task->round, err);
    if (code != WG_OK) {
        return code;
    }
    if (number >= task->round.tasks) {
        return wg_fail(err, WG_EINVAL, "round %zu of the batch has no task %zu", round, number);
    }
    task->ended = wg_calloc(task->plan.count + 1, sizeof *task->ended);
    task->indices = wg_calloc(task->round.count + 1, sizeof *task->indices);
    WG_CLEANUP(wg_freep) bool *done = wg_calloc(task->plan.count + 1, sizeof *done);
    code = wg_slurm_results_scan(&task->plan, task->round.try, done, err);
    for (size_t i = task->round.first[number]; i < task->round.first[number + 1]; i++) {
        size_t index = task->round.indices[i];
        if (!done[index]) {
            wg_slurm_note_remove(&task->plan, index, task->round.try);
            task->indices[task->count++] = index;
        }
    }
    return code;
}

/* What Slurm gave this task. Its numbers are those of the machine, not those inside the job. */
static void use_own_device(struct wg_batch_settings *settings) {
    const char *gpus = getenv("SLURM_JOB_GPUS");
    char first[16];
    if (gpus && !settings->device && strcmp(settings->platform, "cpu") != 0 &&
        wg_slurm_first_gpu(gpus, first)) {
        settings->device = wg_strdup(first);
    }
}

static int own_processors(void) {
    const char *text = getenv("SLURM_CPUS_ON_NODE");
    int count = text ? atoi(text) : 0;
    return count > 0 ? count : 1;
}

static enum wg_code run_share(struct task *task, const volatile sig_atomic_t *stop,
                              struct wg_err *err) {
    const struct wg_batch_job job = {
        .plan = &task->plan,
        .indices = task->indices,
        .count = task->count,
        .try = task->round.try,
        .jobs = own_processors(),
    };
    const struct wg_batch_events events = {.ctx = task, .end = on_end, .stop = stop};
    enum wg_code code = wg_batch_run_local(&job, &events, err);
    const char *why = code != WG_OK ? err->msg
                      : *stop       ? "it was told to stop before it came to this submission"
                                    : "it ended before it came to this submission";
    for (size_t i = 0; i < task->count; i++) {
        if (!task->ended[task->indices[i]]) {
            note(task, task->indices[i], why);
        }
    }
    return code;
}

enum wg_code wg_slurm_task_run(const char *spool, size_t round, size_t number,
                               const volatile sig_atomic_t *stop, struct wg_err *err) {
    struct task task = {0};
    enum wg_code code = read_share(&task, spool, round, number, err);
    if (code == WG_OK && task.count > 0) {
        use_own_device(&task.plan.settings);
        code = run_share(&task, stop, err);
    }
    wg_slurm_round_done(&task.round);
    wg_batch_plan_done(&task.plan);
    free(task.indices);
    free(task.ended);
    return code;
}
