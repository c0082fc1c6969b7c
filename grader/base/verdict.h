/* Verdicts: successful answers about a student's work. They are ordered; the worst one of the cases
 * names the submission. */
#ifndef WG_BASE_VERDICT_H
#define WG_BASE_VERDICT_H

#include <stdbool.h>

/* Ordered from best to worst, so that a later one wins; what a later stage cannot even reach
 * (build, fetch) is worse than what it can. GRADER_ERROR is our fault or the machine's: it never
 * costs a student a point and wins over everything, since the rest is then not known. */
enum wg_verdict {
    WG_VERDICT_PASS = 0,
    WG_VERDICT_TIMING_SUSPECT,
    WG_VERDICT_NONDETERMINISTIC,
    WG_VERDICT_UNINITIALIZED_READ,
    WG_VERDICT_BARRIER_DIVERGENCE,
    WG_VERDICT_WRONG_ANSWER,
    WG_VERDICT_DATA_RACE,
    WG_VERDICT_OUT_OF_BOUNDS,
    WG_VERDICT_INPUT_MODIFIED,
    WG_VERDICT_NO_KERNEL,
    WG_VERDICT_LAUNCH_ERROR,
    WG_VERDICT_OUTPUT_LIMIT,
    WG_VERDICT_MEMORY_LIMIT,
    WG_VERDICT_TIMEOUT,
    WG_VERDICT_CRASH,
    WG_VERDICT_POLICY_VIOLATION,
    WG_VERDICT_BUILD_ERROR,
    WG_VERDICT_MISSING_FILE,
    WG_VERDICT_FETCH_ERROR,
    WG_VERDICT_GRADER_ERROR,
    WG_VERDICT_COUNT
};

/* "WRONG_ANSWER": the spelling of every output format. Never NULL. */
const char *wg_verdict_name(enum wg_verdict verdict);

/* "wrong answer": for sentences. Never NULL. */
const char *wg_verdict_words(enum wg_verdict verdict);

/* False when the name is unknown. */
bool wg_verdict_parse(const char *name, enum wg_verdict *out);

static inline enum wg_verdict wg_verdict_worse(enum wg_verdict a, enum wg_verdict b) {
    return a > b ? a : b;
}

#endif
