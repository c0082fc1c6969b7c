/* All gradings of a course in one SQLite file: every attempt is kept with its whole result JSON,
 * beside columns for listing.
 *
 * Any number of processes may use one store at the same time (WAL, a busy timeout, short
 * transactions). A store that an older wavegrade wrote is brought up to date when it is opened; one
 * that a newer one wrote is refused. A struct wg_store belongs to one thread and must not be used
 * on the other side of a fork. Strings in structs that are read are the caller's, freed by the
 * struct's own function. */
#ifndef WG_STORE_H
#define WG_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"
#include "grader/result/result.h"

struct wg_store;

enum wg_store_mode {
    WG_STORE_CREATE, /* for writing; made when it is not there */
    WG_STORE_WRITE,  /* for writing; WG_ENOTFOUND when it is not there */
    WG_STORE_READ, /* WG_ENOTFOUND when it is not there; still brings an old store up to date, where
                      it can be written to; its folder need not be writable */
};

/* Errors: WG_ENOTFOUND, WG_EINVAL (not a store, or of a newer version), WG_EIO. */
enum wg_code wg_store_open(const char *path, enum wg_store_mode mode, struct wg_store **out,
                           struct wg_err *err);
void wg_store_close(struct wg_store *store);

/* ---- Attempts ---- */

/* What is known about a grading beside its result. Strings are borrowed; NULL: not known. */
struct wg_store_new {
    const char *uid;     /* of this attempt: importing it again changes nothing */
    const char *batch;   /* id of the batch; NULL: graded alone */
    const char *student; /* never NULL */
    const char *name;
    const char *asked;      /* digest of what was asked for, so that it need not be done again */
    const char *normalized; /* digest of the source without comments and spaces */
    int64_t deadline_s;     /* 0: none */
    bool is_late;           /* the graded commit is later than the deadline */
    double cpu_ms;          /* of the worker and all that it started; 0: not known */
};

/* Adds one attempt with its result's JSON (which includes submission.source where it is known).
 * *added (may be NULL) is false when the store had it already. Errors: WG_EIO. */
enum wg_code wg_store_add(struct wg_store *store, const struct wg_store_new *about,
                          const struct wg_result *result, bool *added, struct wg_err *err);

/* One attempt, without its JSON. Owns its strings; "" where nothing is known. */
struct wg_store_attempt {
    int64_t id;
    char *uid, *batch, *student, *name, *assignment, *asked, *normalized;
    enum wg_verdict verdict;
    char *sentence;
    double points, max_points, total_points;
    bool score_complete;
    char *repository, *ref, *commit, *tree, *digest, *platform, *version;
    int64_t commit_time_s, graded_s, deadline_s;
    bool is_late;
    double wall_ms, cpu_ms;
    uint32_t attempts;    /* of this student and assignment, in the whole store */
    uint32_t same_source; /* other students whose latest source for it is the same, normalized */
};

/* Of each student and assignment: the latest grading; the best one (most points, then the verdict,
 * then the later one; GRADER_ERROR only where there is nothing else); all. What was graded without
 * finding out for which assignment stands as an assignment "", as long as nothing later of the
 * student is known. */
enum wg_store_pick { WG_STORE_LATEST, WG_STORE_BEST, WG_STORE_ALL };

struct wg_store_filter {
    const char *student, *assignment, *verdict, *batch; /* NULL: any */
    int64_t since_s;                                    /* graded at or after; 0: any */
    enum wg_store_pick pick; /* among those of student, assignment, batch and time; the verdict is
                                asked of what was picked */
};

struct wg_store_attempts {
    struct wg_store_attempt *all; /* by student, assignment, time */
    size_t count;
};
enum wg_code wg_store_list(struct wg_store *store, const struct wg_store_filter *filter,
                           struct wg_store_attempts *out, struct wg_err *err);
void wg_store_attempts_done(struct wg_store_attempts *attempts);

/* Appends the JSON of one attempt (wg_result_from_json reads it). Errors: WG_ENOTFOUND, WG_EIO. */
enum wg_code wg_store_read_json(struct wg_store *store, int64_t id, struct wg_buf *out,
                                struct wg_err *err);

/* ---- Batches ---- */

struct wg_store_batch {
    char *id;
    int64_t started_s, finished_s; /* 0: not finished */
    char *spool;                   /* folder of its plan and of results that are not imported yet */
};
struct wg_store_batches {
    struct wg_store_batch *all;
    size_t count;
};
void wg_store_batches_done(struct wg_store_batches *batches);
enum wg_code wg_store_batch_start(struct wg_store *store, const char *id, const char *spool,
                                  struct wg_err *err);
enum wg_code wg_store_batch_finish(struct wg_store *store, const char *id, struct wg_err *err);
/* What was started and not finished, the newest first; whether somebody is at it, their spools
 * tell. */
enum wg_code wg_store_batches_unfinished(struct wg_store *store, struct wg_store_batches *out,
                                         struct wg_err *err);

#endif
