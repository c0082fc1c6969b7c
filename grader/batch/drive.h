/* A batch from its plan to a complete table: runs the engine, brings results into the store as they
 * come, tries again what could not be graded.
 *
 * A struct wg_batch_drive is filled by the caller, who owns everything that it points to; `rows`
 * belongs to it (wg_batch_drive_done). */
#ifndef WG_BATCH_DRIVE_H
#define WG_BATCH_DRIVE_H

#include "grader/batch/batch.h"
#include "grader/store/store.h"

enum wg_batch_state {
    WG_BATCH_OPEN,     /* nothing is known yet */
    WG_BATCH_DONE,     /* graded in this batch; the verdict may be GRADER_ERROR */
    WG_BATCH_SAME,     /* unchanged: the grading that the store has still holds */
    WG_BATCH_LEFT_OUT, /* its commit is older than what was asked for */
};

struct wg_batch_row {
    enum wg_batch_state state;
    enum wg_verdict verdict;
    char *assignment; /* its id; NULL: not known */
    double points, max_points, wall_ms, cpu_ms;
    int tries; /* so far; names the next result file */
    char *why; /* of the last try that left no result; NULL: none */
};

/* What is shown while it goes on; any of them may be NULL. */
struct wg_batch_watch {
    void *ctx;
    void (*stage)(void *ctx, size_t index, const char *stage, const char *where);
    void (*row)(void *ctx, size_t index, const struct wg_batch_row *row); /* it has its state */
    void (*retry)(void *ctx, size_t count); /* that many are tried again */
    /* Importing failed: the result file stays in the spool for --resume. */
    void (*trouble)(void *ctx, size_t index, const struct wg_err *err);
};

/* What the gradings of this run took, summed up. */
struct wg_batch_cost {
    size_t graded;
    double fetch_ms, build_ms, check_ms, timing_ms, cpu_ms;
};

struct wg_batch_drive {
    const struct wg_batch_plan *plan;
    struct wg_store *store;
    int jobs;
    int tries;                          /* of each item, in this run */
    const struct wg_batch_slurm *slurm; /* NULL: on this machine */
    struct wg_batch_watch watch;
    const volatile sig_atomic_t *stop;
    struct wg_batch_row *rows; /* one an item */
    struct wg_batch_cost cost;
};

/* Takes over what earlier runs of this batch left in the spool and in the store. */
enum wg_code wg_batch_drive_start(struct wg_batch_drive *drive, struct wg_err *err);
/* Grades what is open. Returns WG_OK after a stop as well. */
enum wg_code wg_batch_drive_run(struct wg_batch_drive *drive, struct wg_err *err);
void wg_batch_drive_done(struct wg_batch_drive *drive);

/* Imports every result file of a spool: as often as one likes, also while its batch runs elsewhere.
 * *imported counts what the store did not have. Errors: WG_EIO. */
enum wg_code wg_batch_collect(const struct wg_batch_plan *plan, struct wg_store *store,
                              size_t *imported, struct wg_err *err);

#endif
