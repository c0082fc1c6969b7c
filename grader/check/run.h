/* One session of a check: a process that is asked for every case in some order, with the blocks and
 * threads of the cpu platform in some order.
 *
 * A submission that crashes, hangs or breaks the process costs it the case at hand; the session
 * goes on in a new process, until it has died twice. */
#ifndef WG_CHECK_RUN_H
#define WG_CHECK_RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"
#include "grader/check/check.h"
#include "grader/check/golden.h"
#include "grader/check/outcome.h"
#include "grader/check/report.h"

#define WG_RUN_CALLS 4

struct wg_run_call {
    size_t variant; /* which of the case's sets of data */
    enum wg_poison poison;
    bool fresh; /* at addresses that were not used before */
};

enum wg_run_order {
    WG_RUN_RISING,   /* smallest size first */
    WG_RUN_FALLING,  /* faults may live in what larger sizes leave behind */
    WG_RUN_DECLARED, /* as in the manifest: what is found first is worded for its headline case */
};

struct wg_run_plan {
    const char *words; /* "with blocks in rising order": for sentences and progress */
    bool checked;
    enum wg_run_order order;
    const char *block_order,
        *thread_order; /* WG_CPU_BLOCK_ORDER, WG_CPU_THREAD_ORDER; NULL: a GPU */
    struct wg_run_call calls[WG_RUN_CALLS];
    size_t call_count;
};

/* What all sessions of a check share. */
struct wg_run_shared {
    const struct wg_check_request *request;
    struct wg_golden_table *golden;
    const size_t *cases;    /* indices into the manifest, in growing order */
    const size_t *declared; /* positions in `cases`, in the manifest's order */
    size_t case_count;
    pthread_mutex_t lock; /* of everything below */
    bool gave_up[2]; /* a session timed out or died twice: no other one of its kind need try the
                        same; [1]: of the checked build */
    size_t steps_done, steps_total;
};

struct wg_run {
    const struct wg_run_plan *plan;
    const char *subject; /* "student", "naive", "tuned" */
    const struct wg_build *build;
    size_t only_case; /* position of the one case to run, or SIZE_MAX for all */

    struct wg_outcome *outcomes; /* by position */
    bool *unstable;              /* by position: equal data, right results, other bits */
    struct wg_found_list found;
    struct wg_buf output;                             /* what the submission printed */
    struct wg_report *counted_before, *counted_after; /* around the case of counted_case */
    size_t counted_case;                              /* position, SIZE_MAX for none */
    struct wg_reply device;                           /* answer to LOAD; magic 0: never came */
};

void wg_run_init(struct wg_run *run, const struct wg_run_shared *shared,
                 const struct wg_run_plan *plan, const struct wg_build *build, const char *subject);
void wg_run_done(struct wg_run *run, const struct wg_run_shared *shared);

/* Errors: the machine's, the golden process's. */
enum wg_code wg_run_session(struct wg_run_shared *shared, struct wg_run *run, struct wg_err *err);

/* Shared with timing.c. */
enum wg_code wg_run_describe_call(const struct wg_manifest *manifest, const struct wg_build *build,
                                  const int64_t *dims, const struct wg_image *image,
                                  struct wg_request *request, struct wg_err *err);
/* Where the harness of a platform is inside the jail; heap. */
char *wg_run_harness(const char *platform);
struct wg_jail_limits wg_run_limits(const struct wg_manifest *manifest, size_t shared_bytes);

#endif
