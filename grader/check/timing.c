#include "grader/check/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/text.h"
#include "grader/base/trust.h"
#include "grader/check/golden.h"
#include "grader/check/run.h"
#include "grader/check/verify.h"
#include "sandbox/platform/clocks.h"
#include "sandbox/platform/needs.h"

enum {
    SETS = 3,             /* of buffers, in turn: new data under old addresses */
    BASELINE_CHECKED = 8, /* one in as many calls of the baseline is compared as well */
    THOROUGH_EVERY = 64,  /* one in as many calls, drawn; and the last one */
    INTERVAL_EVERY = 10,  /* samples; the interval takes some time to compute */
    FLUSH_CACHES = 4,     /* times the cache that the driver tells of is read */
    MEMORY_PART = 16,     /* of the device's memory, for one set of buffers */
};

/* AMD's drivers tell of a small cache and not of the 256 MiB behind it. */
static const size_t flush_bytes_least = (size_t)256 << 20;

static const struct wg_pace_limits native_limits = {
    .warmups_least = 6,
    .warmups_most = 50,
    .least = 30,
    .most = WG_TIMING_SAMPLES,
    .broken_off = 5,
    .budget_ns = (int64_t)5000 * 1000000,
    .hard_ns = (int64_t)20000 * 1000000,
    /* A percent is what is promised; with half of it, gradings repeat within half a percent. */
    .interval_goal = 0.005,
};

/* These times say little in any case: a student waits for them. */
static const struct wg_pace_limits emulated_limits = {
    .warmups_least = 2,
    .warmups_most = 2,
    .least = 5,
    .most = 10,
    .broken_off = 3,
    .budget_ns = (int64_t)300 * 1000000,
    .hard_ns = (int64_t)600 * 1000000,
    .interval_goal = 0.01,
};

struct timing {
    const struct wg_check_request *request;
    struct wg_result *result;
    struct wg_bench shared;  /* submission and baseline take turns */
    struct wg_bench trusted; /* the baseline alone */
    struct wg_ceilings ceilings;
    struct wg_clocks *clocks; /* NULL: not to be read here */
    bool was_called;          /* the submission, in this process */
    bool is_over;             /* its process ended */
    /* The size at hand: */
    struct wg_timing_size *size;
    struct wg_image image;
    uint32_t set_count;
    uint64_t calls; /* each has data of its own */
    bool is_first;  /* of its size, in shared */
    int64_t start_ns;
};

bool wg_timing_is_wanted(const struct wg_check_request *request, size_t case_index) {
    const struct wg_manifest_case *c = &request->manifest->cases[case_index];
    return c->timed && c->emulated == (strcmp(request->platform, "cpu") == 0);
}

/* ---- Ends ---- */

static enum wg_code fail_trusted(struct timing *t, const struct wg_bench *bench,
                                 enum wg_answer answer, struct wg_err *err) {
    bool is_told = answer == WG_ANSWER_REPLY;
    return wg_fail(err, WG_EINTERNAL, "the baseline of assignment %s cannot be timed: %.150s %.60s",
                   t->request->manifest->id, is_told ? bench->reply.text : "its process ended",
                   is_told ? bench->reply.hip_error_name : "");
}

/* The submission did not come back from a timed call. */
static enum wg_code bury(struct timing *t, enum wg_answer answer, struct wg_err *err) {
    struct wg_found_list found = {0};
    struct wg_watch watch;
    struct wg_evidence evidence;
    struct wg_jail_result end = {0};
    wg_watch_start(&watch);
    wg_watch_update(&watch, wg_session_report(t->shared.session),
                    t->request->manifest->early_exit_barrier_is_error, (int)t->size->case_index,
                    &found, &evidence);
    enum wg_code code = wg_session_finish(t->shared.session, answer == WG_ANSWER_LATE, &end, err);
    t->shared.session = NULL;
    if (code == WG_OK) {
        wg_outcome_add_death(&t->size->outcome, t->request->manifest, answer, &end, &evidence,
                             false);
        t->size->note = "the timed calls did not come to an end";
    }
    wg_jail_result_done(&end);
    wg_watch_done(&watch);
    wg_found_list_done(&found);
    return code;
}

/* Something in the shared process did not work. Before the submission was called there, that is not
 * its doing; afterwards it is, since the trusted process does the same without trouble. */
static enum wg_code blame(struct timing *t, enum wg_answer answer, struct wg_err *err) {
    struct wg_bench *bench = &t->shared;
    if (!t->was_called) {
        return fail_trusted(t, bench, answer, err);
    }
    if (answer != WG_ANSWER_REPLY) {
        return bury(t, answer, err);
    }
    bool is_call = bench->reply.status == WG_STATUS_HIP_ERROR && bench->reply.op == WG_OP_TIME;
    wg_outcome_raise(&t->size->outcome, is_call ? WG_VERDICT_LAUNCH_ERROR : WG_VERDICT_CRASH,
                     wg_strf(is_call ? "a call left %s behind"
                                     : "after a call the device could not be used any more: %s",
                             bench->reply.hip_error_name));
    t->size->note = "the timed calls failed";
    wg_bench_stop(bench);
    return WG_OK;
}

/* ---- Start ---- */

static int64_t wall_s(const struct timing *t) {
    const struct wg_pace_limits *limits =
        strcmp(t->request->platform, "cpu") == 0 ? &emulated_limits : &native_limits;
    int64_t sizes = 0;
    for (size_t i = 0; i < t->request->manifest->case_count; i++) {
        sizes += wg_timing_is_wanted(t->request, i);
    }
    return t->request->manifest->run_wall_s + sizes * (2 * limits->hard_ns / 1000000000 + 5);
}

static bool is_emulated(const struct timing *t) {
    return strcmp(t->request->platform, "cpu") == 0;
}

static enum wg_code start_trusted(struct timing *t, struct wg_err *err) {
    struct wg_bench *bench = &t->trusted;
    enum wg_answer answer = WG_ANSWER_REPLY;
    enum wg_code code = wg_bench_start(bench, wall_s(t), err);
    if (code != WG_OK) {
        return code;
    }
    if (!wg_bench_load(bench, WG_SUBJECT_PROBE, &answer)) {
        return fail_trusted(t, bench, answer, err);
    }
    size_t cache_bytes = (size_t)bench->reply.cache_bytes * FLUSH_CACHES;
    if (!is_emulated(t)) {
        bench->flush_bytes = cache_bytes > flush_bytes_least ? cache_bytes : flush_bytes_least;
        t->shared.flush_bytes = bench->flush_bytes;
    }
    if (!wg_bench_load(bench, WG_SUBJECT_BASELINE, &answer)) {
        return fail_trusted(t, bench, answer, err);
    }
    if (!is_emulated(t) && !wg_ceilings_find_floor(bench, &t->ceilings, &answer)) {
        return fail_trusted(t, bench, answer, err);
    }
    return WG_OK;
}

/* The submission last: what fails before it is ours beyond doubt. */
static enum wg_code start_shared(struct timing *t, struct wg_err *err) {
    static const enum wg_subject order[] = {WG_SUBJECT_PROBE, WG_SUBJECT_BASELINE,
                                            WG_SUBJECT_STUDENT};
    enum wg_answer answer = WG_ANSWER_REPLY;
    t->was_called = false;
    enum wg_code code = wg_bench_start(&t->shared, wall_s(t), err);
    for (size_t i = 0; code == WG_OK && i < sizeof order / sizeof order[0]; i++) {
        t->was_called = order[i] == WG_SUBJECT_STUDENT; /* its constructors run */
        if (!wg_bench_load(&t->shared, order[i], &answer)) {
            return blame(t, answer, err);
        }
    }
    return code;
}

/* ---- Calls ---- */

/* A number that depends on the grading's seed and cannot be guessed without it: what the process is
 * told about one call must not give away the data of the next. */
static uint64_t secret_number(const struct timing *t, const char *purpose, uint64_t count) {
    char hex[65];
    WG_CLEANUP(wg_freep)
    char *text = wg_strf("%s %llu %zu %llu", purpose, (unsigned long long)t->request->seed,
                         t->size->case_index, (unsigned long long)count);
    wg_text_sha256_hex(text, strlen(text), hex);
    hex[16] = '\0';
    return strtoull(hex, NULL, 16);
}

static uint64_t next_seed(struct timing *t) {
    return secret_number(t, "data", wg_trust_is_off("fresh") ? 0 : t->calls++);
}

/* One call in the shared process. *done: there is a sample. */
static enum wg_code call_shared(struct timing *t, enum wg_subject subject, uint64_t seed,
                                uint32_t set, struct wg_bench_sample *sample, bool *done,
                                struct wg_err *err) {
    const struct wg_bench_call call = {.subject = subject,
                                       .dims = t->size->dims,
                                       .image = &t->image,
                                       .seed = seed,
                                       .set = set,
                                       .alone = t->is_first};
    enum wg_answer answer = WG_ANSWER_REPLY;
    *done = false;
    t->is_first = false;
    if (!wg_bench_stage(&t->shared, &call, &answer)) {
        return blame(t, answer, err);
    }
    t->was_called |= subject == WG_SUBJECT_STUDENT;
    if (!wg_bench_time(&t->shared, subject, sample, &answer)) {
        return blame(t, answer, err);
    }
    sample->mhz = t->clocks != NULL ? wg_clocks_read(t->clocks) : 0;
    if (!(sample->event_ms > 0)) {
        t->size->note = "the process gave no times, or times that cannot be";
        return WG_OK;
    }
    *done = true;
    return WG_OK;
}

/* The baseline's results for a seed, in the trusted process. */
static enum wg_code make_reference(struct timing *t, uint64_t seed, struct wg_err *err) {
    bool magnitudes = wg_verify_needs_magnitudes(t->request->manifest);
    struct wg_bench_sample sample;
    enum wg_answer answer = WG_ANSWER_REPLY;
    for (uint32_t set = 0; set < (magnitudes ? 2 : 1); set++) {
        const struct wg_bench_call call = {.subject = WG_SUBJECT_BASELINE,
                                           .dims = t->size->dims,
                                           .image = &t->image,
                                           .seed = seed,
                                           .set = set,
                                           .absolute = set == 1};
        if (!wg_bench_stage(&t->trusted, &call, &answer) ||
            !wg_bench_time(&t->trusted, WG_SUBJECT_BASELINE, &sample, &answer)) {
            return fail_trusted(t, &t->trusted, answer, err);
        }
        t->size->others_ms += sample.others_ms;
        t->size->others_count++;
    }
    return WG_OK;
}

static enum wg_code check_call(struct timing *t, enum wg_subject subject, uint64_t seed,
                               uint32_t set, bool thorough, struct wg_err *err) {
    if (wg_trust_is_off("checks")) {
        return WG_OK;
    }
    enum wg_code code = make_reference(t, seed, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_verify verify = {.manifest = t->request->manifest,
                               .dims = t->size->dims,
                               .image = &t->image,
                               .seen = &t->shared,
                               .seen_set = set,
                               .trusted = &t->trusted,
                               .draw = secret_number(t, "look", t->calls),
                               .thorough = thorough};
    struct wg_bench *culprit = NULL;
    enum wg_answer answer = WG_ANSWER_REPLY;
    if (!wg_verify_call(&verify, &culprit, &answer)) {
        free(verify.sentence);
        return culprit == &t->trusted ? fail_trusted(t, culprit, answer, err)
                                      : blame(t, answer, err);
    }
    t->size->checked_calls += subject == WG_SUBJECT_STUDENT;
    if (verify.verdict != WG_VERDICT_PASS && subject == WG_SUBJECT_STUDENT) {
        wg_outcome_raise(&t->size->outcome, verify.verdict,
                         wg_strf("in timed call %zu, %s",
                                 t->size->subjects[WG_SUBJECT_STUDENT].sample_count,
                                 verify.sentence));
        t->size->note = "wrong results are not timed";
    } else if (verify.verdict != WG_VERDICT_PASS) {
        wg_outcome_raise(&t->size->outcome, WG_VERDICT_CRASH,
                         wg_strf("the baseline came out wrong in the process of the submission, "
                                 "and right without it: %s",
                                 verify.sentence));
        t->size->note = "the submission disturbs the baseline";
    }
    free(verify.sentence);
    return WG_OK;
}

static enum wg_code warm_up(struct timing *t, struct wg_err *err) {
    const struct wg_pace_limits *limits = &t->size->limits;
    bool is_warm = false;
    for (size_t i = 0; !is_warm && i < limits->warmups_most; i++) {
        is_warm = true;
        for (int s = WG_SUBJECT_BASELINE; s >= WG_SUBJECT_STUDENT; s--) {
            struct wg_timing_subject *subject = &t->size->subjects[s];
            double times[WG_TIMING_SAMPLES];
            bool done = false;
            enum wg_code code =
                call_shared(t, (enum wg_subject)s, next_seed(t), (uint32_t)(i % t->set_count),
                            &subject->warmups[subject->warmup_count], &done, err);
            if (code != WG_OK || !done) {
                return code;
            }
            subject->warmup_count++;
            for (size_t k = 0; k < subject->warmup_count; k++) {
                times[k] = subject->warmups[k].event_ms;
            }
            is_warm = wg_pace_is_warm(limits, times, subject->warmup_count) && is_warm;
        }
    }
    return WG_OK;
}

/* A call of each, in turns the one or the other first. Their data differ: what the one left in
 * memory is no answer for the other. */
static enum wg_code measure_pair(struct timing *t, size_t pair, bool thorough, struct wg_err *err) {
    for (size_t turn = 0; turn < 2; turn++) {
        enum wg_subject which = (pair + turn) % 2 == 0 ? WG_SUBJECT_STUDENT : WG_SUBJECT_BASELINE;
        struct wg_timing_subject *subject = &t->size->subjects[which];
        uint32_t set = (uint32_t)((pair + turn) % t->set_count);
        uint64_t seed = next_seed(t);
        bool done = false;
        enum wg_code code =
            call_shared(t, which, seed, set, &subject->samples[subject->sample_count], &done, err);
        if (code != WG_OK || !done) {
            return code;
        }
        subject->sample_count++;
        if (which == WG_SUBJECT_STUDENT || pair % BASELINE_CHECKED == 0) {
            code = check_call(t, which, seed, set, thorough && which == WG_SUBJECT_STUDENT, err);
        }
        if (code != WG_OK || t->size->note != NULL) {
            return code;
        }
    }
    return WG_OK;
}

/* The last call is looked at thoroughly, so one more pair follows when the end is decided. */
static enum wg_code measure(struct timing *t, struct wg_err *err) {
    struct wg_timing_size *size = t->size;
    const struct wg_timing_subject *student = &size->subjects[WG_SUBJECT_STUDENT];
    int64_t start_ns = wg_clock_mono_ns();
    double width = 1;
    enum wg_code code = WG_OK;
    if (wg_trust_is_off("minimum")) { /* as where time for warming up is time for measuring */
        size->limits.least = 1;
        start_ns = t->start_ns;
    }
    for (size_t pair = 0; code == WG_OK && size->note == NULL; pair++) {
        uint64_t drawn = secret_number(t, "thorough", pair);
        bool is_last = size->stop != WG_PACE_GO_ON;
        code = measure_pair(t, pair, is_last || drawn % THOROUGH_EVERY == 0, err);
        if (is_last) {
            break;
        }
        if (student->sample_count >= size->limits.least &&
            student->sample_count % INTERVAL_EVERY == 0) {
            width = wg_timing_interval_width(size);
        }
        /* Room for the last pair. */
        size->stop = wg_pace_stop(&size->limits, student->sample_count + 1,
                                  wg_clock_mono_ns() - start_ns, width);
    }
    return code;
}

/* ---- One size ---- */

static double work_amount(const struct wg_expr *expr, const int64_t *dims) {
    int64_t amount = 0;
    struct wg_err ignored = {0};
    return expr != NULL && wg_expr_eval(expr, dims, &amount, &ignored) == WG_OK ? (double)amount
                                                                                : 0;
}

static enum wg_code find_ceilings(struct timing *t, struct wg_err *err) {
    struct wg_bench *bench = &t->trusted;
    enum wg_answer answer = WG_ANSWER_REPLY;
    const struct wg_manifest *manifest = t->request->manifest;
    /* The first call of a size gives back the buffers of the one before. */
    const struct wg_bench_call first = {
        .subject = WG_SUBJECT_BASELINE, .dims = t->size->dims, .image = &t->image, .alone = true};
    if (!wg_bench_stage(bench, &first, &answer)) {
        return fail_trusted(t, bench, answer, err);
    }
    if (!is_emulated(t)) {
        bench->flush_bytes = t->shared.flush_bytes;
        if (!wg_ceilings_find(bench, t->size->dims, &t->image,
                              work_amount(manifest->work_bytes, t->size->dims), &t->ceilings,
                              &answer)) {
            return fail_trusted(t, bench, answer, err);
        }
        bench->flush_bytes = 0; /* what it computes from here on is not timed */
    }
    t->size->ceilings = t->ceilings;
    return WG_OK;
}

static enum wg_code time_size(struct timing *t, size_t case_index, struct wg_err *err) {
    struct wg_timing_size *size = t->size;
    const struct wg_manifest_case *wanted = &t->request->manifest->cases[case_index];
    *size = (struct wg_timing_size){.request = t->request,
                                    .case_index = case_index,
                                    .dims = wanted->dims,
                                    .emulated = wanted->emulated,
                                    .limits = wanted->emulated ? emulated_limits : native_limits};
    enum wg_code code =
        wg_image_plan(t->request->manifest, wanted->dims, WG_IMAGE_GUARD_BYTES, &t->image, err);
    if (code == WG_OK) {
        code = find_ceilings(t, err);
    }
    if (code == WG_OK && t->shared.session == NULL) {
        code = start_shared(t, err);
    }
    t->set_count = t->image.bytes < t->trusted.memory_bytes / MEMORY_PART ? SETS : 1;
    t->is_first = true;
    t->start_ns = wg_clock_mono_ns();
    if (code == WG_OK && size->note == NULL) {
        code = warm_up(t, err);
    }
    if (code == WG_OK && size->note == NULL) {
        code = measure(t, err);
    }
    if (code == WG_OK) {
        wg_timing_add_result(size, t->result);
    }
    wg_outcome_done(&size->outcome);
    return code;
}

static void open_clocks(struct timing *t) {
    const struct wg_device *device = NULL;
    if (!is_emulated(t) && wg_device_find(t->request->platform, &device, NULL) == WG_OK) {
        t->clocks = wg_clocks_open(t->request->platform, device->address);
    }
}

enum wg_code wg_timing_run(const struct wg_check_request *request, struct wg_result *result,
                           struct wg_err *err) {
    struct timing t = {
        .request = request,
        .result = result,
        .shared = {.request = request,
                   .builds = {[WG_SUBJECT_STUDENT] = request->student,
                              [WG_SUBJECT_BASELINE] = request->baseline,
                              [WG_SUBJECT_PROBE] = request->probe}},
        .trusted =
            {.request = request,
             .builds =
                 {[WG_SUBJECT_BASELINE] = request->baseline, [WG_SUBJECT_PROBE] = request->probe}},
    };
    size_t total = 0;
    size_t done = 0;
    for (size_t i = 0; i < request->manifest->case_count; i++) {
        total += wg_timing_is_wanted(request, i);
    }
    if (total == 0) {
        return WG_OK;
    }
    t.size = wg_calloc(1, sizeof *t.size);
    enum wg_code code = start_trusted(&t, err);
    open_clocks(&t);
    for (size_t i = 0; code == WG_OK && i < request->manifest->case_count; i++) {
        if (!wg_timing_is_wanted(request, i)) {
            continue;
        }
        if (request->progress != NULL) {
            request->progress(request->progress_ctx, "timing", done++, total);
        }
        code = time_size(&t, i, err);
    }
    wg_clocks_close(t.clocks);
    wg_bench_stop(&t.shared);
    wg_bench_stop(&t.trusted);
    free(t.size);
    return code;
}
