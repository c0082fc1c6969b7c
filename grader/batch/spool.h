/* Spools as folders: whose they are, and what becomes of those that were left behind. */
#ifndef WG_BATCH_SPOOL_H
#define WG_BATCH_SPOOL_H

#include <stdbool.h>

#include "grader/batch/batch.h"
#include "grader/store/store.h"

/* The spool's lock; *fd stays -1 when another process has it. It is given up with the process. */
enum wg_code wg_batch_spool_lock(const char *spool, int *fd, struct wg_err *err);

/* Removes a spool whose batch is finished. Leftovers are no reason to fail. */
void wg_batch_spool_remove(const char *spool);

/* Before a new batch: what earlier ones of this store left behind is imported, and they are
 * finished. Those that another process runs stay. Errors: WG_EINVAL when one is still in the queue
 * of a cluster. */
enum wg_code wg_batch_spool_settle(struct wg_store *store, struct wg_err *err);

/* The newest unfinished batch that nobody runs, locked. Errors: WG_ENOTFOUND, WG_EINVAL (another
 * process runs it), those of reading the plan. */
enum wg_code wg_batch_spool_resume(struct wg_store *store, struct wg_batch_plan *out, int *lock,
                                   struct wg_err *err);

#endif
