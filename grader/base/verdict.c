#include "grader/base/verdict.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name, *words;
} verdicts[WG_VERDICT_COUNT] = {
    [WG_VERDICT_PASS] = {"PASS", "pass"},
    [WG_VERDICT_TIMING_SUSPECT] = {"TIMING_SUSPECT", "timing suspect"},
    [WG_VERDICT_NONDETERMINISTIC] = {"NONDETERMINISTIC", "nondeterministic"},
    [WG_VERDICT_UNINITIALIZED_READ] = {"UNINITIALIZED_READ", "uninitialized read"},
    [WG_VERDICT_BARRIER_DIVERGENCE] = {"BARRIER_DIVERGENCE", "barrier divergence"},
    [WG_VERDICT_WRONG_ANSWER] = {"WRONG_ANSWER", "wrong answer"},
    [WG_VERDICT_DATA_RACE] = {"DATA_RACE", "data race"},
    [WG_VERDICT_OUT_OF_BOUNDS] = {"OUT_OF_BOUNDS", "out of bounds"},
    [WG_VERDICT_INPUT_MODIFIED] = {"INPUT_MODIFIED", "input modified"},
    [WG_VERDICT_NO_KERNEL] = {"NO_KERNEL", "no kernel"},
    [WG_VERDICT_LAUNCH_ERROR] = {"LAUNCH_ERROR", "launch error"},
    [WG_VERDICT_OUTPUT_LIMIT] = {"OUTPUT_LIMIT", "output limit"},
    [WG_VERDICT_MEMORY_LIMIT] = {"MEMORY_LIMIT", "memory limit"},
    [WG_VERDICT_TIMEOUT] = {"TIMEOUT", "timeout"},
    [WG_VERDICT_CRASH] = {"CRASH", "crash"},
    [WG_VERDICT_POLICY_VIOLATION] = {"POLICY_VIOLATION", "policy violation"},
    [WG_VERDICT_BUILD_ERROR] = {"BUILD_ERROR", "build error"},
    [WG_VERDICT_MISSING_FILE] = {"MISSING_FILE", "missing file"},
    [WG_VERDICT_FETCH_ERROR] = {"FETCH_ERROR", "fetch error"},
    [WG_VERDICT_GRADER_ERROR] = {"GRADER_ERROR", "grader error"},
};

const char *wg_verdict_name(enum wg_verdict verdict) {
    return (unsigned)verdict < WG_VERDICT_COUNT ? verdicts[verdict].name : "GRADER_ERROR";
}

const char *wg_verdict_words(enum wg_verdict verdict) {
    return (unsigned)verdict < WG_VERDICT_COUNT ? verdicts[verdict].words : "grader error";
}

bool wg_verdict_parse(const char *name, enum wg_verdict *out) {
    for (size_t i = 0; i < WG_VERDICT_COUNT; i++) {
        if (strcmp(name, verdicts[i].name) == 0) {
            *out = (enum wg_verdict)i;
            return true;
        }
    }
    return false;
}
