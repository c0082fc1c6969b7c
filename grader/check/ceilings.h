/* What this device can do at best, measured on it and never taken from a data sheet: what a launch
 * costs, how fast memory is copied, how fast the vendor's matrix product is. */
#ifndef WG_CHECK_CEILINGS_H
#define WG_CHECK_CEILINGS_H

#include "grader/check/bench.h"

struct wg_ceilings {
    double floor_ms; /* of an empty launch */
    double copy_ms;  /* copying as many bytes as the call has to move; 0: no formula */
    double blas_ms;  /* the vendor's product of this size; 0: not asked for, or none here */
    bool has_blas;
    char blas_words[128]; /* its name, or why there is none; "": not asked for */
};

/* Once a process. False: *answer and bench->reply tell why. */
bool wg_ceilings_find_floor(struct wg_bench *bench, struct wg_ceilings *out,
                            enum wg_answer *answer);
/* For each size. */
bool wg_ceilings_find(struct wg_bench *bench, const int64_t *dims, const struct wg_image *image,
                      double bytes, struct wg_ceilings *out, enum wg_answer *answer);

#endif
