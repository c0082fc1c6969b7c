/* What the Slurm engine and its tasks on the nodes tell each other, through files of the spool:
 *
 *   SPOOL/slurm/ROUND.round       which items each task of the array grades
 *   SPOOL/slurm/ROUND.sh          the script that was submitted
 *   SPOOL/slurm/ROUND.job         the array's job id
 *   SPOOL/slurm/ROUND.TASK.log    what a task printed
 *   SPOOL/slurm/notes/INDEX.TRY   why a task has no result for an item, in words
 */
#ifndef WG_BATCH_SLURM_SPOOL_H
#define WG_BATCH_SLURM_SPOOL_H

#include "grader/batch/batch.h"
#include "grader/batch/slurm_text.h"

/* Heap: SPOOL/slurm/ROUND.SUFFIX. */
char *wg_slurm_path(const char *spool, size_t round, const char *suffix);

enum wg_code wg_slurm_round_write(const struct wg_batch_plan *plan,
                                  const struct wg_slurm_round *round, struct wg_err *err);
/* Errors: WG_ENOTFOUND, WG_EPARSE, WG_EIO. */
enum wg_code wg_slurm_round_read(const struct wg_batch_plan *plan, size_t number,
                                 struct wg_slurm_round *out, struct wg_err *err);

/* A note replaces an earlier one of the same item and try. */
enum wg_code wg_slurm_note_write(const struct wg_batch_plan *plan, size_t index, int try,
                                 const char *text, struct wg_err *err);
void wg_slurm_note_remove(const struct wg_batch_plan *plan, size_t index, int try);
/* Heap, clean UTF-8; NULL: there is none. */
char *wg_slurm_note_read(const struct wg_batch_plan *plan, size_t index, int try);

/* Sets done[INDEX] for every SPOOL/results/INDEX.TRY.json. Reads the folder instead of asking for
 * each file: network file systems remember for a minute that a file was not there. */
enum wg_code wg_slurm_results_scan(const struct wg_batch_plan *plan, int try, bool *done,
                                   struct wg_err *err);

#endif
