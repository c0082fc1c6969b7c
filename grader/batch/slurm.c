/* Theory of operation.
 *
 * A round is one job array: its tasks share out the items that have neither a result nor a task
 * that is still going to make one. A task runs the local engine on its node (slurm_task.c) and
 * leaves result files in the spool. This engine submits and then only looks: at the folder of
 * results, and at the queue, which it asks by job name. It keeps nothing in memory that could not
 * be found again, so it may stop or be killed at any time, and whoever runs it next goes on from
 * the files and the queue: what is finished counts, what is queued or running is waited for, the
 * rest is submitted as the next round.
 *
 * The queue decides when to stop waiting, never what a student gets. A task that Slurm requeues
 * (its node died, it was preempted) is in the queue again and grades what it had not graded. One
 * that ended for good and left items without a result - cancelled, out of time, failed - gives
 * those items the end WG_BATCH_LOST, with its reason. Should a result of theirs turn up later after
 * all, it has the same name as it always would have had, so that nothing is there twice.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/batch/batch.h"
#include "grader/batch/slurm_exec.h"
#include "grader/batch/slurm_spool.h"
#include "grader/batch/slurm_text.h"

#define QUEUED "waiting in the queue"

#define SECOND_NS INT64_C(1000000000)

/* Looking into a folder is cheap, asking the scheduler is not: more and more seldom, since what
 * runs for long need not be noticed at once. */
#define LOOK_EVERY_NS (SECOND_NS / 2)
#define ASK_FIRST_NS  (SECOND_NS / 2)
#define ASK_LAST_NS   (15 * SECOND_NS)
/* A controller may be down for a while, for instance to be upgraded. */
#define SILENCE_NS (600 * SECOND_NS)
/* Between the end of a task and giving its missing items up. States change in steps (a requeued
 * task is PREEMPTED or NODE_FAIL for a moment). A task that says it did all its work did: then the
 * results are on their way through a network file system. */
#define GRACE_ENDED_NS    (2 * SECOND_NS)
#define GRACE_COMPLETE_NS (60 * SECOND_NS)

#define OPTIONS_LIMIT_BYTES ((size_t)1 << 20)

struct item {
    bool wanted;    /* has no end yet */
    bool live;      /* some task is going to grade it */
    char shown[80]; /* the last stage that was told, with its host */
    char state[24]; /* of the last task that had it; "": never seen */
    uint64_t job;
    size_t round, task;
    int64_t gone_ns; /* when it was first seen without a task; 0: not yet */
};

struct watch {
    const struct wg_batch_job *job;
    const struct wg_batch_slurm *slurm;
    const struct wg_batch_events *events;
    struct wg_slurm_round *rounds;
    size_t round_count;
    struct item *items; /* by the plan's index */
    bool *done;         /* likewise: the result is there */
    size_t left;        /* wanted ones */
};

static void watch_done(struct watch *watch) {
    for (size_t i = 0; i < watch->round_count; i++) {
        wg_slurm_round_done(&watch->rounds[i]);
    }
    free(watch->rounds);
    free(watch->items);
    free(watch->done);
}

static void add_round(struct watch *watch, struct wg_slurm_round round) {
    watch->rounds = wg_realloc(watch->rounds, watch->round_count + 1, sizeof *watch->rounds);
    watch->rounds[watch->round_count++] = round;
}

static enum wg_code read_rounds(struct watch *watch, struct wg_err *err) {
    for (;;) {
        struct wg_slurm_round round;
        struct wg_err missing = {0};
        enum wg_code code =
            wg_slurm_round_read(watch->job->plan, watch->round_count, &round, &missing);
        if (code == WG_ENOTFOUND) {
            return WG_OK;
        }
        if (code != WG_OK) {
            *err = missing;
            return code;
        }
        add_round(watch, round);
    }
}

/* ---- Looking ---- */

static enum wg_code ask_queue(const struct watch *watch, struct wg_slurm_queue *out,
                              struct wg_err *err) {
    const char *batch = watch->job->plan->id;
    WG_CLEANUP(wg_buf_done) struct wg_buf names = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf answer = {0};
    WG_CLEANUP(wg_freep) char *user = wg_strf("--user=%u", (unsigned)getuid());
    for (size_t i = 0; i < watch->round_count; i++) {
        WG_CLEANUP(wg_freep) char *name = wg_slurm_job_name(batch, watch->rounds[i].number);
        wg_buf_printf(&names, "%s%s", i ? "," : "--name=", name);
    }
    const char *const argv[] = {
        "squeue",           "--noheader",          "--array", "--states=all", user,
        wg_buf_str(&names), WG_SLURM_QUEUE_FORMAT, NULL};
    enum wg_code code = wg_slurm_exec(argv, &answer, err);
    return code ? code : wg_slurm_queue_parse(wg_buf_str(&answer), batch, out, err);
}

/* What makes a task wait is worth a word when it is more than its turn. */
static void put_stage(const struct wg_slurm_task *task, char out[80]) {
    static const char *const ordinary[] = {"", "Resources", "Priority"};
    if (task->phase == WG_SLURM_RUNNING) {
        snprintf(out, 80, "grading");
        return;
    }
    for (size_t i = 0; i < sizeof ordinary / sizeof ordinary[0]; i++) {
        if (strcmp(task->reason, ordinary[i]) == 0) {
            snprintf(out, 80, "%s", QUEUED);
            return;
        }
    }
    snprintf(out, 80, QUEUED " (%.50s)", task->reason);
}

static void tell_stage(const struct watch *watch, size_t index, const struct wg_slurm_task *task) {
    struct item *item = &watch->items[index];
    const char *host = task->phase == WG_SLURM_RUNNING && task->host[0] ? task->host : NULL;
    char stage[80], all[80];
    put_stage(task, stage);
    snprintf(all, sizeof all, "%.40s %.36s", stage, host ? host : "");
    if (watch->events->stage && strcmp(all, item->shown) != 0) {
        memcpy(item->shown, all, sizeof all);
        watch->events->stage(watch->events->ctx, index, stage, host);
    }
}

/* Takes over what the queue says about an item of a task. */
static void see_item(struct watch *watch, size_t index, size_t task_number,
                     const struct wg_slurm_task *task) {
    struct item *item = &watch->items[index];
    /* A later round exists because this one was over; but a live task counts in any round. */
    bool is_live = task->phase != WG_SLURM_ENDED;
    if (!item->wanted || (!is_live && item->state[0] && task->round < item->round)) {
        return;
    }
    if (is_live) {
        item->live = true;
        tell_stage(watch, index, task);
    }
    item->job = task->job;
    item->round = task->round;
    item->task = task_number;
    snprintf(item->state, sizeof item->state, "%s", task->state);
}

/* Entries for one task count before those for the rest of an array, and live ones before ended. */
static void see_round(struct watch *watch, size_t number, const struct wg_slurm_queue *queue) {
    const struct wg_slurm_round *round = &watch->rounds[number];
    WG_CLEANUP(wg_freep)
    const struct wg_slurm_task **seen = wg_calloc(round->tasks + 1, sizeof *seen);
    const struct wg_slurm_task *rest = NULL;
    for (size_t i = 0; i < queue->count; i++) {
        const struct wg_slurm_task *task = &queue->tasks[i];
        if (task->round != number || (!task->is_rest && task->task >= round->tasks)) {
            continue;
        }
        const struct wg_slurm_task **place = task->is_rest ? &rest : &seen[task->task];
        if (!*place || (*place)->phase == WG_SLURM_ENDED) {
            *place = task;
        }
    }
    for (size_t t = 0; t < round->tasks; t++) {
        const struct wg_slurm_task *task = seen[t] ? seen[t] : rest;
        for (size_t i = round->first[t]; task && i < round->first[t + 1]; i++) {
            see_item(watch, round->indices[i], t, task);
        }
    }
}

static enum wg_code look_at_queue(struct watch *watch, struct wg_err *err) {
    if (watch->round_count == 0) {
        return WG_OK;
    }
    struct wg_slurm_queue queue = {0};
    enum wg_code code = ask_queue(watch, &queue, err);
    if (code != WG_OK) {
        return code;
    }
    for (size_t i = 0; i < watch->job->plan->count; i++) {
        watch->items[i].live = false;
    }
    for (size_t i = 0; i < watch->round_count; i++) {
        if (watch->rounds[i].try == watch->job->try) {
            see_round(watch, i, &queue);
        }
    }
    wg_slurm_queue_done(&queue);
    return WG_OK;
}

/* ---- Ends ---- */

static void end_item(struct watch *watch, size_t index, enum wg_batch_end end, const char *why) {
    watch->items[index].wanted = false;
    watch->left--;
    if (watch->events->end) {
        watch->events->end(watch->events->ctx, index, end, why);
    }
}

/* A task that failed without a note never came to run the program, or lost the spool. */
static void put_log(const struct watch *watch, const struct item *item, struct wg_buf *out) {
    const char *spool = watch->job->plan->spool;
    WG_CLEANUP(wg_freep)
    char *log = wg_strf("%s/slurm/%zu.%zu.log", spool, item->round, item->task);
    if (wg_file_exists(log)) {
        wg_buf_printf(out, "; what it printed is in %s", log);
    } else {
        wg_buf_printf(out, "; is %s on a file system that the nodes share (--spool)?", spool);
    }
}

static void lose_item(struct watch *watch, size_t index) {
    const struct item *item = &watch->items[index];
    WG_CLEANUP(wg_freep)
    char *note = wg_slurm_note_read(watch->job->plan, index, watch->job->try);
    WG_CLEANUP(wg_buf_done) struct wg_buf why = {0};
    if (item->state[0]) {
        wg_buf_printf(&why, "Slurm task %llu_%zu %s", (unsigned long long)item->job, item->task,
                      wg_slurm_state_words(item->state));
    } else {
        wg_buf_puts(&why, "its Slurm task is not in the queue any more");
    }
    if (note) {
        wg_buf_printf(&why, "; the task says: %s", note);
    } else if (strcmp(item->state, "FAILED") == 0) {
        put_log(watch, item, &why);
    }
    end_item(watch, index, WG_BATCH_LOST, wg_buf_str(&why));
}

static int64_t grace_of(const struct watch *watch, size_t index) {
    const struct item *item = &watch->items[index];
    bool claims_all = item->state[0] == '\0' || strcmp(item->state, "COMPLETED") == 0;
    if (!claims_all) {
        return GRACE_ENDED_NS;
    }
    WG_CLEANUP(wg_freep)
    char *note = wg_slurm_note_read(watch->job->plan, index, watch->job->try);
    return note ? GRACE_ENDED_NS : GRACE_COMPLETE_NS;
}

/* Whatever has its result is graded; whatever has no task any more is lost, after a while. */
static enum wg_code settle(struct watch *watch, struct wg_err *err) {
    enum wg_code code = wg_slurm_results_scan(watch->job->plan, watch->job->try, watch->done, err);
    int64_t now_ns = wg_clock_mono_ns();
    for (size_t i = 0; code == WG_OK && i < watch->job->plan->count; i++) {
        struct item *item = &watch->items[i];
        if (!item->wanted) {
            continue;
        }
        if (watch->done[i]) {
            end_item(watch, i, WG_BATCH_GRADED, NULL);
        } else if (item->live) {
            item->gone_ns = 0;
        } else if (item->gone_ns == 0) {
            item->gone_ns = now_ns;
        } else if (now_ns - item->gone_ns > grace_of(watch, i)) {
            lose_item(watch, i);
        }
    }
    return code;
}

/* ---- Submitting ---- */

static enum wg_code run_sbatch(const struct watch *watch, const struct wg_slurm_round *round,
                               const char *script, uint64_t *job, struct wg_err *err) {
    const struct wg_batch_slurm *slurm = watch->slurm;
    const struct wg_batch_plan *plan = watch->job->plan;
    WG_CLEANUP(wg_freep) char *name = wg_slurm_job_name(plan->id, round->number);
    char *owned[] = {
        wg_strf("--job-name=%s", name),
        wg_strf("--array=0-%zu", round->tasks - 1),
        wg_strf("--chdir=%s", plan->spool),
        /* Relative, so that a % in the spool's path means nothing. */
        wg_strf("--output=slurm/%zu.%%a.log", round->number),
        slurm->partition ? wg_strf("--partition=%s", slurm->partition) : NULL,
        slurm->gres ? wg_strf("--gres=%s", slurm->gres) : NULL,
        slurm->time ? wg_strf("--time=%s", slurm->time) : NULL,
        slurm->account ? wg_strf("--account=%s", slurm->account) : NULL,
    };
    enum { OWNED = sizeof owned / sizeof owned[0], FIXED = 8 };
    WG_CLEANUP(wg_freep)
    const char **argv = wg_calloc(OWNED + FIXED + slurm->extra_count + 2, sizeof *argv);
    /* --requeue comes first, so that the user can take it back. */
    const char *const fixed[FIXED] = {
        "sbatch",     "--parsable",   "--requeue",          "--nodes=1",
        "--ntasks=1", "--export=ALL", "--open-mode=append", "--input=/dev/null"};
    size_t count = 0;
    for (size_t i = 0; i < FIXED; i++) {
        argv[count++] = fixed[i];
    }
    for (size_t i = 0; i < OWNED; i++) {
        if (owned[i]) {
            argv[count++] = owned[i];
        }
    }
    for (size_t i = 0; i < slurm->extra_count; i++) {
        argv[count++] = slurm->extra[i];
    }
    argv[count] = script;
    WG_CLEANUP(wg_buf_done) struct wg_buf answer = {0};
    enum wg_code code = wg_slurm_exec(argv, &answer, err);
    if (code == WG_OK && !wg_slurm_parse_submitted(wg_buf_str(&answer), job)) {
        code = wg_fail(err, WG_EPARSE, "sbatch says '%.80s' instead of a job's number",
                       wg_buf_str(&answer));
    }
    for (size_t i = 0; i < OWNED; i++) {
        free(owned[i]);
    }
    return code;
}

static enum wg_code write_script(const struct watch *watch, size_t round, const char *path,
                                 struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *program = realpath("/proc/self/exe", NULL);
    if (!program) {
        return wg_fail(err, WG_EIO, "find the program's own path");
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    wg_slurm_script(program, watch->slurm->jail, watch->job->plan->spool, round, &text);
    return wg_file_write(path, text.data, text.len, 0700, err);
}

static enum wg_code submit(struct watch *watch, const struct wg_slurm_round *round,
                           struct wg_err *err) {
    const struct wg_batch_plan *plan = watch->job->plan;
    WG_CLEANUP(wg_freep) char *script = wg_slurm_path(plan->spool, round->number, "sh");
    WG_CLEANUP(wg_freep) char *record = wg_slurm_path(plan->spool, round->number, "job");
    WG_CLEANUP(wg_freep) char *round_path = wg_slurm_path(plan->spool, round->number, "round");
    uint64_t job = 0;
    enum wg_code code = wg_slurm_round_write(plan, round, err);
    code = code ? code : write_script(watch, round->number, script, err);
    code = code ? code : run_sbatch(watch, round, script, &job, err);
    if (code != WG_OK) {
        unlink(round_path);
        return code;
    }
    WG_CLEANUP(wg_freep) char *text = wg_strf("%llu\n", (unsigned long long)job);
    for (size_t i = 0; i < round->count; i++) {
        struct item *item = &watch->items[round->indices[i]];
        *item = (struct item){.wanted = true, .live = true, .job = job, .round = round->number};
        if (watch->events->stage) {
            watch->events->stage(watch->events->ctx, round->indices[i], QUEUED, NULL);
        }
    }
    return wg_file_write(record, text, strlen(text), 0600, err);
}

/* Submits what has no result and no task. */
static enum wg_code submit_rest(struct watch *watch, struct wg_err *err) {
    WG_CLEANUP(wg_freep) size_t *rest = wg_calloc(watch->left + 1, sizeof *rest);
    size_t count = 0;
    for (size_t i = 0; i < watch->job->plan->count; i++) {
        if (watch->items[i].wanted && !watch->items[i].live) {
            wg_slurm_note_remove(watch->job->plan, i, watch->job->try);
            rest[count++] = i;
        }
    }
    if (count == 0) {
        return WG_OK;
    }
    struct wg_slurm_round round;
    wg_slurm_round_make(watch->round_count, watch->job->try, rest, count,
                        wg_slurm_chunk_size(count, watch->slurm->chunk), &round);
    enum wg_code code = submit(watch, &round, err);
    if (code != WG_OK) {
        wg_slurm_round_done(&round);
        return code;
    }
    add_round(watch, round);
    return WG_OK;
}

/* ---- The whole ---- */

static void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

static enum wg_code watch_until_done(struct watch *watch, struct wg_err *err) {
    int64_t begin_ns = wg_clock_mono_ns();
    int64_t asked_ns = begin_ns, answered_ns = begin_ns, looked_ns = 0;
    while (watch->left > 0 && *watch->events->stop == 0) {
        int64_t now_ns = wg_clock_mono_ns();
        int64_t every_ns = (now_ns - begin_ns) / 20;
        every_ns = every_ns < ASK_FIRST_NS  ? ASK_FIRST_NS
                   : every_ns > ASK_LAST_NS ? ASK_LAST_NS
                                            : every_ns;
        if (now_ns - asked_ns > every_ns) {
            struct wg_err silence = {0};
            asked_ns = now_ns;
            if (look_at_queue(watch, &silence) == WG_OK) {
                answered_ns = now_ns;
            } else if (now_ns - answered_ns > SILENCE_NS) {
                *err = silence;
                return silence.code;
            }
        }
        if (now_ns - looked_ns > LOOK_EVERY_NS) {
            looked_ns = now_ns;
            enum wg_code code = settle(watch, err);
            if (code != WG_OK) {
                return code;
            }
        }
        nap();
    }
    return WG_OK;
}

enum wg_code wg_batch_run_slurm(const struct wg_batch_job *job, const struct wg_batch_slurm *slurm,
                                const struct wg_batch_events *events, struct wg_err *err) {
    struct watch watch = {.job = job, .slurm = slurm, .events = events};
    watch.items = wg_calloc(job->plan->count + 1, sizeof *watch.items);
    watch.done = wg_calloc(job->plan->count + 1, sizeof *watch.done);
    for (size_t i = 0; i < job->count; i++) {
        watch.left += !watch.items[job->indices[i]].wanted;
        watch.items[job->indices[i]].wanted = true;
    }
    enum wg_code code = wg_slurm_check_options(slurm, err);
    code = code ? code : read_rounds(&watch, err);
    code = code ? code : look_at_queue(&watch, err);
    code = code ? code : settle(&watch, err);
    code = code ? code : submit_rest(&watch, err);
    if (code == WG_OK && slurm->wait) {
        code = watch_until_done(&watch, err);
    }
    watch_done(&watch);
    return code;
}

char *wg_batch_slurm_jobs(const char *spool) {
    WG_CLEANUP(wg_buf_done) struct wg_buf jobs = {0};
    for (size_t round = 0;; round++) {
        WG_CLEANUP(wg_freep) char *path = wg_slurm_path(spool, round, "job");
        WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
        struct wg_err ignored = {0};
        uint64_t job = 0;
        if (wg_file_read(path, 64, &text, &ignored) != WG_OK) {
            return jobs.len ? WG_TAKE(&jobs.data) : NULL;
        }
        if (wg_slurm_parse_submitted(wg_buf_str(&text), &job)) {
            wg_buf_printf(&jobs, "%s%llu", jobs.len ? " " : "", (unsigned long long)job);
        }
    }
}

enum wg_code wg_slurm_options_save(const char *spool, const struct wg_batch_slurm *slurm,
                                   struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *folder = wg_path_join(spool, "slurm");
    WG_CLEANUP(wg_freep) char *path = wg_path_join(folder, "options");
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    enum wg_code code = wg_slurm_check_options(slurm, err);
    wg_slurm_options_put(slurm, &text);
    code = code ? code : wg_folder_make(folder, 0700, err);
    return code ? code : wg_file_write(path, text.data, text.len, 0600, err);
}

enum wg_code wg_slurm_options_load(const char *spool, struct wg_slurm_options *out,
                                   struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(spool, "slurm/options");
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    enum wg_code code = wg_file_read(path, OPTIONS_LIMIT_BYTES, &text, err);
    return code ? code : wg_slurm_options_parse(wg_buf_str(&text), out, err);
}
