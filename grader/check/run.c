#include "grader/check/run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/trust.h"

enum {
    DEATHS_MAX = 2,
    CHECKED_TIMEOUTS_MAX = 1, /* the plain build tells already that it hangs */
    CALLS_PER_WALL = 4,       /* a call may take this part of the session's time */
    CHECKED_SLOWER = 2,       /* and this much longer in the checked build */
    OUTPUT_KEPT = 16 * 1024,
    JAIL_PROCESSES = 64,
};

static const int64_t jail_file_bytes = (int64_t)16 << 20;
static const int64_t jail_tmpfs_bytes = (int64_t)16 << 20;

/* One process of a session at work. */
struct work {
    struct wg_run_shared *shared;
    struct wg_run *run;
    const struct wg_manifest *manifest;
    struct wg_session *session; /* NULL: none is running */
    struct wg_watch watch;
    size_t shared_bytes;
    uint8_t *taken;  /* private copy of the last call's images */
    uint8_t *before; /* and of the call before it */
    size_t calls_answered;
    size_t last_position; /* of the last call that was answered */
    int deaths, timeouts;
    bool was_killed; /* by a signal that nobody here sent */
    bool is_quitter; /* this session is the one that gave up for its kind */
};

static size_t position_at(const struct wg_run_shared *shared, const struct wg_run_plan *plan,
                          size_t step) {
    switch (plan->order) {
    case WG_RUN_FALLING:
        return shared->case_count - 1 - step;
    case WG_RUN_DECLARED:
        return shared->declared[step];
    default:
        return step;
    }
}

void wg_run_init(struct wg_run *run, const struct wg_run_shared *shared,
                 const struct wg_run_plan *plan, const struct wg_build *build,
                 const char *subject) {
    *run = (struct wg_run){
        .plan = plan,
        .subject = subject,
        .build = build,
        .only_case = SIZE_MAX,
        .counted_case = SIZE_MAX,
        .outcomes = wg_calloc(shared->case_count, sizeof *run->outcomes),
        .unstable = wg_calloc(shared->case_count, sizeof *run->unstable),
    };
    for (size_t i = 0; i < shared->case_count; i++) {
        run->outcomes[i].checked = plan->checked;
        run->outcomes[i].order = (int)plan->order;
        run->outcomes[i].is_first = position_at(shared, plan, 0) == i;
    }
}

void wg_run_done(struct wg_run *run, const struct wg_run_shared *shared) {
    for (size_t i = 0; run->outcomes != NULL && i < shared->case_count; i++) {
        wg_outcome_done(&run->outcomes[i]);
    }
    free(run->outcomes);
    free(run->unstable);
    free(run->counted_before);
    free(run->counted_after);
    wg_found_list_done(&run->found);
    wg_buf_done(&run->output);
    *run = (struct wg_run){0};
}

/* ---- Starting ---- */

struct wg_jail_limits wg_run_limits(const struct wg_manifest *manifest, size_t shared_bytes) {
    return (struct wg_jail_limits){
        .wall_ns = manifest->run_wall_s * 1000000000,
        .cpu_s = 4 * manifest->run_wall_s,
        /* The shared files are ours, though their pages may be counted against the jail. */
        .memory_bytes = manifest->memory_bytes + 2 * (int64_t)shared_bytes,
        .file_bytes = jail_file_bytes,
        .tmpfs_bytes = jail_tmpfs_bytes,
        .output_bytes = manifest->output_bytes,
        .processes = JAIL_PROCESSES,
    };
}

static enum wg_code plan_image(const struct work *w, size_t position, struct wg_image *out,
                               struct wg_err *err) {
    const struct wg_manifest_case *c = &w->manifest->cases[w->shared->cases[position]];
    /* The checked build knows where buffers end; guards inside the allocation would hide it. */
    size_t guard_bytes = w->run->plan->checked ? 0 : WG_IMAGE_GUARD_BYTES;
    return wg_image_plan(w->manifest, c->dims, guard_bytes, out, err);
}

static enum wg_code find_shared_size(struct work *w, struct wg_err *err) {
    w->shared_bytes = 4096;
    for (size_t i = 0; i < w->shared->case_count; i++) {
        struct wg_image image;
        enum wg_code code = plan_image(w, i, &image, err);
        if (code != WG_OK) {
            return code;
        }
        w->shared_bytes = image.bytes > w->shared_bytes ? image.bytes : w->shared_bytes;
    }
    return WG_OK;
}

char *wg_run_harness(const char *platform) {
    return wg_strf("/wg/libexec/%s/harness%s", platform, wg_trust_is_off("harness") ? "-open" : "");
}

static enum wg_code start_process(struct work *w, struct wg_err *err) {
    const struct wg_run_plan *plan = w->run->plan;
    const char *platform = w->shared->request->platform;
    int warp_size = w->shared->request->warp_size;
    WG_CLEANUP(wg_freep) char *harness = wg_run_harness(platform);
    WG_CLEANUP(wg_freep) char *blocks = wg_strf("WG_CPU_BLOCK_ORDER=%s", plan->block_order);
    WG_CLEANUP(wg_freep) char *threads = wg_strf("WG_CPU_THREAD_ORDER=%s", plan->thread_order);
    WG_CLEANUP(wg_freep) char *lanes = wg_strf("WG_CPU_WARP_SIZE=%d", warp_size);
    const char *const emulated[] = {"LC_ALL=C.UTF-8",
                                    "HOME=/tmp",
                                    "WG_CPU_REPORT_FD=6",
                                    blocks,
                                    threads,
                                    warp_size > 0 ? lanes : NULL,
                                    NULL};
    static const char *const native[] = {"LC_ALL=C.UTF-8", "HOME=/tmp", NULL};
    const struct wg_session_spec spec = {
        .harness = harness,
        .student = plan->checked ? w->run->build->checked_library : w->run->build->library,
        .env = plan->block_order == NULL ? native : emulated,
        .platform = platform,
        .shared_bytes = w->shared_bytes,
        .limits = wg_run_limits(w->manifest, w->shared_bytes),
    };
    wg_watch_done(&w->watch);
    wg_watch_start(&w->watch);
    w->calls_answered = 0;
    return wg_session_start(&spec, &w->session, err);
}

/* ---- Ends ---- */

static void keep_output(struct wg_run *run, const struct wg_jail_result *end) {
    const struct wg_buf *texts[] = {&end->out, &end->errout};
    for (size_t i = 0; i < 2; i++) {
        size_t room = run->output.len < OUTPUT_KEPT ? OUTPUT_KEPT - run->output.len : 0;
        size_t len = texts[i]->len < room ? texts[i]->len : room;
        if (len > 0) {
            wg_buf_add(&run->output, texts[i]->data, len);
        }
    }
}

static enum wg_code end_process(struct work *w, bool kill, struct wg_jail_result *end,
                                struct wg_err *err) {
    enum wg_code code = wg_session_finish(w->session, kill, end, err);
    w->session = NULL;
    if (code == WG_OK) {
        keep_output(w->run, end);
    }
    return code;
}

static void update_watch(struct work *w, size_t position, struct wg_evidence *out) {
    wg_watch_update(&w->watch, wg_session_report(w->session),
                    w->manifest->early_exit_barrier_is_error, (int)w->shared->cases[position],
                    &w->run->found, out);
}

static void tell_others(struct work *w) {
    pthread_mutex_lock(&w->shared->lock);
    w->is_quitter |= !w->shared->gave_up[w->run->plan->checked];
    w->shared->gave_up[w->run->plan->checked] = true;
    pthread_mutex_unlock(&w->shared->lock);
}

static bool baseline_works(const struct work *w, size_t position);

static bool is_baseline(const struct work *w) {
    return w->run->build == w->shared->request->baseline;
}

/* Signals that people and machines end programs with: an operator, memory running out, a batch
 * system that ends a job, process by process. */
static bool may_be_from_outside(const struct wg_jail_result *end) {
    static const int signals[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        if (end->end == WG_JAIL_SIGNALED && end->signal == signals[i]) {
            return true;
        }
    }
    return false;
}

/* After the first such signal the case is run again. Of a submission that kills itself there is a
 * second one. */
static enum wg_code bury(struct work *w, size_t position, enum wg_answer answer, bool while_loading,
                         struct wg_err *err) {
    struct wg_outcome *outcome = &w->run->outcomes[position];
    struct wg_evidence evidence;
    struct wg_jail_result end = {0};
    update_watch(w, position, &evidence);
    /* A process that broke its socket is about to end by itself, which tells more than our kill. */
    enum wg_code code = end_process(w, answer == WG_ANSWER_LATE, &end, err);
    if (code == WG_OK && may_be_from_outside(&end) && !w->was_killed) {
        w->was_killed = true;
        wg_jail_result_done(&end);
        return WG_OK;
    }
    if (code == WG_OK && while_loading && !is_baseline(w) && !baseline_works(w, position)) {
        code =
            wg_fail(err, WG_EINTERNAL, "the measuring process ends before it has loaded anything");
    }
    if (code == WG_OK) {
        if (end.end == WG_JAIL_SIGNALED && end.signal == SIGABRT) {
            wg_found_list_tell_assert(&w->run->found, &evidence, wg_buf_str(&end.errout));
            if (wg_evidence_ends_after_launch(&evidence)) {
                wg_found_list_drop_end(&w->run->found, &evidence);
            }
        }
        wg_outcome_add_death(outcome, w->manifest, answer, &end, &evidence, while_loading);
        w->deaths++;
    }
    if (answer == WG_ANSWER_LATE) {
        /* Waiting is what costs: one session does it for all. */
        tell_others(w);
        w->timeouts++;
        w->deaths += w->run->plan->checked ? DEATHS_MAX - CHECKED_TIMEOUTS_MAX : 0;
    }
    wg_jail_result_done(&end);
    return code;
}

/* ---- Calls ---- */

/* A submission that hung once gets half the time. The checked build is slower, but ends before the
 * plain one has hung twice: then only the first checked session waits for a submission that hangs.
 */
static int64_t call_deadline(const struct work *w) {
    int64_t wall_ns = w->manifest->run_wall_s * 1000000000 / CALLS_PER_WALL;
    if (w->run->plan->checked) {
        wall_ns += wall_ns / 4;
    }
    return wg_clock_mono_ns() + (w->timeouts > 0 ? wall_ns / 2 : wall_ns);
}

/* Refusals that are not the submission's doing, if it is not the one that caused them. */
static enum wg_code fail_setup(const struct wg_reply *reply, struct wg_err *err) {
    return wg_fail(err, reply->status == WG_STATUS_NO_DEVICE ? WG_EUNSUPPORTED : WG_EINTERNAL,
                   "the harness failed: %.200s %.60s", reply->text, reply->hip_error_name);
}

/* A process that says it is not fit for work. The submission's code may have run in it by then, so
 * this is a claim like any other: ours to answer for where the baseline fares no better. */
static enum wg_code judge_refusal(struct work *w, size_t position, const struct wg_reply *reply,
                                  struct wg_err *err) {
    struct wg_jail_result end = {0};
    if (is_baseline(w) || !baseline_works(w, position)) {
        return fail_setup(reply, err);
    }
    enum wg_code code = end_process(w, true, &end, err);
    wg_jail_result_done(&end);
    w->deaths++;
    w->run->outcomes[position].reached = true;
    wg_outcome_raise(
        &w->run->outcomes[position], WG_VERDICT_CRASH,
        wg_strdup("the submission damaged the measuring process before its first call: "
                  "look for code that runs while the program is loaded, such as "
                  "constructors of global variables"));
    return code;
}

static enum wg_code load(struct work *w, size_t position, struct wg_err *err) {
    struct wg_request request = {.op = WG_OP_LOAD,
                                 .entry_kind = (uint32_t)w->run->build->entry_kind};
    memcpy(request.symbol, w->run->build->entry_symbol, sizeof request.symbol);
    struct wg_reply reply;
    enum wg_answer answer = wg_session_ask(w->session, &request, call_deadline(w), &reply);
    if (answer != WG_ANSWER_REPLY) {
        return bury(w, position, answer, true, err);
    }
    if (reply.status == WG_STATUS_LOAD_FAILED) {
        struct wg_outcome *outcome = &w->run->outcomes[position];
        outcome->reached = true;
        wg_outcome_raise(outcome, WG_VERDICT_CRASH,
                         wg_strf("the compiled program cannot be loaded: %s", reply.text));
        w->deaths++;
        struct wg_jail_result end = {0};
        enum wg_code code = end_process(w, true, &end, err);
        wg_jail_result_done(&end);
        return code;
    }
    if (reply.status != WG_STATUS_OK) {
        return judge_refusal(w, position, &reply, err);
    }
    w->run->device = reply;
    return WG_OK;
}

static enum wg_code evaluate(const struct wg_expr *expr, const int64_t *dims, uint32_t *out,
                             struct wg_err *err) {
    int64_t value = 0;
    enum wg_code code = expr == NULL ? WG_OK : wg_expr_eval(expr, dims, &value, err);
    if (code == WG_OK && (value < 0 || value > UINT32_MAX)) {
        return wg_fail(err, WG_EPARSE, "launch shape '%s' gives %lld", wg_expr_text(expr),
                       (long long)value);
    }
    *out = (uint32_t)value;
    return code;
}

enum wg_code wg_run_describe_call(const struct wg_manifest *manifest, const struct wg_build *build,
                                  const int64_t *dims, const struct wg_image *image,
                                  struct wg_request *request, struct wg_err *err) {
    request->entry_kind = (uint32_t)build->entry_kind;
    memcpy(request->symbol, build->entry_symbol, sizeof request->symbol);
    wg_image_describe(image, request);
    enum wg_code code = evaluate(manifest->shared_bytes, dims, &request->shared_bytes, err);
    for (int i = 0; code == WG_OK && i < 3; i++) {
        code = evaluate(manifest->grid[i], dims, &request->grid[i], err);
        if (code == WG_OK) {
            code = evaluate(manifest->block[i], dims, &request->block[i], err);
        }
    }
    return code;
}

static enum wg_code describe(struct work *w, size_t position, const struct wg_run_call *call,
                             const struct wg_image *image, struct wg_request *request,
                             struct wg_err *err) {
    size_t case_index = w->shared->cases[position];
    *request = (struct wg_request){.op = WG_OP_RUN};
    enum wg_code code = wg_run_describe_call(
        w->manifest, w->run->build, w->manifest->cases[case_index].dims, image, request, err);
    if (call->fresh || w->run->plan->checked) {
        request->flags |= WG_REQUEST_FRESH;
    }
    /* The checked build reports reads of what nobody wrote: so nothing is written. */
    for (size_t i = 0; w->run->plan->checked && i < image->slot_count; i++) {
        if (image->slots[i].role == WG_ROLE_OUTPUT) {
            request->args[i].flags |= WG_ARG_UNDEFINED;
        }
    }
    return code;
}

static size_t variant_of(const struct wg_run_call *call) {
    return wg_trust_is_off("fresh") ? 0 : call->variant;
}

/* Right both times and yet not the same bits: sums whose order varies. */
static void compare_with_before(struct work *w, size_t position, const struct wg_image *image) {
    for (size_t i = 0; i < image->slot_count; i++) {
        const struct wg_image_slot *slot = &image->slots[i];
        if ((slot->role == WG_ROLE_OUTPUT || slot->role == WG_ROLE_UPDATED) &&
            memcmp(w->before + slot->offset, w->taken + slot->offset, slot->bytes) != 0) {
            w->run->unstable[position] = true;
        }
    }
}

static enum wg_code judge(struct work *w, size_t position, size_t call_index,
                          const struct wg_image *image, const struct wg_reply *reply,
                          struct wg_err *err) {
    const struct wg_run_call *calls = w->run->plan->calls;
    size_t case_index = w->shared->cases[position];
    const struct wg_golden_entry *golden = NULL;
    const struct wg_golden_entry *previous = NULL;
    enum wg_code code =
        wg_golden_get(w->shared->golden, case_index, variant_of(&calls[call_index]), &golden, err);
    if (code == WG_OK && call_index > 0) {
        code = wg_golden_get(w->shared->golden, case_index, variant_of(&calls[call_index - 1]),
                             &previous, err);
    }
    if (code != WG_OK) {
        return code;
    }
    memcpy(w->taken, wg_session_taken(w->session), image->bytes);
    struct wg_evidence evidence;
    update_watch(w, position, &evidence);
    const struct wg_call_seen seen = {
        .manifest = w->manifest,
        .dims = w->manifest->cases[case_index].dims,
        .image = image,
        .given = wg_session_given(w->session),
        .taken = w->taken,
        .poison = calls[call_index].poison,
        .variant = variant_of(&calls[call_index]),
        .golden = golden,
        .previous = previous,
        .reply = reply,
        .evidence = &evidence,
    };
    wg_outcome_add_call(&w->run->outcomes[position], &seen);
    if (call_index > 0 && calls[call_index].variant == calls[call_index - 1].variant) {
        compare_with_before(w, position, image);
    }
    memcpy(w->before, w->taken, image->bytes);
    return WG_OK;
}

static void count_work(struct work *w, size_t position, struct wg_report **out) {
    if (position == w->run->counted_case && w->session != NULL) {
        *out = wg_calloc(1, sizeof **out);
        **out = *w->watch.copy;
    }
}

/* The device cannot be used any more, and could before: an earlier call has broken it or used up
 * its memory. Where that call already has its verdict, nothing else is to be said. */
static enum wg_code leave_broken(struct work *w, size_t position, const struct wg_reply *reply,
                                 struct wg_err *err) {
    struct wg_jail_result end = {0};
    enum wg_code code = end_process(w, true, &end, err);
    wg_jail_result_done(&end);
    w->deaths++;
    if (w->run->outcomes[w->last_position].facts.verdict == WG_VERDICT_PASS) {
        bool no_memory = strcmp(reply->hip_error_name, "hipErrorOutOfMemory") == 0;
        w->run->outcomes[position].reached = true;
        wg_outcome_raise(&w->run->outcomes[position],
                         no_memory ? WG_VERDICT_MEMORY_LIMIT : WG_VERDICT_CRASH,
                         no_memory ? wg_strdup("no device memory is left after the calls before: "
                                               "free what is allocated in each call")
                                   : wg_strdup("the device cannot be used any more after the calls "
                                               "before: look for kernels that fail or never end"));
    }
    return code;
}

/* For tests/trust: what a grader does that leaves results where they are. */
static void keep_results(struct work *w, const struct wg_image *image) {
    for (size_t i = 0; i < image->slot_count; i++) {
        const struct wg_image_slot *slot = &image->slots[i];
        if (slot->role == WG_ROLE_OUTPUT) {
            memcpy(wg_session_given(w->session) + slot->offset, w->before + slot->offset,
                   slot->bytes);
        }
    }
}

/* For tests/trust: what a grader does that leaves the expected results in the process. */
static void show_golden(struct work *w, size_t position, size_t variant,
                        const struct wg_image *image) {
    const struct wg_golden_entry *golden = NULL;
    struct wg_err ignored = {0};
    if (wg_golden_get(w->shared->golden, w->shared->cases[position], variant, &golden, &ignored) !=
        WG_OK) {
        return;
    }
    for (size_t i = 0; i < image->slot_count; i++) {
        const struct wg_image_slot *slot = &image->slots[i];
        float *shown = (float *)((uintptr_t)wg_session_taken(w->session) + slot->offset);
        for (size_t k = 0; slot->role == WG_ROLE_OUTPUT && k < slot->count; k++) {
            shown[k] = (float)golden->outputs[slot->manifest_arg].values[k];
        }
    }
}

static enum wg_code call_once(struct work *w, size_t position, size_t call_index,
                              const struct wg_image *image, struct wg_err *err) {
    const struct wg_run_call *call = &w->run->plan->calls[call_index];
    struct wg_request request;
    struct wg_reply reply;
    enum wg_code code = describe(w, position, call, image, &request, err);
    if (code != WG_OK) {
        return code;
    }
    uint64_t seed =
        wg_golden_data_seed(w->shared->request->seed, w->shared->cases[position], variant_of(call));
    wg_image_fill(image, w->manifest, seed, call->poison, wg_session_given(w->session));
    if (wg_trust_is_off("poison") && call_index > 0) {
        keep_results(w, image);
    }
    wg_session_reset_taken(w->session, image->bytes);
    if (wg_trust_is_off("golden")) {
        show_golden(w, position, variant_of(call), image);
    }
    enum wg_answer answer = wg_session_ask(w->session, &request, call_deadline(w), &reply);
    if (answer != WG_ANSWER_REPLY) {
        return bury(w, position, answer, false, err);
    }
    if (reply.status == WG_STATUS_OK || reply.status == WG_STATUS_HIP_ERROR) {
        w->calls_answered++;
        w->last_position = position;
        return judge(w, position, call_index, image, &reply, err);
    }
    if (w->calls_answered == 0) {
        return judge_refusal(w, position, &reply, err);
    }
    return leave_broken(w, position, &reply, err);
}

static enum wg_code run_case(struct work *w, size_t position, struct wg_err *err) {
    struct wg_image image;
    enum wg_code code = plan_image(w, position, &image, err);
    if (code == WG_OK && w->session == NULL) {
        code = start_process(w, err);
        if (code == WG_OK) {
            code = load(w, position, err);
        }
    }
    count_work(w, position, &w->run->counted_before);
    for (size_t i = 0; code == WG_OK && w->session != NULL && i < w->run->plan->call_count; i++) {
        code = call_once(w, position, i, &image, err);
    }
    count_work(w, position, &w->run->counted_after);
    return code;
}

/* The baseline's first call in this place, in a process of its own. */
static bool baseline_works(const struct work *w, size_t position) {
    if (w->shared->request->baseline == NULL) {
        return false; /* nobody to blame but us */
    }
    struct wg_run_plan plan = *w->run->plan;
    struct wg_run run;
    struct wg_err ignored = {0};
    struct wg_jail_result end = {0};
    struct work probe = {.shared = w->shared, .run = &run, .manifest = w->manifest};
    plan.checked = false;
    plan.call_count = 1;
    wg_run_init(&run, w->shared, &plan, w->shared->request->baseline, "naive");
    bool works = find_shared_size(&probe, &ignored) == WG_OK;
    probe.taken = wg_calloc(probe.shared_bytes, 1);
    probe.before = wg_calloc(probe.shared_bytes, 1);
    works = works && run_case(&probe, position, &ignored) == WG_OK && probe.calls_answered > 0;
    if (probe.session != NULL) {
        (void)end_process(&probe, true, &end, &ignored);
        wg_jail_result_done(&end);
    }
    wg_watch_done(&probe.watch);
    free(probe.taken);
    free(probe.before);
    wg_run_done(&run, w->shared);
    return works;
}

/* ---- The cases in their order ---- */

static bool is_wanted(const struct work *w, size_t position) {
    const struct wg_manifest_case *c = &w->manifest->cases[w->shared->cases[position]];
    bool is_planned = w->run->only_case == SIZE_MAX ? c->checked || !w->run->plan->checked
                                                    : w->run->only_case == position;
    if (!is_planned) {
        return false;
    }
    pthread_mutex_lock(&w->shared->lock);
    bool wanted = w->is_quitter || !w->shared->gave_up[w->run->plan->checked];
    pthread_mutex_unlock(&w->shared->lock);
    return wanted;
}

static void step(struct work *w) {
    const struct wg_check_request *request = w->shared->request;
    pthread_mutex_lock(&w->shared->lock);
    w->shared->steps_done++;
    if (request->progress != NULL) {
        request->progress(request->progress_ctx, w->run->plan->words, w->shared->steps_done,
                          w->shared->steps_total);
    }
    pthread_mutex_unlock(&w->shared->lock);
}

/* Two deaths are enough to know; what was not tried shares the last verdict. */
static void give_up(struct work *w, size_t from, const struct wg_outcome *last) {
    tell_others(w);
    for (size_t i = from; i < w->shared->case_count; i++) {
        size_t position = position_at(w->shared, w->run->plan, i);
        struct wg_outcome *outcome = &w->run->outcomes[position];
        if (!outcome->reached &&
            (!w->run->plan->checked || w->manifest->cases[w->shared->cases[position]].checked)) {
            outcome->reached = true;
            outcome->kernel_fault = last->kernel_fault;
            wg_outcome_raise(outcome, last->facts.verdict,
                             wg_strdup("not run: the cases before it ended the process twice"));
            outcome->facts.not_run = true;
        }
    }
}

static enum wg_code run_all(struct work *w, struct wg_err *err) {
    enum wg_code code = find_shared_size(w, err);
    if (code != WG_OK) {
        return code;
    }
    w->taken = wg_calloc(w->shared_bytes, 1);
    w->before = wg_calloc(w->shared_bytes, 1);
    for (size_t i = 0; i < w->shared->case_count; i++) {
        size_t position = position_at(w->shared, w->run->plan, i);
        const struct wg_outcome *outcome = &w->run->outcomes[position];
        /* Again when the process was found broken before the case had even begun. */
        while (code == WG_OK && is_wanted(w, position) && !outcome->reached &&
               w->deaths < DEATHS_MAX) {
            code = run_case(w, position, err);
        }
        step(w);
        if (code != WG_OK) {
            return code;
        }
        if (w->deaths >= DEATHS_MAX) {
            give_up(w, i, outcome->reached ? outcome : &w->run->outcomes[w->last_position]);
            return WG_OK;
        }
    }
    return WG_OK;
}

enum wg_code wg_run_session(struct wg_run_shared *shared, struct wg_run *run, struct wg_err *err) {
    struct work w = {.shared = shared, .run = run, .manifest = shared->request->manifest};
    enum wg_code code = run_all(&w, err);
    if (w.session != NULL) {
        struct wg_jail_result end = {0};
        struct wg_err end_err = {0};
        enum wg_code end_code = end_process(&w, true, &end, &end_err);
        wg_jail_result_done(&end);
        if (code == WG_OK && end_code != WG_OK) {
            *err = end_err;
            code = end_code;
        }
    }
    wg_watch_done(&w.watch);
    free(w.taken);
    free(w.before);
    return code;
}
