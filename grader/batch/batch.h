/* Grading a whole class.
 *
 * A batch is a plan (what is to be graded, and how) and a spool, a folder of result files. An
 * engine turns the items of a plan into result files, here (local.c) or on a cluster (slurm.c);
 * whoever has the plan and a result file can import it into the store, at any time and as often as
 * they like. So a killed batch loses nothing that was finished, and nothing is there twice.
 *
 *   SPOOL/plan.json              the plan
 *   SPOOL/lock                   held (flock) by the process that runs the batch
 *   SPOOL/sources/INDEX.json     fetched submissions, for engines whose machines do not fetch
 *   SPOOL/sources/INDEX.source   the graded file, byte for byte
 *   SPOOL/builds/               what was compiled, so that the same source is compiled once
 *   SPOOL/results/INDEX.TRY.json a result (wavegrade/result/v1); appears whole or not at all
 *
 * Everything in a spool may be on a file system that several machines share. */
#ifndef WG_BATCH_H
#define WG_BATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"
#include "grader/result/result.h"

/* ---- Plans (plan.c) ---- */

/* How every item is graded. */
struct wg_batch_settings {
    char *platform;         /* "cpu", "amd", "nvidia"; never "auto" */
    char *device, *ssh_key; /* NULL: not given */
    uint64_t seed;          /* the same for the whole class */
    bool timing, checked, facts;
    int warp_size;      /* 0: the platform's own */
    int64_t deadline_s; /* 0: none */
    int64_t since_s;    /* earlier commits are left out; 0: none is */
    bool mark_late;     /* grade the newest commit, however late; else the last before */
};

/* One row of the roster. */
struct wg_batch_item {
    char *student, *repository;             /* never NULL */
    char *name, *ref, *folder, *assignment; /* NULL: not given */
    char *asked; /* digest of settings, folder and assignment, for the store */
    /* A commit whose grading is in the store and still holds: finding just that again is
     * "unchanged" and no result file. NULL: grade in any case. */
    char *known_commit, *known_tree;
    int64_t known_time_s; /* when it was committed */
    enum wg_verdict known_verdict;
    char *likely_assignment; /* what this repository was graded for before: whose an answer is that
                                came without finding that out. NULL: not known */
    bool skip_same; /* a FETCH_ERROR or MISSING_FILE that the store has is not kept again */
    size_t line;    /* in the roster */
};

struct wg_batch_plan {
    char *id;    /* unique, file-name safe: "20261130-181500-4f3a" */
    char *spool; /* absolute; not written into the file, which may be seen under another name */
    struct wg_batch_settings settings;
    struct wg_batch_item *items;
    size_t count;
};

/* Writes SPOOL/plan.json and makes the folders. */
enum wg_code wg_batch_plan_write(const struct wg_batch_plan *plan, struct wg_err *err);
/* Reads a spool's plan. Errors: WG_ENOTFOUND, WG_EPARSE, WG_EIO. */
enum wg_code wg_batch_plan_read(const char *spool, struct wg_batch_plan *out, struct wg_err *err);
void wg_batch_plan_done(struct wg_batch_plan *plan);

/* Heap: SPOOL/results/INDEX.TRY.json. */
char *wg_batch_result_path(const struct wg_batch_plan *plan, size_t index, int try);
/* Heap: "ID/INDEX.TRY", the attempt's uid in the store. */
char *wg_batch_uid(const struct wg_batch_plan *plan, size_t index, int try);

/* ---- What the engine tells while it works; any of them may be NULL ---- */

enum wg_batch_end {
    WG_BATCH_GRADED,    /* its result file is there */
    WG_BATCH_UNCHANGED, /* the known commit is still the one: no result file */
    WG_BATCH_OLDER,     /* the commit is older than settings.since_s: no result file */
    WG_BATCH_FETCHED,   /* after WG_BATCH_FETCH: SPOOL/sources has it */
    WG_BATCH_LOST,      /* no result file, and none will come: why says what happened */
};

struct wg_batch_events {
    void *ctx;
    /* stage: "fetching", "compiling", "waiting in the queue", ...; where: a machine's name or NULL.
     * Any number of times. */
    void (*stage)(void *ctx, size_t index, const char *stage, const char *where);
    /* Once for every item of the run, as soon as it is known. */
    void (*end)(void *ctx, size_t index, enum wg_batch_end end, const char *why);
    /* Set by a signal handler: 1 finish what is being written and come back, 2 at once. Items
     * without an end stay for --resume. Never NULL. */
    const volatile sig_atomic_t *stop;
};

/* Which of the plan's items, and which time each is tried (0, 1, ...: names its result file). */
struct wg_batch_job {
    const struct wg_batch_plan *plan;
    const size_t *indices;
    size_t count;
    int try;
    int jobs; /* workers at a time; 0: one a processor */
};

/* ---- Engines ---- */

/* Each comes back when every item had its end, or after a stop. Errors are those of the whole
 * undertaking (no folder, no scheduler); what befalls one item is its end. */

/* local.c: a process an item, on this machine. Items that were fetched before are graded from
 * SPOOL/sources. Engines for clusters run it on the node for a chunk of the plan. */
enum wg_code wg_batch_run_local(const struct wg_batch_job *job,
                                const struct wg_batch_events *events, struct wg_err *err);

/* local.c: only looks and fetches, on this machine: WG_BATCH_UNCHANGED, WG_BATCH_FETCHED, or
 * WG_BATCH_GRADED where there is nothing to grade (FETCH_ERROR, MISSING_FILE). */
enum wg_code wg_batch_run_fetch(const struct wg_batch_job *job,
                                const struct wg_batch_events *events, struct wg_err *err);

/* slurm.c: options from the command line; NULL and 0: not given. */
struct wg_batch_slurm {
    const char *partition, *gres, *time, *account;
    const char *const *extra; /* further arguments of sbatch */
    size_t extra_count;
    const char *jail; /* which one on the nodes, as for --jail */
    size_t chunk;     /* items a task */
    bool wait;        /* stay until all is done; otherwise come back after submitting */
};
enum wg_code wg_batch_run_slurm(const struct wg_batch_job *job, const struct wg_batch_slurm *slurm,
                                const struct wg_batch_events *events, struct wg_err *err);
/* Heap: the job arrays that were submitted for a spool, "123 124", for telling how to cancel them;
 * NULL: none. */
char *wg_batch_slurm_jobs(const char *spool);

/* What a batch was started with is kept in its spool, so that resuming it needs nothing but the
 * store. Load: WG_ENOTFOUND where the batch was not for Slurm. */
struct wg_slurm_options {
    struct wg_batch_slurm slurm; /* borrows from the rest */
    char *text;
    const char **extra;
};
enum wg_code wg_slurm_options_save(const char *spool, const struct wg_batch_slurm *slurm,
                                   struct wg_err *err);
enum wg_code wg_slurm_options_load(const char *spool, struct wg_slurm_options *out,
                                   struct wg_err *err);
void wg_slurm_options_done(struct wg_slurm_options *options);

#endif
