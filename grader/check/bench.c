#include "grader/check/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/trust.h"
#include "grader/check/generate.h"
#include "grader/check/run.h"
#include "reference/harness/probe.h"

/* Vendors' libraries take some memory of the host for themselves. */
static const int64_t trusted_memory_bytes = (int64_t)8 << 30;

enum wg_code wg_bench_start(struct wg_bench *bench, int64_t wall_s, struct wg_err *err) {
    const struct wg_check_request *request = bench->request;
    char lanes[40] = "";
    snprintf(lanes, sizeof lanes, "WG_CPU_WARP_SIZE=%d", request->warp_size);
    const char *const env[] = {"LC_ALL=C.UTF-8", "HOME=/tmp", "WG_CPU_REPORT_FD=6",
                               request->warp_size > 0 ? lanes : NULL, NULL};
    WG_CLEANUP(wg_freep) char *harness = wg_run_harness(request->platform);
    const struct wg_build *baseline = bench->builds[WG_SUBJECT_BASELINE];
    const struct wg_build *probe = bench->builds[WG_SUBJECT_PROBE];
    /* A bench without a submission has the baseline in its place. */
    bool is_trusted = bench->builds[WG_SUBJECT_STUDENT] == NULL;
    struct wg_session_spec spec = {
        .harness = harness,
        .platform = request->platform,
        .student = is_trusted ? baseline->library : bench->builds[WG_SUBJECT_STUDENT]->library,
        .baseline = baseline->library,
        .probe = probe->library,
        .env = env,
        .shared_bytes = WG_BENCH_TAKEN_BYTES,
        .limits = wg_run_limits(request->manifest, WG_BENCH_TAKEN_BYTES),
    };
    spec.limits.wall_ns = wall_s * 1000000000;
    spec.limits.cpu_s = 4 * wall_s;
    if (is_trusted) {
        spec.limits.memory_bytes = trusted_memory_bytes;
    }
    return wg_session_start(&spec, &bench->session, err);
}

void wg_bench_stop(struct wg_bench *bench) {
    if (bench->session == NULL) {
        return;
    }
    struct wg_jail_result end = {0};
    struct wg_err ignored = {0};
    (void)wg_session_finish(bench->session, true, &end, &ignored);
    wg_jail_result_done(&end);
    bench->session = NULL;
}

bool wg_bench_ask(struct wg_bench *bench, struct wg_request *request, enum wg_answer *answer) {
    int64_t wall_ns = bench->request->manifest->run_wall_s * 1000000000;
    bench->reply = (struct wg_reply){0};
    *answer = wg_session_ask(bench->session, request, wg_clock_mono_ns() + wall_ns, &bench->reply);
    return *answer == WG_ANSWER_REPLY && bench->reply.status == WG_STATUS_OK;
}

bool wg_bench_load(struct wg_bench *bench, enum wg_subject subject, enum wg_answer *answer) {
    const struct wg_build *build = bench->builds[subject];
    struct wg_request request = {
        .op = WG_OP_LOAD, .subject = (uint32_t)subject, .entry_kind = WG_ENTRY_BLAS};
    if (build != NULL) {
        request.entry_kind = (uint32_t)build->entry_kind;
        memcpy(request.symbol, build->entry_symbol, sizeof request.symbol);
    }
    bool is_loaded = wg_bench_ask(bench, &request, answer);
    if (is_loaded && subject == WG_SUBJECT_PROBE) {
        bench->memory_bytes = bench->reply.memory_bytes;
    }
    return is_loaded;
}

static void prepare_arg(const struct wg_bench_call *call, const struct wg_manifest *manifest,
                        size_t slot, struct wg_arg *arg) {
    const struct wg_image_slot *s = &call->image->slots[slot];
    const struct wg_manifest_arg *declared = &manifest->args[s->manifest_arg];
    if (s->role == WG_ROLE_SCALAR) {
        return;
    }
    arg->flags = WG_ARG_POISON;
    if (s->role == WG_ROLE_INPUT || s->role == WG_ROLE_UPDATED) {
        arg->flags |= WG_ARG_FILL;
        arg->flags |= call->absolute ? WG_ARG_ABSOLUTE : 0;
        arg->flags |= declared->generator == WG_GENERATE_SKEWED ? WG_ARG_SKEWED : 0;
        arg->seed = wg_generate_derive(call->seed, s->manifest_arg);
        arg->low = declared->low;
        arg->high = declared->high;
    }
}

bool wg_bench_stage(struct wg_bench *bench, const struct wg_bench_call *call,
                    enum wg_answer *answer) {
    const struct wg_manifest *manifest = bench->request->manifest;
    struct wg_request request = {.op = WG_OP_STAGE, .subject = (uint32_t)call->subject};
    struct wg_err ignored = {0};
    const struct wg_build *build = bench->builds[call->subject];
    if (build == NULL) { /* the BLAS: launched by itself */
        wg_image_describe(call->image, &request);
    } else if (wg_run_describe_call(manifest, build, call->dims, call->image, &request, &ignored) !=
               WG_OK) {
        *answer = WG_ANSWER_GARBLED; /* the manifest was checked: cannot be */
        return false;
    }
    for (size_t i = 0; i < call->image->slot_count; i++) {
        prepare_arg(call, manifest, i, &request.args[i]);
        if (wg_trust_is_off("poison") && (bench->poisoned_sets >> call->set & 1) != 0 &&
            (request.args[i].flags & WG_ARG_FILL) == 0) {
            request.args[i].flags = 0; /* what was left there stays */
        }
    }
    bench->poisoned_sets = (call->alone ? 0 : bench->poisoned_sets) | 1U << call->set;
    request.set = call->set;
    request.flags = call->alone ? WG_REQUEST_ALONE : 0;
    request.flush_bytes = bench->flush_bytes;
    return wg_bench_ask(bench, &request, answer);
}

bool wg_bench_time(struct wg_bench *bench, enum wg_subject subject, struct wg_bench_sample *out,
                   enum wg_answer *answer) {
    struct wg_request request = {.op = WG_OP_TIME, .subject = (uint32_t)subject};
    int64_t start_ns = wg_clock_mono_ns();
    out->gap_ms = bench->timed_ns > 0 ? (double)(start_ns - bench->timed_ns) / 1e6 : 0;
    bool is_done = wg_bench_ask(bench, &request, answer);
    bench->timed_ns = wg_clock_mono_ns();
    out->wall_ms = (double)(bench->timed_ns - start_ns) / 1e6;
    out->event_ms = isfinite(bench->reply.event_ms) ? bench->reply.event_ms : 0;
    out->left_ms = (double)bench->reply.left_ns / 1e6;
    out->others_ms = (double)bench->reply.others_ns / 1e6;
    return is_done;
}

bool wg_bench_take(struct wg_bench *bench, struct wg_request *request, enum wg_answer *answer) {
    request->op = WG_OP_TAKE;
    return wg_bench_ask(bench, request, answer);
}
