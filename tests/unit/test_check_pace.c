#include <criterion/criterion.h>
#include <math.h>

#include "grader/check/pace.h"

static const struct wg_pace_limits limits = {.warmups_least = 6,
                                             .warmups_most = 12,
                                             .least = 30,
                                             .most = 100,
                                             .broken_off = 5,
                                             .budget_ns = 1000,
                                             .hard_ns = 5000,
                                             .interval_goal = 0.01};

Test(pace, warms_up_until_times_agree) {
    const double falling[] = {9, 8, 7, 6, 5, 4, 3, 3, 3, 3, 3, 3};
    cr_assert_not(wg_pace_is_warm(&limits, falling, 5), "too few");
    cr_assert_not(wg_pace_is_warm(&limits, falling, 6));
    cr_assert_not(wg_pace_is_warm(&limits, falling, 9), "3 after 4");
    cr_assert(wg_pace_is_warm(&limits, falling, 12));
    const double steady[] = {5, 5, 5.02, 5, 5.01, 5};
    cr_assert(wg_pace_is_warm(&limits, steady, 6));
    const double wild[] = {1, 1, 1, 9, 9, 9, 1, 1, 1, 9, 9, 9};
    cr_assert_not(wg_pace_is_warm(&limits, wild, 11));
    cr_assert(wg_pace_is_warm(&limits, wild, 12), "not for ever");
}

Test(pace, stops_for_the_first_good_reason) {
    cr_assert_eq(wg_pace_stop(&limits, 29, 2000, 0), WG_PACE_GO_ON, "never before the least");
    cr_assert_eq(wg_pace_stop(&limits, 29, 6000, 0), WG_PACE_BROKEN_OFF, "but for slow calls");
    cr_assert_eq(wg_pace_stop(&limits, 4, 6000, 0), WG_PACE_GO_ON);
    cr_assert_eq(wg_pace_stop(&limits, 30, 10, 0.009), WG_PACE_INTERVAL);
    cr_assert_eq(wg_pace_stop(&limits, 30, 10, 0.02), WG_PACE_GO_ON);
    cr_assert_eq(wg_pace_stop(&limits, 30, 10, INFINITY), WG_PACE_GO_ON);
    cr_assert_eq(wg_pace_stop(&limits, 30, 1001, 0.02), WG_PACE_BUDGET);
    cr_assert_eq(wg_pace_stop(&limits, 100, 10, 0.02), WG_PACE_MOST);
    cr_assert_str_eq(wg_pace_stop_name(WG_PACE_INTERVAL), "interval");
    cr_assert_str_eq(wg_pace_stop_name(WG_PACE_BROKEN_OFF), "too_slow");
}

Test(pace, sees_drift) {
    const double slower[] = {1, 1, 1, 1.02, 1.02, 1.02, 1.05, 1.05, 1.05};
    cr_assert_float_eq(wg_pace_drift(slower, 9), 0.05, 1e-12);
    cr_assert_eq(wg_pace_drift(slower, 8), 0, "too few to tell");
}

Test(pace, tells_of_threads_that_work_between_calls) {
    const struct wg_pace_claim usual = {.event_ms = 1, .gap_ms = 10, .others_ms = 1};
    struct wg_pace_claim claim = usual;
    cr_expect_null(wg_pace_remark(&claim));
    claim.others_ms = 5;
    cr_expect_not_null(wg_pace_remark(&claim));
    cr_expect_null(wg_pace_doubt(&claim), "it accuses nobody");
    claim.usual_others_ms = 4; /* the runtime's own */
    cr_expect_null(wg_pace_remark(&claim));
}

Test(pace, doubts_what_cannot_be) {
    const struct wg_pace_claim honest = {.event_ms = 1,
                                         .overhead_ms = 0.1,
                                         .usual_overhead_ms = 0.08,
                                         .floor_ms = 0.004,
                                         .ceiling_ms = 0.9};
    cr_assert_null(wg_pace_doubt(&honest));
    struct wg_pace_claim claim = honest;
    claim.event_ms = 0.6;
    cr_assert_not_null(wg_pace_doubt(&claim), "faster than the device");
    claim.ceiling_ms = 0;
    cr_assert_null(wg_pace_doubt(&claim), "no ceiling is known");
    claim.event_ms = 0.001;
    cr_assert_not_null(wg_pace_doubt(&claim), "faster than nothing");
    claim = honest;
    claim.overhead_ms = 1;
    cr_assert_not_null(wg_pace_doubt(&claim), "our clock saw more");
}
