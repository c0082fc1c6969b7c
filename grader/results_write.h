/* What `wavegrade results` prints of a store. */
#ifndef WG_RESULTS_WRITE_H
#define WG_RESULTS_WRITE_H

#include "grader/export/export.h"
#include "grader/store/store.h"

#define WG_RESULTS_SCHEMA "wavegrade/results/v1"

/* A table for people. */
void wg_results_put_text(const struct wg_store_attempts *attempts,
                         const struct wg_text_style *style, struct wg_buf *out);

/* wavegrade/results/v1; with each attempt's whole result, if wanted. Errors: those of reading. */
enum wg_code wg_results_put_json(struct wg_store *store, const struct wg_store_attempts *attempts,
                                 bool with_results, struct wg_buf *out, struct wg_err *err);

#endif
