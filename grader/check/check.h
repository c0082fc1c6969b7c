/* Runs a built submission case by case in its jail and judges every byte that comes back.
 *
 * Appends cases, findings, timings and counters to a struct wg_result that the caller owns. The
 * student's faults become verdicts of cases; only our own and the machine's are errors. */
#ifndef WG_CHECK_H
#define WG_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "grader/base/err.h"
#include "grader/build/build.h"
#include "grader/manifest/manifest.h"
#include "grader/result/result.h"

struct wg_check_request {
    const char *platform; /* "cpu", "amd", "nvidia" */
    const struct wg_manifest *manifest;
    const struct wg_build *student, *baseline, *tuned,
        *golden;                  /* baseline (then nothing is timed) and tuned may be NULL */
    const struct wg_build *probe; /* with timing */
    uint64_t seed;                /* everything random is derived from it */
    bool checked;                 /* run the checked build as well, where there is one */
    bool timing;
    int warp_size; /* 0: the platform's own */
    int workers;   /* processes at a time, at least two; 0: one a processor */
    void (*progress)(void *ctx, const char *what, size_t done, size_t total); /* may be NULL */
    void *progress_ctx;
};

enum wg_code wg_check_run(const struct wg_check_request *request, struct wg_result *result,
                          struct wg_err *err);

#endif
