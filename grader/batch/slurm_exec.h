/* Runs one of Slurm's commands: without a shell, with a time limit, in a process group of its own,
 * so that Ctrl-C does not interrupt it half-way. */
#ifndef WG_BATCH_SLURM_EXEC_H
#define WG_BATCH_SLURM_EXEC_H

#include "grader/base/buf.h"
#include "grader/base/err.h"

/* Appends what it prints to out. argv[0] is looked up in PATH. What a user's SQUEUE_ and SBATCH_
 * variables would change about the answer, and the tokens for git servers, it does not get. Errors:
 * WG_EUNSUPPORTED (there is no such command here, or it failed: its own words), WG_ELIMIT (it took
 * too long or printed too much), WG_EIO. */
enum wg_code wg_slurm_exec(const char *const *argv, struct wg_buf *out, struct wg_err *err);

#endif
