#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/grade/summary.h"

static enum wg_verdict worst_case(const struct wg_result *result) {
    enum wg_verdict verdict = WG_VERDICT_PASS;
    for (size_t i = 0; i < result->case_count; i++) {
        verdict = wg_verdict_worse(verdict, result->cases[i].verdict);
    }
    return verdict;
}

static void put_dims(struct wg_buf *out, const struct wg_result_case *one) {
    for (size_t i = 0; i < one->dim_count; i++) {
        wg_buf_printf(out, "%s%s=%lld", i ? " " : "", one->dim_names[i] ? one->dim_names[i] : "?",
                      (long long)one->dims[i]);
    }
}

static char *sentence_of_pass(const struct wg_result *result, bool checked) {
    struct wg_buf out = {0};
    wg_buf_printf(&out, "All %zu cases are right", result->case_count);
    if (!checked) {
        wg_buf_puts(&out, "; memory errors and races were not looked for.");
    } else if (result->finding_count) {
        wg_buf_printf(&out, ", with %zu thing%s to look at.", result->finding_count,
                      result->finding_count == 1 ? "" : "s");
    } else {
        wg_buf_puts(&out, ", and no memory errors or races were found.");
    }
    return out.data;
}

static bool is_error_of(const struct wg_result_finding *finding, enum wg_verdict verdict) {
    return finding->severity && strcmp(finding->severity, "error") == 0 && finding->text &&
           finding->kind && strcmp(finding->kind, wg_verdict_name(verdict)) == 0;
}

static bool same_kernel(const struct wg_result_finding *a, const struct wg_result_finding *b) {
    return a->kernel && b->kernel && strcmp(a->kernel, b->kernel) == 0;
}

/* The first error of the verdict's kind, if the verdict stands on one. Races between threads that
 * stand at different barriers are a consequence of just that. */
static const struct wg_result_finding *cause(const struct wg_result *result) {
    const struct wg_result_finding *divergence = NULL;
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct wg_result_finding *finding = &result->findings[i];
        if (!divergence && !finding->detail &&
            is_error_of(finding, WG_VERDICT_BARRIER_DIVERGENCE)) {
            divergence = finding;
        }
        if (is_error_of(finding, result->verdict)) {
            bool is_consequence = result->verdict == WG_VERDICT_DATA_RACE && divergence &&
                                  same_kernel(divergence, finding);
            return is_consequence ? divergence : finding;
        }
    }
    return NULL;
}

static char *sentence_of_finding(const struct wg_result_finding *finding) {
    if (finding->at.file && finding->at.line > 0) {
        return wg_strf("%s:%d: %s", finding->at.file, finding->at.line, finding->text);
    }
    return wg_strdup(finding->text);
}

static char *sentence_of_cases(const struct wg_result *result) {
    const struct wg_result_case *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        const struct wg_result_case *one = &result->cases[i];
        if (one->verdict == result->verdict) {
            /* One that ran says more than one that could not any more. */
            first = !first || (first->not_run && !one->not_run) ? one : first;
            count++;
        }
    }
    if (!first) {
        return wg_strf("The submission ended with %s.", wg_verdict_words(result->verdict));
    }
    struct wg_buf out = {0};
    wg_buf_printf(&out, "%zu of %zu cases, for instance ", count, result->case_count);
    put_dims(&out, first);
    wg_buf_printf(&out, ": %s",
                  first->sentence ? first->sentence : wg_verdict_words(result->verdict));
    return out.data;
}

static char *sentence_of_suspect(const struct wg_result *result) {
    for (size_t i = 0; i < result->timing_count; i++) {
        const struct wg_result_timing *timing = &result->timings[i];
        if (timing->suspect && timing->note) {
            return wg_strf("The results are right, but the times cannot be: %s. There are no "
                           "points for speed until the instructor has looked at it.",
                           timing->note);
        }
    }
    return NULL;
}

void wg_summary_make(struct wg_result *result, bool checked) {
    result->verdict = wg_verdict_worse(result->verdict, worst_case(result));
    free(result->sentence);
    result->sentence = NULL;
    const struct wg_result_finding *finding = cause(result);
    if (result->verdict == WG_VERDICT_PASS) {
        result->sentence = sentence_of_pass(result, checked);
    } else if (finding) {
        result->sentence = sentence_of_finding(finding);
    } else if (result->verdict == WG_VERDICT_TIMING_SUSPECT) {
        result->sentence = sentence_of_suspect(result);
    }
    if (!result->sentence) {
        result->sentence = sentence_of_cases(result);
    }
}
