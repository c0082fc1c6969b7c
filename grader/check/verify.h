/* Looks at what a timed call left behind.
 *
 * The same call was made in a process that the submission never enters, on equal data that nobody
 * has seen before. Which parts are compared is drawn after the call, so that no part can be left
 * out safely; a thorough look takes everything. Bytes are copied out of both processes and compared
 * here. */
#ifndef WG_CHECK_VERIFY_H
#define WG_CHECK_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "grader/base/verdict.h"
#include "grader/check/bench.h"

struct wg_verify {
    const struct wg_manifest *manifest;
    const int64_t *dims;
    const struct wg_image *image;
    struct wg_bench *seen; /* whose call it was */
    uint32_t seen_set;
    struct wg_bench *trusted; /* results lie in set 0, magnitudes (where needed) in set 1 */
    uint64_t draw;            /* seed of what is looked at */
    bool thorough;
    /* What is wrong: PASS, WRONG_ANSWER, INPUT_MODIFIED or OUT_OF_BOUNDS, and a sentence (heap). */
    enum wg_verdict verdict;
    char *sentence;
};

/* Does any output's judge want magnitudes? */
bool wg_verify_needs_magnitudes(const struct wg_manifest *manifest);

/* False: a process did not answer; *culprit is the one. */
bool wg_verify_call(struct wg_verify *verify, struct wg_bench **culprit, enum wg_answer *answer);

#endif
