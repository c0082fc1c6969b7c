#include "grader/check/pace.h"

#include "grader/stats/stats.h"

/* Warm: the medians of the last two groups of as many calls agree. */
static const size_t warm_group = 3;
static const double warm_difference = 0.02;

/* Ceilings are measured too, and what is left in a cache can be faster than the memory behind it:
 * only what is clearly faster is not believed. */
static const double ceiling_part = 0.75;
static const double floor_part = 0.5;

/* Our clock sees the call and two messages. What the events do not account for is the same for both
 * subjects, but for a hiccup. */
static const double overhead_factor = 3;
static const double overhead_slack_ms = 0.2;

/* The vendors' runtimes have threads of their own: on an H200 they took 0.5 to 0.65 ms a call in
 * every process, in gaps of 3 ms, and 1.2 ms where a thread of the submission waited for data as
 * well. */
static const double others_part = 0.12;
static const double others_slack_ms = 0.1;

const char *wg_pace_stop_name(enum wg_pace_stop stop) {
    static const char *const names[] = {[WG_PACE_GO_ON] = "going on",
                                        [WG_PACE_INTERVAL] = "interval",
                                        [WG_PACE_BUDGET] = "budget",
                                        [WG_PACE_MOST] = "most_samples",
                                        [WG_PACE_BROKEN_OFF] = "too_slow"};
    return names[stop];
}

bool wg_pace_is_warm(const struct wg_pace_limits *limits, const double *times_ms, size_t count) {
    if (count < limits->warmups_least || count < 2 * warm_group) {
        return count >= limits->warmups_most;
    }
    double last = wg_stats_median(times_ms + count - warm_group, warm_group);
    double before = wg_stats_median(times_ms + count - 2 * warm_group, warm_group);
    double difference = last > before ? last - before : before - last;
    return difference <= warm_difference * last || count >= limits->warmups_most;
}

enum wg_pace_stop wg_pace_stop(const struct wg_pace_limits *limits, size_t count,
                               int64_t elapsed_ns, double interval_width) {
    if (count < limits->least) {
        return count >= limits->broken_off && elapsed_ns > limits->hard_ns ? WG_PACE_BROKEN_OFF
                                                                           : WG_PACE_GO_ON;
    }
    if (interval_width < limits->interval_goal) {
        return WG_PACE_INTERVAL;
    }
    if (count >= limits->most) {
        return WG_PACE_MOST;
    }
    return elapsed_ns > limits->budget_ns ? WG_PACE_BUDGET : WG_PACE_GO_ON;
}

double wg_pace_drift(const double *times_ms, size_t count) {
    size_t third = count / 3;
    if (third < 3) {
        return 0;
    }
    double first = wg_stats_median(times_ms, third);
    double last = wg_stats_median(times_ms + count - third, third);
    return first > 0 ? last / first - 1 : 0;
}

const char *wg_pace_doubt(const struct wg_pace_claim *claim) {
    if (claim->event_ms < floor_part * claim->floor_ms) {
        return "its calls claim less time than an empty launch takes";
    }
    if (claim->event_ms < ceiling_part * claim->ceiling_ms) {
        return "its calls claim to be faster than this device can be";
    }
    if (claim->overhead_ms > overhead_factor * claim->usual_overhead_ms + overhead_slack_ms) {
        return "its calls take much longer by the grader's own clock than they claim";
    }
    return NULL;
}

const char *wg_pace_remark(const struct wg_pace_claim *claim) {
    return claim->others_ms > claim->usual_others_ms + others_part * claim->gap_ms + others_slack_ms
               ? "other threads of its process worked while nothing was asked of it"
               : NULL;
}
