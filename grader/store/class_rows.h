/* From a store to what class-wide formats are made from (grader/export/class.h). */
#ifndef WG_STORE_CLASS_ROWS_H
#define WG_STORE_CLASS_ROWS_H

#include "grader/export/class.h"
#include "grader/store/store.h"

/* Owns everything that `class` borrows; wg_store_class_done frees it. */
struct wg_store_class {
    struct wg_class class; /* title and anonymous are the caller's to set */
    struct wg_class_row *rows;
    struct wg_result **results;
    struct wg_store_attempts attempts;
};

/* Every attempt that the filter picks, with its result. A result that cannot be read any more
 * stands as NULL. Errors: WG_EIO. */
enum wg_code wg_store_class_load(struct wg_store *store, const struct wg_store_filter *filter,
                                 struct wg_store_class *out, struct wg_err *err);
void wg_store_class_done(struct wg_store_class *class);

#endif
