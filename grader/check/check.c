/* Theory of operation. A submission is asked for every case in several processes, each with another
 * order of blocks, threads and cases, in the plain and in the checked build. They run at the same
 * time, as many as there are processors, beside the process that computes what is expected. What
 * they say about a case is merged afterwards, in one thread; only then is anything timed, alone. */
#include "grader/check/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/text.h"
#include "grader/check/golden.h"
#include "grader/check/outcome.h"
#include "grader/check/report.h"
#include "grader/check/run.h"
#include "grader/check/timing.h"
#include "sandbox/platform/lock.h"
#include "sandbox/platform/needs.h"

enum { WORKERS_LEAST = 2, WORKERS_MOST = 8, OUTPUT_BYTES = 4096 };

/* Of the cpu platform, where the order of blocks and threads can be chosen. */
static const struct wg_run_plan emulated_plans[] = {
    {
        .words = "with blocks in rising order",
        .block_order = "up",
        .thread_order = "up",
        /* New data under the same pointers, the same data under new ones, the first data again:
           results that are kept from call to call fail one of the three. */
        .calls = {{.variant = 0, .poison = WG_POISON_NAN},
                  {.variant = 1, .poison = WG_POISON_FINITE},
                  {.variant = 1, .poison = WG_POISON_NAN, .fresh = true},
                  {.variant = 0, .poison = WG_POISON_NAN}},
        .call_count = 4,
    },
    {
        .words = "in the checked build",
        .checked = true,
        .order = WG_RUN_DECLARED,
        .block_order = "up",
        .thread_order = "up",
        .calls = {{.variant = 0}},
        .call_count = 1,
    },
    {
        .words = "with blocks shuffled and the sizes falling",
        .order = WG_RUN_FALLING,
        .block_order = "shuffle:7",
        .thread_order = "up",
        .calls = {{.variant = 1, .poison = WG_POISON_NAN}, {.variant = 0, .poison = WG_POISON_NAN}},
        .call_count = 2,
    },
    {
        .words = "in the checked build with threads and blocks in falling order",
        .checked = true,
        .order = WG_RUN_DECLARED,
        .block_order = "down",
        .thread_order = "down",
        .calls = {{.variant = 1}},
        .call_count = 1,
    },
    {
        .words = "with blocks and unordered streams in falling order",
        .block_order = "down",
        .thread_order = "up",
        .calls = {{.variant = 1, .poison = WG_POISON_FINITE}},
        .call_count = 1,
    },
};

/* Of a GPU, which runs blocks as it likes. */
static const struct wg_run_plan native_plans[] = {
    {
        .words = "with the sizes rising",
        .calls = {{.variant = 0, .poison = WG_POISON_NAN},
                  {.variant = 1, .poison = WG_POISON_FINITE},
                  {.variant = 1, .poison = WG_POISON_NAN, .fresh = true},
                  {.variant = 0, .poison = WG_POISON_NAN}},
        .call_count = 4,
    },
    {
        .words = "with the sizes falling",
        .order = WG_RUN_FALLING,
        .calls = {{.variant = 1, .poison = WG_POISON_NAN}, {.variant = 0, .poison = WG_POISON_NAN}},
        .call_count = 2,
    },
};

enum {
    PLAN_COUNT = sizeof emulated_plans / sizeof emulated_plans[0],
    NATIVE_PLAN_COUNT = sizeof native_plans / sizeof native_plans[0],
};

/* Counting the work of a reference needs one checked run of one case. */
enum {
    FIRST_CHECKED_PLAN = 1,
    REFERENCE_RUNS = 2,
    CLOSER_LOOKS = 1,
    RUN_MAX = PLAN_COUNT + REFERENCE_RUNS + CLOSER_LOOKS
};

struct check {
    struct wg_run_shared shared;
    struct wg_golden_table golden;
    size_t *cases;    /* in growing order */
    size_t *declared; /* their positions, in the manifest's order */
    struct wg_run runs[RUN_MAX];
    size_t run_count;
    size_t student_runs;   /* the first ones */
    struct wg_run *closer; /* a look at a crash that named its access, or NULL */
    /* The queue: the golden process first, then the runs. */
    pthread_mutex_t lock;
    size_t next;
    enum wg_code code;
    struct wg_err err;
};

/* ---- Cases in growing order ---- */

static double case_size(const struct wg_manifest *manifest, const struct wg_manifest_case *c) {
    double size = 0;
    for (size_t i = 0; i < manifest->arg_count; i++) {
        int64_t count = 0;
        struct wg_err ignored = {0};
        if (manifest->args[i].kind == WG_ARG_BUFFER &&
            wg_expr_eval(manifest->args[i].length, c->dims, &count, &ignored) == WG_OK) {
            size += (double)count;
        }
    }
    return size;
}

/* Insertion sort: a few dozen cases, and equal sizes keep their declared order. */
static size_t order_cases(const struct wg_manifest *manifest, size_t *out) {
    size_t count = 0;
    for (size_t i = 0; i < manifest->case_count; i++) {
        if (manifest->cases[i].timed) {
            continue;
        }
        double size = case_size(manifest, &manifest->cases[i]);
        size_t at = count++;
        while (at > 0 && case_size(manifest, &manifest->cases[out[at - 1]]) > size) {
            out[at] = out[at - 1];
            at--;
        }
        out[at] = i;
    }
    return count;
}

/* The largest case of the checked build: where counted work means most. */
static size_t counted_position(const struct check *check) {
    for (size_t i = check->shared.case_count; i-- > 0;) {
        if (check->shared.request->manifest->cases[check->cases[i]].checked) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* ---- Setting up ---- */

static struct wg_run *add_run(struct check *check, const struct wg_run_plan *plan,
                              const struct wg_build *build, const char *subject) {
    struct wg_run *run = &check->runs[check->run_count++];
    wg_run_init(run, &check->shared, plan, build, subject);
    return run;
}

static void add_reference(struct check *check, const struct wg_build *build, const char *subject) {
    if (build == NULL || build->checked_library == NULL) {
        return;
    }
    struct wg_run *run = add_run(check, &emulated_plans[FIRST_CHECKED_PLAN], build, subject);
    run->counted_case = counted_position(check);
    run->only_case = run->counted_case;
}

static void set_up(struct check *check, const struct wg_check_request *request) {
    const struct wg_manifest *manifest = request->manifest;
    check->cases = wg_calloc(manifest->case_count, sizeof *check->cases);
    check->declared = wg_calloc(manifest->case_count, sizeof *check->declared);
    check->shared = (struct wg_run_shared){.request = request,
                                           .golden = &check->golden,
                                           .cases = check->cases,
                                           .declared = check->declared,
                                           .case_count = order_cases(manifest, check->cases)};
    /* Correctness cases come first in the manifest, so their indices are 0, 1, 2, ... */
    for (size_t i = 0; i < check->shared.case_count; i++) {
        check->declared[check->cases[i]] = i;
    }
    pthread_mutex_init(&check->lock, NULL);
    pthread_mutex_init(&check->shared.lock, NULL);
    wg_golden_table_init(&check->golden, manifest, request->golden, request->seed);
    bool checked = request->checked && request->student->checked_library != NULL &&
                   counted_position(check) != SIZE_MAX;
    bool emulated = strcmp(request->platform, "cpu") == 0;
    const struct wg_run_plan *plans = emulated ? emulated_plans : native_plans;
    for (size_t i = 0; i < (emulated ? PLAN_COUNT : NATIVE_PLAN_COUNT); i++) {
        if (!plans[i].checked || checked) {
            struct wg_run *run = add_run(check, &plans[i], request->student, "student");
            run->counted_case =
                plans[i].checked && i == FIRST_CHECKED_PLAN ? counted_position(check) : SIZE_MAX;
        }
    }
    check->student_runs = check->run_count;
    if (checked) {
        add_reference(check, request->baseline, "naive");
        add_reference(check, request->tuned, "tuned");
    }
    check->shared.steps_total = check->run_count * check->shared.case_count;
}

static void tear_down(struct check *check) {
    for (size_t i = 0; i < check->run_count; i++) {
        wg_run_done(&check->runs[i], &check->shared);
    }
    wg_golden_table_done(&check->golden);
    pthread_mutex_destroy(&check->shared.lock);
    pthread_mutex_destroy(&check->lock);
    free(check->cases);
    free(check->declared);
}

/* ---- Running ---- */

static enum wg_code do_job(struct check *check, size_t job, struct wg_err *err) {
    if (job == 0) {
        return wg_golden_compute(&check->golden, check->cases, check->shared.case_count, err);
    }
    return wg_run_session(&check->shared, &check->runs[job - 1], err);
}

/* Takes jobs until there are none. The golden process is the first job, so that whoever waits for
 * its results waits for something that runs. */
static void *work(void *context) {
    struct check *check = context;
    for (;;) {
        pthread_mutex_lock(&check->lock);
        bool is_over = check->code != WG_OK || check->next > check->run_count;
        size_t job = check->next;
        check->next += is_over ? 0 : 1;
        pthread_mutex_unlock(&check->lock);
        if (is_over) {
            return NULL;
        }
        struct wg_err err = {0};
        enum wg_code code = do_job(check, job, &err);
        if (code != WG_OK) {
            pthread_mutex_lock(&check->lock);
            if (check->code == WG_OK) {
                check->code = code;
                check->err = err;
            }
            pthread_mutex_unlock(&check->lock);
        }
    }
}

static enum wg_code run_jobs(struct check *check, struct wg_err *err) {
    int asked = check->shared.request->workers;
    long wanted = asked > 0 ? asked : sysconf(_SC_NPROCESSORS_ONLN);
    wanted = wanted < WORKERS_LEAST ? WORKERS_LEAST : wanted;
    wanted = wanted > WORKERS_MOST ? WORKERS_MOST : wanted;
    pthread_t workers[WORKERS_MOST];
    int started = 0;
    while (started < wanted && pthread_create(&workers[started], NULL, work, check) == 0) {
        started++;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(workers[i], NULL);
    }
    if (started < WORKERS_LEAST) {
        return wg_fail(err, WG_EIO, "start a thread");
    }
    if (check->code != WG_OK) {
        *err = check->err;
    }
    return check->code;
}

/* ---- A closer look ---- */

static bool is_crash_of_kernel(const struct wg_outcome *outcome) {
    return outcome->kernel_fault && outcome->facts.verdict == WG_VERDICT_CRASH &&
           !outcome->facts.not_run;
}

static bool names_access(const struct wg_run *run) {
    for (size_t i = 0; i < run->found.count; i++) {
        if (wg_finding_verdict(&run->found.items[i].record, false) == WG_VERDICT_OUT_OF_BOUNDS) {
            return true;
        }
    }
    return false;
}

/* The smallest case in which a kernel crashed and that the checked build does not run; SIZE_MAX
 * where there is none, no checked build, or an access out of bounds is known anyway. */
static size_t find_unexplained(const struct check *check) {
    const struct wg_manifest *manifest = check->shared.request->manifest;
    size_t found = SIZE_MAX;
    bool checked = false;
    for (size_t r = 0; r < check->student_runs; r++) {
        const struct wg_run *run = &check->runs[r];
        checked |= run->plan->checked;
        if (names_access(run)) {
            return SIZE_MAX;
        }
        for (size_t i = 0; i < check->shared.case_count && i < found; i++) {
            bool is_new = !manifest->cases[check->cases[i]].checked;
            found = is_new && is_crash_of_kernel(&run->outcomes[i]) ? i : found;
        }
    }
    return checked ? found : SIZE_MAX;
}

/* One call of that case in the checked build. It counts only where it names the access that the
 * kernel died of, and whatever else comes of it is nobody's fault. */
static void look_closer(struct check *check) {
    size_t position = find_unexplained(check);
    struct wg_err ignored = {0};
    if (position == SIZE_MAX) {
        return;
    }
    struct wg_run *run = add_run(check, &emulated_plans[FIRST_CHECKED_PLAN],
                                 check->shared.request->student, "student");
    run->only_case = position;
    check->shared.steps_total += check->shared.case_count;
    if (wg_run_session(&check->shared, run, &ignored) == WG_OK &&
        run->outcomes[position].facts.verdict == WG_VERDICT_OUT_OF_BOUNDS) {
        check->closer = run;
    }
}

/* ---- Results ---- */

static void case_to_result(struct check *check, size_t case_index, struct wg_outcome *outcome,
                           struct wg_result *result) {
    const struct wg_manifest *manifest = check->shared.request->manifest;
    struct wg_result_case *out = wg_result_add_case(result);
    *out = outcome->facts;
    *outcome = (struct wg_outcome){0};
    out->seed = wg_golden_case_seed(check->shared.request->seed, case_index);
    out->dim_count = manifest->dim_count;
    if (!out->has_first_wrong) {
        out->first_wrong_row = -1;
        out->first_wrong_column = -1;
    }
    for (size_t i = 0; i < manifest->dim_count; i++) {
        out->dim_names[i] = wg_strdup(manifest->dim_names[i]);
        out->dims[i] = manifest->cases[case_index].dims[i];
    }
}

/* A kernel that crashed or did not end, at a size that the checked build does not run: what it
 * found out of bounds at the others is why. */
static void explain_fault(const struct wg_found_list *found, struct wg_outcome *outcome) {
    enum wg_verdict verdict = outcome->facts.verdict;
    bool faulted = outcome->kernel_fault &&
                   (verdict == WG_VERDICT_CRASH || verdict == WG_VERDICT_TIMEOUT ||
                    verdict == WG_VERDICT_WRONG_ANSWER || verdict == WG_VERDICT_BARRIER_DIVERGENCE);
    for (size_t i = 0; faulted && i < found->count; i++) {
        const struct wg_finding_record *r = &found->items[i].record;
        if (wg_finding_verdict(r, false) == WG_VERDICT_OUT_OF_BOUNDS) {
            WG_CLEANUP(wg_freep) char *found_there = wg_outcome_cite(r, false);
            free(outcome->facts.sentence);
            outcome->facts.sentence = wg_strf("the kernel %s. What it does at other sizes, %s",
                                              verdict == WG_VERDICT_CRASH
                                                  ? "was stopped at an access far outside a buffer"
                                                  : "did not end",
                                              found_there);
            outcome->facts.verdict = WG_VERDICT_OUT_OF_BOUNDS;
            return;
        }
    }
}

static bool something_is_kept(const struct check *check) {
    bool keeps = false;
    for (size_t r = 0; r < check->student_runs; r++) {
        for (size_t i = 0; i < check->shared.case_count; i++) {
            keeps |= check->runs[r].outcomes[i].keeps;
        }
    }
    return keeps;
}

/* Declared order, so that indices into the result's cases are those of the manifest. */
static void merge_cases(struct check *check, const struct wg_found_list *found,
                        struct wg_result *result) {
    const char *words[PLAN_COUNT + CLOSER_LOOKS];
    struct wg_outcome *outcomes[PLAN_COUNT + CLOSER_LOOKS];
    bool keeps = something_is_kept(check);
    for (size_t c = 0; c < check->shared.case_count; c++) {
        size_t position = check->declared[c];
        for (size_t r = 0; r < check->student_runs; r++) {
            words[r] = check->runs[r].plan->words;
            outcomes[r] = &check->runs[r].outcomes[position];
            outcomes[r]->keeps |= keeps;
        }
        size_t count = check->student_runs;
        if (check->closer != NULL && check->closer->only_case == position) {
            words[count] = check->closer->plan->words;
            outcomes[count++] = &check->closer->outcomes[position];
        }
        struct wg_outcome merged = {0};
        wg_outcome_merge(outcomes, words, count, &merged);
        explain_fault(found, &merged);
        case_to_result(check, c, &merged, result);
    }
}

static void add_unstable_note(const struct check *check, struct wg_result *result) {
    for (size_t c = 0; c < check->shared.case_count; c++) {
        size_t position = check->declared[c];
        if (!check->runs[0].unstable[position] || result->cases[c].verdict != WG_VERDICT_PASS) {
            continue;
        }
        struct wg_result_finding *finding = wg_result_add_finding(result);
        finding->kind = wg_strdup("NONDETERMINISTIC");
        finding->severity = wg_strdup("note");
        finding->occurrences = 1;
        finding->case_index = (int)c;
        finding->text = wg_strdup("two calls with the same data gave results that differ in the "
                                  "last bits: right both times, but the order of the additions is "
                                  "not fixed");
        return;
    }
}

/* The checked build first: its words are the better ones where both found something. */
static void merge_findings(const struct check *check, struct wg_found_list *all) {
    if (check->closer != NULL) {
        wg_found_list_merge(all, &check->closer->found);
    }
    for (int checked = 1; checked >= 0; checked--) {
        for (size_t r = 0; r < check->student_runs; r++) {
            if (check->runs[r].plan->checked == (checked == 1)) {
                wg_found_list_merge(all, &check->runs[r].found);
            }
        }
    }
}

static void add_counters(struct check *check, struct wg_result *result) {
    for (size_t r = 0; r < check->run_count; r++) {
        const struct wg_run *run = &check->runs[r];
        bool counted = run->counted_before != NULL && run->counted_after != NULL;
        /* A reference that fails here is for lint to report; its work is just not shown. */
        if (counted && (r < check->student_runs ||
                        run->outcomes[run->counted_case].facts.verdict == WG_VERDICT_PASS)) {
            wg_counters_to_result(run->counted_before, run->counted_after, run->subject,
                                  (int)check->cases[run->counted_case], result);
        }
    }
}

static char *clean_claim(const char *text) {
    return text[0] == '\0' ? NULL : wg_text_clean(text, strlen(text), 64);
}

static void describe_environment(struct check *check, struct wg_result *result) {
    const struct wg_run *run = &check->runs[0];
    if (run->device.magic != 0 && result->environment.device == NULL) {
        result->environment.device = clean_claim(run->device.text);
        result->environment.arch = clean_claim(run->device.arch);
        result->environment.warp_size = (int)(run->device.warp_size & 0xff);
    }
    if (run->output.len > 0 && result->output == NULL) {
        result->output = wg_text_clean(run->output.data, run->output.len, OUTPUT_BYTES);
    }
}

static bool all_passed(const struct wg_result *result) {
    for (size_t i = 0; i < result->case_count; i++) {
        if (result->cases[i].verdict != WG_VERDICT_PASS) {
            return false;
        }
    }
    return true;
}

/* ---- Timing ---- */

static bool scores_by_tuned(const struct wg_manifest *manifest) {
    for (size_t i = 0; i < manifest->rubric_count; i++) {
        if (manifest->rubric[i].curve_kind == WG_CURVE_TUNED) {
            return true;
        }
    }
    return false;
}

/* tuned.hip in the submission's place, right after it. Both are measured against the baseline, so
 * that the device may have changed in between. */
static enum wg_code add_tuned_shares(const struct wg_check_request *request,
                                     struct wg_result *result, struct wg_err *err) {
    struct wg_check_request wanted = *request;
    struct wg_result *tuned = wg_result_new();
    wanted.student = request->tuned;
    enum wg_code code = wg_timing_run(&wanted, tuned, err);
    for (size_t i = 0; code == WG_OK && i < result->timing_count && i < tuned->timing_count; i++) {
        if (tuned->timings[i].speedup > 0) {
            result->timings[i].tuned_share = result->timings[i].speedup / tuned->timings[i].speedup;
        }
    }
    wg_result_free(tuned);
    return code;
}

static void tell_waiting(void *context) {
    const struct wg_check_request *request = context;
    if (request->progress != NULL) {
        request->progress(request->progress_ctx, "waiting for the GPU, which another job uses", 0,
                          0);
    }
}

/* Jobs that only use a GPU share it, one that is timed has it alone. *fd stays -1 where there is
 * none. */
static enum wg_code lock_device(const struct wg_check_request *request, bool alone, int *fd,
                                struct wg_err *err) {
    const struct wg_device *device = NULL;
    if (strcmp(request->platform, "cpu") == 0) {
        return WG_OK;
    }
    enum wg_code code = wg_device_find(request->platform, &device, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_check_request copy = *request;
    return wg_device_lock(wg_device_lock_folder(), request->platform, device->address, alone,
                          tell_waiting, &copy, fd, err);
}

static enum wg_code time_it(const struct wg_check_request *request, struct wg_result *result,
                            struct wg_err *err) {
    bool is_emulated = strcmp(request->platform, "cpu") == 0;
    WG_CLEANUP(wg_closep) int lock = -1;
    enum wg_code code = lock_device(request, true, &lock, err);
    if (code == WG_OK) {
        code = wg_timing_run(request, result, err);
    }
    if (code == WG_OK && !is_emulated && request->tuned != NULL &&
        scores_by_tuned(request->manifest)) {
        code = add_tuned_shares(request, result, err);
    }
    for (size_t i = 0; code == WG_OK && i < result->timing_count; i++) {
        if (result->timings[i].suspect) {
            result->verdict = wg_verdict_worse(result->verdict, WG_VERDICT_TIMING_SUSPECT);
        }
    }
    return code;
}

enum wg_code wg_check_run(const struct wg_check_request *request, struct wg_result *result,
                          struct wg_err *err) {
    struct check check = {0};
    int lock = -1;
    enum wg_code code = lock_device(request, false, &lock, err);
    if (code != WG_OK) {
        return code;
    }
    int64_t start_ns = wg_clock_mono_ns();
    set_up(&check, request);
    code = run_jobs(&check, err);
    wg_closep(&lock); /* the timed part asks for it again, alone */
    if (code == WG_OK) {
        look_closer(&check);
        struct wg_found_list found = {0};
        merge_findings(&check, &found);
        merge_cases(&check, &found, result);
        wg_found_list_to_result(&found, request->manifest->early_exit_barrier_is_error, result);
        wg_found_list_done(&found);
        add_unstable_note(&check, result);
        add_counters(&check, result);
        describe_environment(&check, result);
        wg_result_add_stage(result, "check", wg_clock_mono_ns() - start_ns);
    }
    /* The time of a wrong answer means nothing. */
    if (code == WG_OK && request->timing && all_passed(result)) {
        start_ns = wg_clock_mono_ns();
        code = time_it(request, result, err);
        wg_result_add_stage(result, "timing", wg_clock_mono_ns() - start_ns);
    }
    tear_down(&check);
    return code;
}
