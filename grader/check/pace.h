/* When a measurement has warmed up, when it is long enough, and what its numbers say about
 * themselves: pure functions over samples, no state, no clock. */
#ifndef WG_CHECK_PACE_H
#define WG_CHECK_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wg_pace_limits {
    size_t warmups_least, warmups_most;
    size_t least, most;   /* samples of each subject */
    size_t broken_off;    /* with as many it may end when hard_ns is over */
    int64_t budget_ns;    /* measuring, after `least` samples */
    int64_t hard_ns;      /* measuring, whatever it brought */
    double interval_goal; /* width of the interval over the ratio */
};

enum wg_pace_stop {
    WG_PACE_GO_ON = 0,
    WG_PACE_INTERVAL,   /* narrow enough */
    WG_PACE_BUDGET,     /* time is up */
    WG_PACE_MOST,       /* as many samples as are kept */
    WG_PACE_BROKEN_OFF, /* far too slow: fewer samples than wanted */
};

/* "interval", "budget", ...: for results. */
const char *wg_pace_stop_name(enum wg_pace_stop stop);

/* Are the last calls as fast as those just before them? Looks at one subject. */
bool wg_pace_is_warm(const struct wg_pace_limits *limits, const double *times_ms, size_t count);

/* interval_width: (high - low) / ratio of the speedup; infinite: not known yet. */
enum wg_pace_stop wg_pace_stop(const struct wg_pace_limits *limits, size_t count,
                               int64_t elapsed_ns, double interval_width);

/* How much slower (> 0) or faster the last third is than the first, as a part: 0.05 is 5%. 0 for
 * fewer than 9 samples. */
double wg_pace_drift(const double *times_ms, size_t count);

/* What speaks against a subject's times; NULL: nothing. All times in ms; a limit of 0 is not known.
 * The string is static. */
struct wg_pace_claim {
    double event_ms;          /* median of what the process says */
    double overhead_ms;       /* median of our own clock less that */
    double usual_overhead_ms; /* the same of the baseline */
    double floor_ms;          /* of an empty launch */
    double ceiling_ms;        /* as fast as this device can be */
    double gap_ms;            /* time between two calls, on average */
    double others_ms;         /* what other threads worked meanwhile */
    double usual_others_ms;   /* the same in a process without the submission */
};
const char *wg_pace_doubt(const struct wg_pace_claim *claim);

/* What is worth telling, but accuses nobody: how much a vendor's own threads work differs from
 * machine to machine, and a submission cannot make threads (build/imports.h). As above. */
const char *wg_pace_remark(const struct wg_pace_claim *claim);

#endif
