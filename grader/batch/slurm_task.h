/* What a task of a Slurm job array does on its node: grades its share of a round with the local
 * engine. */
#ifndef WG_BATCH_SLURM_TASK_H
#define WG_BATCH_SLURM_TASK_H

#include <signal.h>
#include <stddef.h>

#include "grader/base/err.h"

/* task: which one of the round. Items that have a result already (the task was put back into the
 * queue) are left alone; for each that gets none there is a note in the spool. stop as in struct
 * wg_batch_events. Errors: those of the local engine, WG_ENOTFOUND and WG_EPARSE for the spool. */
enum wg_code wg_slurm_task_run(const char *spool, size_t round, size_t task,
                               const volatile sig_atomic_t *stop, struct wg_err *err);

#endif
