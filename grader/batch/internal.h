/* Private to this folder: what a worker does, and what passes between it and its engine. */
#ifndef WG_BATCH_INTERNAL_H
#define WG_BATCH_INTERNAL_H

#include <stdatomic.h>

#include "grader/batch/batch.h"
#include "grader/manifest/manifest.h"
#include "grader/repo/repo.h"
#include "grader/store/store.h"

/* ---- source.c: submissions that were fetched before they are graded ---- */

enum wg_code wg_batch_source_write(const struct wg_batch_plan *plan, size_t index,
                                   const struct wg_submission *submission, const char *file,
                                   struct wg_err *err);
/* *file is the manifest's name of the file, heap. Errors: WG_ENOTFOUND: it was not fetched before;
 * WG_EPARSE, WG_EIO. */
enum wg_code wg_batch_source_read(const struct wg_batch_plan *plan, size_t index,
                                  struct wg_submission *out, char **file, struct wg_err *err);

/* ---- worker.c: one item, in a process of its own ---- */

enum wg_batch_mode { WG_BATCH_GRADE, WG_BATCH_FETCH };

/* Loaded before workers are forked, so that it is done once. */
struct wg_batch_assignments {
    struct wg_manifest **all;
    size_t count;
};

/* Where a worker says what it is at; shared memory. The engine may see half of a change, which a
 * line of progress survives. */
struct wg_batch_slot {
    char stage[192];
    atomic_uint changes;
};

/* Exit statuses of a worker; anything else is an accident. */
enum {
    WG_BATCH_EXIT_GRADED = 0,
    WG_BATCH_EXIT_UNCHANGED = 10,
    WG_BATCH_EXIT_OLDER = 11,
    WG_BATCH_EXIT_FETCHED = 12,
    WG_BATCH_EXIT_LOST = 13, /* not even the result could be written; slot->stage says why */
};

/* ---- collect.c ---- */

enum wg_code wg_batch_read_result(const struct wg_batch_plan *plan, size_t index, int try,
                                  struct wg_result **out, struct wg_err *err);
enum wg_code wg_batch_import(const struct wg_batch_plan *plan, struct wg_store *store, size_t index,
                             int try, const struct wg_result *result, bool *added,
                             struct wg_err *err);

/* A result that says that the item was not graded, and why ("the worker died of signal 11"). The
 * caller frees it. */
struct wg_result *wg_batch_fault(const struct wg_batch_plan *plan, size_t index, const char *why);

/* Does the item and writes its result file. Returns the exit status. */
int wg_batch_work(const struct wg_batch_job *job, size_t index, enum wg_batch_mode mode,
                  const struct wg_batch_assignments *assignments, struct wg_batch_slot *slot);

#endif
