/* Measures a submission against the baseline, both in one process.
 *
 * Small groups of calls alternate, so that drift hits both; the data changes from group to group
 * under the same pointers, and what the last call of each group left is judged. */
#ifndef WG_CHECK_TIMING_H
#define WG_CHECK_TIMING_H

#include "grader/base/err.h"
#include "grader/check/check.h"
#include "grader/check/golden.h"

/* Appends a timing for each timed case of the platform, and a case for one that came out wrong. */
enum wg_code wg_timing_run(const struct wg_check_request *request, struct wg_golden_table *golden,
                           struct wg_result *result, struct wg_err *err);

/* The timed cases meant for a platform. */
bool wg_timing_is_wanted(const struct wg_check_request *request, size_t case_index);

#endif
