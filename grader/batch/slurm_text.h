/* What Slurm's commands are told and what they print, apart from running them.
 *
 * All parsers are strict: what they do not know is an error, never a guess. */
#ifndef WG_BATCH_SLURM_TEXT_H
#define WG_BATCH_SLURM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"
#include "grader/batch/batch.h"

/* ---- Rounds: what one job array was asked to grade ---- */

/* Task K of the array grades the items indices[first[K]] to indices[first[K + 1] - 1]. */
struct wg_slurm_round {
    size_t number; /* from 0, in the order of submission */
    int try;
    size_t *indices, count;
    size_t *first, tasks; /* tasks + 1 of them */
};

/* How many items a task gets, when the user does not say. */
size_t wg_slurm_chunk_size(size_t items, size_t wanted);

/* Cuts the items into tasks of chunk items. */
void wg_slurm_round_make(size_t number, int try, const size_t *indices, size_t count, size_t chunk,
                         struct wg_slurm_round *out);
void wg_slurm_round_put(const struct wg_slurm_round *round, struct wg_buf *out);
/* Errors: WG_EPARSE; also for indices that are not below item_count. */
enum wg_code wg_slurm_round_parse(const char *text, size_t number, size_t item_count,
                                  struct wg_slurm_round *out, struct wg_err *err);
void wg_slurm_round_done(struct wg_slurm_round *round);

/* "wavegrade-BATCH-rNUMBER": by it the queue tells what is left of a round, even if the process
 * that submitted it died before it could write anything down. */
char *wg_slurm_job_name(const char *batch, size_t round);

/* ---- Submitting ---- */

/* Refuses options that would break what the engine relies on, and text that is no option at all.
 * Errors: WG_EINVAL. */
enum wg_code wg_slurm_check_options(const struct wg_batch_slurm *slurm, struct wg_err *err);

/* The script of the array's tasks: runs PROGRAM slurm-task [--jail JAIL] SPOOL ROUND. */
void wg_slurm_script(const char *program, const char *jail, const char *spool, size_t round,
                     struct wg_buf *out);

/* What sbatch --parsable prints: "123" or "123;cluster". */
bool wg_slurm_parse_submitted(const char *text, uint64_t *job);

/* What a batch was started with, so that resuming it needs no more than the store. */
void wg_slurm_options_put(const struct wg_batch_slurm *slurm, struct wg_buf *out);
/* Errors: WG_EPARSE. */
enum wg_code wg_slurm_options_parse(const char *text, struct wg_slurm_options *out,
                                    struct wg_err *err);

/* ---- The queue ---- */

#define WG_SLURM_QUEUE_FORMAT "--format=%j|%F|%K|%T|%B|%r"

enum wg_slurm_phase {
    WG_SLURM_WAITING,
    WG_SLURM_RUNNING,
    WG_SLURM_ENDED, /* for good */
};

struct wg_slurm_task {
    size_t round;
    uint64_t job; /* of the array */
    size_t task;
    /* Not one task but all that have no entry of their own: an array before its first task starts
     * is a single record, and stays one when it is cancelled. */
    bool is_rest;
    enum wg_slurm_phase phase;
    char state[24];  /* Slurm's word */
    char host[64];   /* "": none yet */
    char reason[64]; /* why it waits; "": no reason */
};
struct wg_slurm_queue {
    struct wg_slurm_task *tasks;
    size_t count;
};

/* Reads what squeue --noheader --array WG_SLURM_QUEUE_FORMAT prints; jobs of other
 * batches are passed over. Errors: WG_EPARSE. */
enum wg_code wg_slurm_queue_parse(const char *text, const char *batch, struct wg_slurm_queue *out,
                                  struct wg_err *err);
void wg_slurm_queue_done(struct wg_slurm_queue *queue);

/* Why a task that ended in this state left work undone, for people, with what to do about it. */
const char *wg_slurm_state_words(const char *state);

/* The first device in SLURM_JOB_GPUS ("2", "0,1", "4-7"), into out; false: none is named. */
bool wg_slurm_first_gpu(const char *list, char out[16]);

#endif
