/* A process in which calls are measured: the harness with the probe and one or two libraries.
 *
 * There are two of them while a submission is timed. In one the submission and the baseline take
 * turns. The other, which the submission never enters, makes the results that it is held against
 * and measures the device. */
#ifndef WG_CHECK_BENCH_H
#define WG_CHECK_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/err.h"
#include "grader/build/build.h"
#include "grader/check/check.h"
#include "grader/check/image.h"
#include "grader/check/session.h"

/* What a bench's shared file can hold of buffers at a time. */
#define WG_BENCH_TAKEN_BYTES ((size_t)64 << 20)

struct wg_bench {
    const struct wg_check_request *request;
    const struct wg_build *builds[WG_SUBJECT_COUNT]; /* by enum wg_subject; NULL: none */
    struct wg_session *session;                      /* NULL: not running */
    size_t flush_bytes;                              /* read after each preparation */
    uint64_t memory_bytes;                           /* of the device */
    struct wg_reply reply;                           /* the last one */
    uint32_t poisoned_sets; /* a bit for each, since buffers were last given back */
    int64_t timed_ns;       /* by our clock, when the last measured call ended; 0: none yet */
};

/* One call to make. */
struct wg_bench_call {
    enum wg_subject subject;
    const int64_t *dims;
    const struct wg_image *image;
    uint64_t seed;
    uint32_t set;
    bool absolute; /* magnitudes of the inputs */
    bool alone;    /* other sizes are over: their buffers are given back */
};

struct wg_bench_sample {
    double event_ms;  /* what the process says */
    double left_ms;   /* and how long it waited afterwards until nothing ran any more */
    double wall_ms;   /* by our clock, from request to answer */
    double mhz;       /* the device's clock just afterwards; 0: not known */
    double gap_ms;    /* by our clock, from the measured call before it */
    double others_ms; /* processor time that other threads took in it while nothing was asked */
};

/* Starts the process; libraries are loaded by wg_bench_load. Errors are the machine's. */
enum wg_code wg_bench_start(struct wg_bench *bench, int64_t wall_s, struct wg_err *err);
void wg_bench_stop(struct wg_bench *bench);

/* These return false when the process did not answer with WG_STATUS_OK: *answer and bench->reply
 * tell why. */
bool wg_bench_load(struct wg_bench *bench, enum wg_subject subject, enum wg_answer *answer);
bool wg_bench_stage(struct wg_bench *bench, const struct wg_bench_call *call,
                    enum wg_answer *answer);
bool wg_bench_time(struct wg_bench *bench, enum wg_subject subject, struct wg_bench_sample *out,
                   enum wg_answer *answer);
/* request->ranges say what; it comes to wg_session_taken(bench->session). */
bool wg_bench_take(struct wg_bench *bench, struct wg_request *request, enum wg_answer *answer);
/* Any other request. */
bool wg_bench_ask(struct wg_bench *bench, struct wg_request *request, enum wg_answer *answer);

#endif
