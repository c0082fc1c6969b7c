#include "grader/check/timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/check/outcome.h"
#include "grader/check/run.h"
#include "grader/check/session.h"
#include "grader/stats/stats.h"

enum {
    WARMUPS = 5,
    REPEATS = 30,
    GROUPS = 6, /* of each subject */
    GROUP_REPEATS = REPEATS / GROUPS,
    LATER_WARMUPS = 1, /* new data has just passed through the caches */
    GROUPS_AT_LEAST = 2,
};

/* A size that takes longer gets fewer groups. */
static const int64_t size_budget_ns = 1000000000;

struct subject {
    const struct wg_build *build;
    double samples_ms[REPEATS];
    size_t sample_count;
};

struct timing {
    const struct wg_check_request *request;
    struct wg_golden_table *golden;
    struct wg_result *result;
    struct wg_session *session; /* NULL: not running */
    size_t shared_bytes;
    size_t case_index;
    const struct wg_manifest_case *wanted;
    struct wg_image image;
    size_t samples_offset;
    struct subject subjects[2]; /* by enum wg_subject */
    struct wg_outcome outcome;  /* of the submission */
    const char *note;           /* why there is no figure */
};

bool wg_timing_is_wanted(const struct wg_check_request *request, size_t case_index) {
    const struct wg_manifest_case *c = &request->manifest->cases[case_index];
    return c->timed && c->emulated == (strcmp(request->platform, "cpu") == 0);
}

/* ---- The process ---- */

static enum wg_code find_shared_size(struct timing *t, struct wg_err *err) {
    t->shared_bytes = 4096;
    for (size_t i = 0; i < t->request->manifest->case_count; i++) {
        struct wg_image image;
        if (!wg_timing_is_wanted(t->request, i)) {
            continue;
        }
        enum wg_code code = wg_image_plan(t->request->manifest, t->request->manifest->cases[i].dims,
                                          WG_IMAGE_GUARD_BYTES, &image, err);
        if (code != WG_OK) {
            return code;
        }
        size_t bytes = image.bytes + WG_MAX_SAMPLES * sizeof(double);
        t->shared_bytes = bytes > t->shared_bytes ? bytes : t->shared_bytes;
    }
    return WG_OK;
}

static enum wg_code ask(struct timing *t, struct wg_request *request, struct wg_reply *reply,
                        enum wg_answer *answer, struct wg_err *err) {
    int64_t wall_ns = t->request->manifest->run_wall_s * 1000000000;
    *answer = wg_session_ask(t->session, request, wg_clock_mono_ns() + wall_ns, reply);
    bool is_student = request->subject == WG_SUBJECT_STUDENT;
    if (!is_student && (*answer != WG_ANSWER_REPLY || reply->status != WG_STATUS_OK)) {
        return wg_fail(err, WG_EINTERNAL, "the baseline of assignment %s cannot be timed: %.150s",
                       t->request->manifest->id,
                       *answer == WG_ANSWER_REPLY ? reply->text : "its process ended");
    }
    return WG_OK;
}

/* The submission did not come back from a timed call. */
static enum wg_code bury(struct timing *t, enum wg_answer answer, bool while_loading,
                         struct wg_err *err) {
    struct wg_found_list found = {0};
    struct wg_watch watch;
    struct wg_evidence evidence;
    struct wg_jail_result end = {0};
    wg_watch_start(&watch);
    wg_watch_update(&watch, wg_session_report(t->session),
                    t->request->manifest->early_exit_barrier_is_error, (int)t->case_index, &found,
                    &evidence);
    enum wg_code code = wg_session_finish(t->session, answer == WG_ANSWER_LATE, &end, err);
    t->session = NULL;
    if (code == WG_OK) {
        wg_outcome_add_death(&t->outcome, t->request->manifest, answer, &end, &evidence,
                             while_loading);
        t->note = "the timed calls did not come to an end";
    }
    wg_jail_result_done(&end);
    wg_watch_done(&watch);
    wg_found_list_done(&found);
    return code;
}

static enum wg_code start(struct timing *t, struct wg_err *err) {
    char lanes[40] = "";
    snprintf(lanes, sizeof lanes, "WG_CPU_WARP_SIZE=%d", t->request->warp_size);
    const char *const env[] = {"LC_ALL=C.UTF-8", "HOME=/tmp", "WG_CPU_REPORT_FD=6",
                               t->request->warp_size > 0 ? lanes : NULL, NULL};
    WG_CLEANUP(wg_freep) char *harness = wg_strf("/wg/libexec/%s/harness", t->request->platform);
    const struct wg_session_spec spec = {
        .harness = harness,
        .platform = t->request->platform,
        .student = t->subjects[WG_SUBJECT_STUDENT].build->library,
        .baseline = t->subjects[WG_SUBJECT_BASELINE].build->library,
        .env = env,
        .shared_bytes = t->shared_bytes,
        .limits = wg_run_limits(t->request->manifest, t->shared_bytes),
    };
    enum wg_code code = wg_session_start(&spec, &t->session, err);
    /* The baseline first: then a process that cannot load it is ours beyond doubt. */
    for (int s = WG_SUBJECT_BASELINE; code == WG_OK && s >= WG_SUBJECT_STUDENT; s--) {
        const struct wg_build *build = t->subjects[s].build;
        struct wg_request request = {
            .op = WG_OP_LOAD, .subject = (uint32_t)s, .entry_kind = (uint32_t)build->entry_kind};
        memcpy(request.symbol, build->entry_symbol, sizeof request.symbol);
        struct wg_reply reply;
        enum wg_answer answer;
        code = ask(t, &request, &reply, &answer, err);
        if (code == WG_OK && answer != WG_ANSWER_REPLY) {
            return bury(t, answer, true, err);
        }
    }
    return code;
}

/* ---- One group of calls ---- */

/* Times are the process's own claim: no number that is not a time gets on. */
static bool take_samples(struct timing *t, struct subject *subject, const struct wg_reply *reply) {
    size_t count = reply->sample_count < GROUP_REPEATS ? reply->sample_count : GROUP_REPEATS;
    double samples[GROUP_REPEATS];
    memcpy(samples, wg_session_taken(t->session) + t->samples_offset, sizeof samples);
    for (size_t i = 0; i < count && subject->sample_count < REPEATS; i++) {
        if (!(samples[i] > 0) || !isfinite(samples[i])) {
            return false;
        }
        subject->samples_ms[subject->sample_count++] = samples[i];
    }
    return count > 0;
}

static enum wg_code judge_group(struct timing *t, int which, size_t variant,
                                const struct wg_reply *reply, struct wg_err *err) {
    const struct wg_golden_entry *golden = NULL;
    enum wg_code code = wg_golden_get(t->golden, t->case_index, variant, &golden, err);
    if (code != WG_OK) {
        return code;
    }
    uint8_t *taken = wg_realloc(NULL, t->image.bytes, 1);
    memcpy(taken, wg_session_taken(t->session), t->image.bytes);
    struct wg_outcome baseline = {0};
    const struct wg_call_seen seen = {
        .manifest = t->request->manifest,
        .dims = t->wanted->dims,
        .image = &t->image,
        .given = wg_session_given(t->session),
        .taken = taken,
        .poison = WG_POISON_NAN,
        .golden = golden,
        .reply = reply,
    };
    wg_outcome_add_call(which == WG_SUBJECT_STUDENT ? &t->outcome : &baseline, &seen);
    if (baseline.facts.verdict != WG_VERDICT_PASS) {
        code = wg_fail(err, WG_EPARSE, "assignment %s: naive.hip is wrong when timed: %.150s",
                       t->request->manifest->id, baseline.facts.sentence);
    }
    wg_outcome_done(&baseline);
    free(taken);
    return code;
}

static enum wg_code measure_group(struct timing *t, int which, size_t group, struct wg_err *err) {
    size_t variant = group % WG_VARIANTS;
    struct subject *subject = &t->subjects[which];
    struct wg_request request = {.op = WG_OP_TIME, .subject = (uint32_t)which};
    enum wg_code code = wg_run_describe_call(t->request->manifest, subject->build, t->wanted->dims,
                                             &t->image, &request, err);
    if (code != WG_OK) {
        return code;
    }
    request.warmups = group == 0 ? WARMUPS : LATER_WARMUPS;
    request.repeats = GROUP_REPEATS;
    request.budget_ns = (uint64_t)size_budget_ns;
    request.samples_offset = t->samples_offset;
    if (which == WG_SUBJECT_STUDENT) {
        /* The baseline gets the same images right after. */
        wg_image_fill(&t->image, t->request->manifest,
                      wg_golden_data_seed(t->request->seed, t->case_index, variant), WG_POISON_NAN,
                      wg_session_given(t->session));
    }
    wg_session_reset_taken(t->session, t->image.bytes);
    struct wg_reply reply;
    enum wg_answer answer;
    code = ask(t, &request, &reply, &answer, err);
    if (code != WG_OK) {
        return code;
    }
    if (answer != WG_ANSWER_REPLY) {
        return bury(t, answer, false, err);
    }
    if (!take_samples(t, subject, &reply)) {
        t->note = "the process gave no times, or times that cannot be";
    }
    return judge_group(t, which, variant, &reply, err);
}

/* ---- Results ---- */

static void summarize(const struct subject *subject, struct wg_result_statistics *out) {
    struct wg_stats_summary s;
    wg_stats_summarize(subject->samples_ms, subject->sample_count, &s);
    out->warmups = WARMUPS;
    out->repeats = (int)subject->sample_count;
    out->median_ms = s.median;
    out->mean_ms = s.mean;
    out->min_ms = s.min;
    out->stddev_ms = s.stddev;
    out->sample_count = subject->sample_count;
    out->samples_ms = wg_realloc(NULL, subject->sample_count, sizeof *out->samples_ms);
    memcpy(out->samples_ms, subject->samples_ms, subject->sample_count * sizeof *out->samples_ms);
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

static void add_timing(struct timing *t) {
    const struct wg_manifest *manifest = t->request->manifest;
    struct wg_result_timing *out = wg_result_add_timing(t->result);
    const struct subject *student = &t->subjects[WG_SUBJECT_STUDENT];
    const struct subject *baseline = &t->subjects[WG_SUBJECT_BASELINE];
    copy_dims(manifest, t->wanted->dims, out->dim_names, out->dims, &out->dim_count);
    out->emulated = t->wanted->emulated;
    out->scored = !out->emulated && t->note == NULL;
    if (t->note != NULL) {
        out->note = wg_strdup(t->note);
        return;
    }
    out->note = out->emulated ? wg_strdup("emulated on the cpu platform: not scored") : NULL;
    summarize(student, &out->student);
    summarize(baseline, &out->baseline);
    struct wg_stats_ratio ratio;
    wg_stats_ratio(baseline->samples_ms, baseline->sample_count, student->samples_ms,
                   student->sample_count, &ratio);
    out->speedup = ratio.ratio;
    out->speedup_low = ratio.low;
    out->speedup_high = ratio.high;
    out->interval_method = wg_strdup(WG_STATS_RATIO_METHOD);
    double bytes = work_amount(manifest->work_bytes, t->wanted->dims);
    double flops = work_amount(manifest->work_flops, t->wanted->dims);
    /* bytes / ms = kB/s times 1e-6 = GB/s */
    out->bandwidth_median_gb_s = bytes / out->student.median_ms * 1e-6;
    out->bandwidth_max_gb_s = bytes / out->student.min_ms * 1e-6;
    out->gflops_median = flops / out->student.median_ms * 1e-6;
}

/* A timed call that came out wrong counts like any other case. */
static void add_failed_case(struct timing *t) {
    if (t->outcome.facts.verdict == WG_VERDICT_PASS) {
        return;
    }
    struct wg_result_case *out = wg_result_add_case(t->result);
    *out = t->outcome.facts;
    t->outcome = (struct wg_outcome){0};
    out->seed = wg_golden_case_seed(t->request->seed, t->case_index);
    copy_dims(t->request->manifest, t->wanted->dims, out->dim_names, out->dims, &out->dim_count);
    if (out->sentence != NULL) {
        char *text = wg_strf("In the timed calls: %s", out->sentence);
        free(out->sentence);
        out->sentence = text;
    }
}

static enum wg_code time_case(struct timing *t, struct wg_err *err) {
    enum wg_code code =
        wg_image_plan(t->request->manifest, t->wanted->dims, WG_IMAGE_GUARD_BYTES, &t->image, err);
    t->samples_offset = t->image.bytes;
    t->subjects[0].sample_count = 0;
    t->subjects[1].sample_count = 0;
    t->note = NULL;
    int64_t start_ns = wg_clock_mono_ns();
    if (code == WG_OK && t->session == NULL) {
        code = start(t, err);
    }
    if (code == WG_OK) {
        code = wg_golden_compute(t->golden, &t->case_index, 1, err);
    }
    for (size_t group = 0; code == WG_OK && t->note == NULL && group < GROUPS; group++) {
        code = measure_group(t, WG_SUBJECT_STUDENT, group, err);
        if (code == WG_OK && t->note == NULL) {
            code = measure_group(t, WG_SUBJECT_BASELINE, group, err);
        }
        if (group + 1 >= GROUPS_AT_LEAST && wg_clock_mono_ns() - start_ns > size_budget_ns) {
            break;
        }
    }
    wg_golden_forget(t->golden, t->case_index);
    if (code == WG_OK) {
        if (t->note == NULL && t->outcome.facts.verdict != WG_VERDICT_PASS) {
            t->note = "wrong results are not timed";
        }
        add_timing(t);
        add_failed_case(t);
    }
    wg_outcome_done(&t->outcome);
    return code;
}

enum wg_code wg_timing_run(const struct wg_check_request *request, struct wg_golden_table *golden,
                           struct wg_result *result, struct wg_err *err) {
    struct timing t = {.request = request,
                       .golden = golden,
                       .result = result,
                       .subjects = {[WG_SUBJECT_STUDENT] = {.build = request->student},
                                    [WG_SUBJECT_BASELINE] = {.build = request->baseline}}};
    enum wg_code code = find_shared_size(&t, err);
    size_t total = 0;
    size_t done = 0;
    for (size_t i = 0; i < request->manifest->case_count; i++) {
        total += wg_timing_is_wanted(request, i);
    }
    for (size_t i = 0; code == WG_OK && i < request->manifest->case_count; i++) {
        if (!wg_timing_is_wanted(request, i)) {
            continue;
        }
        t.case_index = i;
        t.wanted = &request->manifest->cases[i];
        code = time_case(&t, err);
        if (request->progress != NULL) {
            request->progress(request->progress_ctx, "timing", ++done, total);
        }
    }
    if (t.session != NULL) {
        struct wg_jail_result end = {0};
        struct wg_err ignored = {0};
        (void)wg_session_finish(t.session, true, &end, &ignored);
        wg_jail_result_done(&end);
    }
    return code;
}
