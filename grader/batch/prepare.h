/* From a roster and what the user wants to a plan. */
#ifndef WG_BATCH_PREPARE_H
#define WG_BATCH_PREPARE_H

#include "grader/batch/batch.h"
#include "grader/batch/roster.h"
#include "grader/store/store.h"

struct wg_batch_wishes {
    struct wg_batch_settings settings; /* borrowed strings */
    const char *assignment;            /* of rows that name none; NULL: recognized from the file */
    const char *roster_folder;         /* relative repositories are below it */
    const char *only;                  /* ids with commas between them; NULL: everybody */
    bool regrade;                      /* also what has not changed */
};

/* Rows whose assignment is not known become problems of the roster; the caller has a look at them
 * before the plan. store: what was graded before; NULL: nothing. The plan has no spool yet. Errors:
 * WG_EINVAL (an id that is not in the roster, an unknown --assignment), WG_EIO, WG_EPARSE. */
enum wg_code wg_batch_prepare(struct wg_roster *roster, const struct wg_batch_wishes *wishes,
                              struct wg_store *store, struct wg_batch_plan *out,
                              struct wg_err *err);

#endif
