/* From samples to figures: what a size's timing says in the result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/trust.h"
#include "grader/check/golden.h"
#include "grader/check/timing.h"
#include "grader/stats/stats.h"

/* Below so many times the cost of an empty launch, that is what is measured. */
static const double floor_factor = 10;

/* A baseline that changes by more while it is measured is worth telling. */
static const double drift_told = 0.03;

/* So is a clock that is another one for the submission than for the baseline. */
static const double clocks_told = 0.02;

enum { WORDS = 256 };

/* Finding that nothing is left to wait for takes some microseconds, as often as not the same. What
 * a submission's calls take beyond that is work that they left on a stream of its own: it counts.
 */
static const double left_factor = 2;
static const double left_slack_ms = 0.005;

static double usual_left(const struct wg_timing_size *size) {
    const struct wg_timing_subject *baseline = &size->subjects[WG_SUBJECT_BASELINE];
    double left[WG_TIMING_SAMPLES];
    for (size_t i = 0; i < baseline->sample_count; i++) {
        left[i] = baseline->samples[i].left_ms;
    }
    return wg_stats_median(left, baseline->sample_count);
}

static void call_times(const struct wg_timing_size *size, enum wg_subject which, double *out) {
    const struct wg_timing_subject *subject = &size->subjects[which];
    double nothing_ms = left_factor * usual_left(size) + left_slack_ms;
    for (size_t i = 0; i < subject->sample_count; i++) {
        const struct wg_bench_sample *sample = &subject->samples[i];
        bool is_late = sample->left_ms > nothing_ms && !wg_trust_is_off("join");
        out[i] = sample->event_ms + (is_late ? sample->left_ms : 0);
    }
}

static void ratio_of(const struct wg_timing_size *size, struct wg_stats_ratio *out) {
    double student[WG_TIMING_SAMPLES];
    double baseline[WG_TIMING_SAMPLES];
    call_times(size, WG_SUBJECT_STUDENT, student);
    call_times(size, WG_SUBJECT_BASELINE, baseline);
    wg_stats_ratio(baseline, size->subjects[WG_SUBJECT_BASELINE].sample_count, student,
                   size->subjects[WG_SUBJECT_STUDENT].sample_count, out);
}

double wg_timing_interval_width(const struct wg_timing_size *size) {
    struct wg_stats_ratio ratio;
    ratio_of(size, &ratio);
    return ratio.ratio > 0 ? (ratio.high - ratio.low) / ratio.ratio : INFINITY;
}

static void summarize(const struct wg_timing_size *size, enum wg_subject which,
                      struct wg_result_statistics *out) {
    const struct wg_timing_subject *subject = &size->subjects[which];
    struct wg_stats_summary s;
    out->samples_ms = wg_calloc(subject->sample_count + 1, sizeof *out->samples_ms);
    call_times(size, which, out->samples_ms);
    wg_stats_summarize(out->samples_ms, subject->sample_count, &s);
    out->warmups = (int)subject->warmup_count;
    out->repeats = (int)subject->sample_count;
    out->median_ms = s.median;
    out->mean_ms = s.mean;
    out->min_ms = s.min;
    out->stddev_ms = s.stddev;
    out->sample_count = subject->sample_count;
}

static double median_overhead(const struct wg_timing_subject *subject) {
    double overheads[WG_TIMING_SAMPLES];
    for (size_t i = 0; i < subject->sample_count; i++) {
        overheads[i] = subject->samples[i].wall_ms - subject->samples[i].event_ms -
                       subject->samples[i].left_ms;
    }
    return wg_stats_median(overheads, subject->sample_count);
}

/* What happened between calls, on average over all of both subjects: it is between the one's call
 * and the other's that results are compared, and processor time is counted in large steps. */
static void add_between(const struct wg_timing_size *size, struct wg_pace_claim *claim) {
    double count = 0;
    for (size_t s = 0; s < sizeof size->subjects / sizeof size->subjects[0]; s++) {
        for (size_t i = 0; i < size->subjects[s].sample_count; i++, count++) {
            claim->gap_ms += size->subjects[s].samples[i].gap_ms;
            claim->others_ms += size->subjects[s].samples[i].others_ms;
        }
    }
    claim->gap_ms /= count;
    claim->others_ms /= count;
    if (size->others_count > 0) {
        claim->usual_others_ms = fmax(size->others_ms / (double)size->others_count, 0);
    }
    if (size->others_count == 0) {
        claim->others_ms = 0;
    }
}

static double work_amount(const struct wg_expr *expr, const int64_t *dims) {
    int64_t amount = 0;
    struct wg_err ignored = {0};
    return expr != NULL && wg_expr_eval(expr, dims, &amount, &ignored) == WG_OK ? (double)amount
                                                                                : 0;
}

static void copy_dims(const struct wg_manifest *manifest, const int64_t *dims, char **names,
                      int64_t *values, size_t *count) {
    *count = manifest->dim_count;
    for (size_t i = 0; i < manifest->dim_count; i++) {
        names[i] = wg_strdup(manifest->dim_names[i]);
        values[i] = dims[i];
    }
}

static void add_words(struct wg_buf *note, const char *words) {
    wg_buf_printf(note, "%s%s", note->len > 0 ? "; " : "", words);
}

static void add_rates(const struct wg_timing_size *size, struct wg_result_timing *out) {
    const struct wg_manifest *manifest = size->request->manifest;
    const struct wg_ceilings *ceilings = &size->ceilings;
    double bytes = work_amount(manifest->work_bytes, size->dims);
    double flops = work_amount(manifest->work_flops, size->dims);
    /* bytes / ms = kB/s times 1e-6 = GB/s */
    out->bandwidth_median_gb_s = bytes / out->student.median_ms * 1e-6;
    out->bandwidth_max_gb_s = bytes / out->student.min_ms * 1e-6;
    out->gflops_median = flops / out->student.median_ms * 1e-6;
    out->gflops_max = flops / out->student.min_ms * 1e-6;
    out->floor_ms = ceilings->floor_ms;
    out->copy_gb_s = ceilings->copy_ms > 0 ? bytes / ceilings->copy_ms * 1e-6 : 0;
    out->blas_gflops = ceilings->blas_ms > 0 ? flops / ceilings->blas_ms * 1e-6 : 0;
    out->blas = *ceilings->blas_words ? wg_strdup(ceilings->blas_words) : NULL;
    out->ceiling_ms = fmax(ceilings->copy_ms, ceilings->blas_ms);
    out->ceiling_share = out->ceiling_ms / out->student.median_ms;
}

/* Below the floor times say nothing, so nothing is held against them either. */
static void judge_times(const struct wg_timing_size *size, struct wg_result_timing *out,
                        struct wg_buf *note) {
    if (size->emulated && !wg_trust_is_off("emulated")) {
        add_words(note, "emulated on the cpu platform: not scored");
        return;
    }
    const struct wg_timing_subject *student = &size->subjects[WG_SUBJECT_STUDENT];
    struct wg_pace_claim claim = {
        .event_ms = out->student.median_ms,
        .overhead_ms = wg_trust_is_off("clock") ? 0 : median_overhead(student),
        .usual_overhead_ms = median_overhead(&size->subjects[WG_SUBJECT_BASELINE]),
        .floor_ms = wg_trust_is_off("floor") ? 0 : size->ceilings.floor_ms,
        .ceiling_ms = wg_trust_is_off("ceiling") ? 0 : out->ceiling_ms,
    };
    add_between(size, &claim);
    const char *doubt = wg_pace_doubt(&claim);
    if (out->baseline.median_ms < floor_factor * size->ceilings.floor_ms) {
        out->scored = false;
        wg_buf_printf(note,
                      "not scored: the baseline takes less than %g times an empty launch "
                      "(%.3g ms)",
                      floor_factor, size->ceilings.floor_ms);
    }
    if (doubt != NULL) {
        out->suspect = true;
        out->scored = false;
        add_words(note, doubt);
    }
    if (!size->emulated && wg_pace_remark(&claim) != NULL) {
        add_words(note, wg_pace_remark(&claim));
    }
}

static double median_mhz(const struct wg_timing_subject *subject) {
    double clocks[WG_TIMING_SAMPLES];
    for (size_t i = 0; i < subject->sample_count; i++) {
        clocks[i] = subject->samples[i].mhz;
    }
    return wg_stats_median(clocks, subject->sample_count);
}

static void note_clocks(const struct wg_timing_size *size, struct wg_buf *note) {
    double student = median_mhz(&size->subjects[WG_SUBJECT_STUDENT]);
    double baseline = median_mhz(&size->subjects[WG_SUBJECT_BASELINE]);
    if (student > 0 && baseline > 0 && fabs(student / baseline - 1) > clocks_told) {
        char words[WORDS];
        snprintf(words, sizeof words,
                 "the device ran at %.0f MHz for the submission and at %.0f MHz for the baseline",
                 student, baseline);
        add_words(note, words);
    }
}

static void note_measuring(const struct wg_timing_size *size, struct wg_result_timing *out,
                           struct wg_buf *note) {
    out->stop = wg_strdup(wg_pace_stop_name(size->stop));
    out->checked_calls = (int)size->checked_calls;
    out->drift = wg_pace_drift(out->baseline.samples_ms, out->baseline.sample_count);
    if (size->emulated) {
        return;
    }
    note_clocks(size, note);
    if (size->stop == WG_PACE_BROKEN_OFF) {
        add_words(note, "few samples: the calls are slow");
    }
    if (out->scored && fabs(out->drift) > drift_told) {
        char words[WORDS];
        snprintf(words, sizeof words,
                 "the baseline became %.1f%% %s while it was measured: the device's clock moved, "
                 "or something else uses it",
                 fabs(out->drift) * 100, out->drift > 0 ? "slower" : "faster");
        add_words(note, words);
    }
}

static void add_timing(const struct wg_timing_size *size, struct wg_result *result) {
    struct wg_result_timing *out = wg_result_add_timing(result);
    struct wg_buf note = {0};
    copy_dims(size->request->manifest, size->dims, out->dim_names, out->dims, &out->dim_count);
    out->emulated = size->emulated;
    if (size->note != NULL) {
        out->note = wg_strdup(size->note);
        return;
    }
    out->scored = !size->emulated || wg_trust_is_off("emulated");
    summarize(size, WG_SUBJECT_STUDENT, &out->student);
    summarize(size, WG_SUBJECT_BASELINE, &out->baseline);
    struct wg_stats_ratio ratio;
    ratio_of(size, &ratio);
    out->speedup = ratio.ratio;
    out->speedup_low = ratio.low;
    out->speedup_high = ratio.high;
    out->interval_method = wg_strdup(WG_STATS_RATIO_METHOD);
    add_rates(size, out);
    judge_times(size, out, &note);
    note_measuring(size, out, &note);
    out->note = note.data;
}

/* A timed call that came out wrong counts like any other case. */
static void add_failed_case(struct wg_timing_size *size, struct wg_result *result) {
    if (size->outcome.facts.verdict == WG_VERDICT_PASS) {
        return;
    }
    struct wg_result_case *out = wg_result_add_case(result);
    *out = size->outcome.facts;
    size->outcome = (struct wg_outcome){0};
    out->seed = wg_golden_case_seed(size->request->seed, size->case_index);
    out->first_wrong_row = -1;
    out->first_wrong_column = -1;
    copy_dims(size->request->manifest, size->dims, out->dim_names, out->dims, &out->dim_count);
}

void wg_timing_add_result(struct wg_timing_size *size, struct wg_result *result) {
    add_timing(size, result);
    add_failed_case(size, result);
}
