/* Measures a submission against the baseline: which calls are made in which order, for how long,
 * and what becomes of their times.
 *
 * Submission and baseline take turns in one process, so that drift hits both, and the score goes by
 * their ratio. Every call gets new data; what each timed call of the submission leaves is compared
 * (verify.h) with what the baseline makes of the same data in another process. The clock of the
 * process and ours are held against each other and against what the device can do (pace.h,
 * ceilings.h). */
#ifndef WG_CHECK_TIMING_H
#define WG_CHECK_TIMING_H

#include "grader/base/err.h"
#include "grader/check/bench.h"
#include "grader/check/ceilings.h"
#include "grader/check/check.h"
#include "grader/check/outcome.h"
#include "grader/check/pace.h"

#define WG_TIMING_SAMPLES 500

struct wg_timing_subject {
    struct wg_bench_sample warmups[WG_TIMING_SAMPLES], samples[WG_TIMING_SAMPLES];
    size_t warmup_count, sample_count;
};

/* One size. */
struct wg_timing_size {
    const struct wg_check_request *request;
    size_t case_index;
    const int64_t *dims;
    bool emulated;
    struct wg_pace_limits limits;
    struct wg_timing_subject subjects[2]; /* by enum wg_subject */
    struct wg_ceilings ceilings;
    double others_ms; /* of the trusted process in all, and in how many calls */
    size_t others_count;
    enum wg_pace_stop stop;
    size_t checked_calls;
    const char *note;          /* why there is no figure */
    struct wg_outcome outcome; /* of the submission */
};

/* Appends a timing for each timed case of the platform, and a case for one that came out wrong. */
enum wg_code wg_timing_run(const struct wg_check_request *request, struct wg_result *result,
                           struct wg_err *err);

/* The timed cases meant for a platform. */
bool wg_timing_is_wanted(const struct wg_check_request *request, size_t case_index);

/* ---- timing_result.c ---- */

/* What a size came to, into the result; takes the outcome's strings. */
void wg_timing_add_result(struct wg_timing_size *size, struct wg_result *result);
/* Width of the speedup's interval over the speedup; infinite while there is none. */
double wg_timing_interval_width(const struct wg_timing_size *size);

#endif
