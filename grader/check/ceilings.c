#include "grader/check/ceilings.h"

#include <stdio.h>
#include <string.h>

#include "grader/stats/stats.h"
#include "reference/harness/probe.h"

enum { FLOOR_CALLS = 40, CALLS = 15, WARMUPS = 5, PROBE_SET = 3 };

static void add_buffer(struct wg_request *request, uint64_t bytes) {
    request->args[request->arg_count++] =
        (struct wg_arg){.kind = WG_ARG_BUFFER, .type = WG_TYPE_U8, .bytes = bytes};
}

static void add_int(struct wg_request *request, enum wg_type type, int64_t value) {
    request->args[request->arg_count++] =
        (struct wg_arg){.kind = WG_ARG_SCALAR, .type = (uint8_t)type, .value.i = value};
}

static void add_double(struct wg_request *request, double value) {
    request->args[request->arg_count++] =
        (struct wg_arg){.kind = WG_ARG_SCALAR, .type = WG_TYPE_F64, .value.f = value};
}

static struct wg_request probe_request(const struct wg_bench *bench, enum wg_probe_what what,
                                       uint64_t bytes) {
    struct wg_request request = {.op = WG_OP_STAGE,
                                 .subject = WG_SUBJECT_PROBE,
                                 .set = PROBE_SET,
                                 .flush_bytes = bench->flush_bytes};
    add_buffer(&request, bytes);
    add_buffer(&request, bytes);
    add_int(&request, WG_TYPE_I64, (int64_t)(bytes / WG_PROBE_UNIT_BYTES));
    add_int(&request, WG_TYPE_I64, 0);
    add_double(&request, 0);
    add_double(&request, 0);
    add_int(&request, WG_TYPE_I32, 0);
    add_int(&request, WG_TYPE_I32, what);
    return request;
}

/* The median of the calls after the warm-ups. */
static bool measure_probe(struct wg_bench *bench, enum wg_probe_what what, uint64_t bytes,
                          size_t calls, double *median_ms, enum wg_answer *answer) {
    double times[FLOOR_CALLS];
    for (size_t i = 0; i < WARMUPS + calls; i++) {
        struct wg_request request = probe_request(bench, what, bytes);
        struct wg_bench_sample sample;
        if (!wg_bench_ask(bench, &request, answer) ||
            !wg_bench_time(bench, WG_SUBJECT_PROBE, &sample, answer)) {
            return false;
        }
        if (i >= WARMUPS) {
            times[i - WARMUPS] = sample.event_ms;
        }
    }
    *median_ms = wg_stats_median(times, calls);
    return true;
}

bool wg_ceilings_find_floor(struct wg_bench *bench, struct wg_ceilings *out,
                            enum wg_answer *answer) {
    return measure_probe(bench, WG_PROBE_EMPTY, 4096, FLOOR_CALLS, &out->floor_ms, answer);
}

static bool measure_blas(struct wg_bench *bench, const int64_t *dims, const struct wg_image *image,
                         double *median_ms, enum wg_answer *answer) {
    double times[CALLS];
    for (size_t i = 0; i < WARMUPS + CALLS; i++) {
        const struct wg_bench_call call = {
            .subject = WG_SUBJECT_BLAS, .dims = dims, .image = image, .seed = i};
        struct wg_bench_sample sample;
        if (!wg_bench_stage(bench, &call, answer) ||
            !wg_bench_time(bench, WG_SUBJECT_BLAS, &sample, answer)) {
            return false;
        }
        if (i >= WARMUPS) {
            times[i - WARMUPS] = sample.event_ms;
        }
    }
    *median_ms = wg_stats_median(times, CALLS);
    return true;
}

bool wg_ceilings_find(struct wg_bench *bench, const int64_t *dims, const struct wg_image *image,
                      double bytes, struct wg_ceilings *out, enum wg_answer *answer) {
    uint64_t half = (uint64_t)(bytes / 2) / WG_PROBE_UNIT_BYTES * WG_PROBE_UNIT_BYTES;
    out->copy_ms = 0;
    out->blas_ms = 0;
    if (half > 0 && !measure_probe(bench, WG_PROBE_COPY, half, CALLS, &out->copy_ms, answer)) {
        return false;
    }
    if (bench->request->manifest->ceiling != WG_CEILING_SGEMM) {
        return true;
    }
    /* Without a BLAS there is just one ceiling less. It stays loaded from size to size. */
    if (out->blas_words[0] == '\0') {
        out->has_blas = wg_bench_load(bench, WG_SUBJECT_BLAS, answer);
        if (*answer != WG_ANSWER_REPLY) {
            return false;
        }
        snprintf(out->blas_words, sizeof out->blas_words, "%.127s", bench->reply.text);
    }
    return !out->has_blas || measure_blas(bench, dims, image, &out->blas_ms, answer);
}
