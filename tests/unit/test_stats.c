#include <criterion/criterion.h>
#include <math.h>

#include "grader/stats/stats.h"

Test(stats, summary_of_known_values) {
    const double values[] = {4, 1, 7, 2};
    struct wg_stats_summary s;
    wg_stats_summarize(values, 4, &s);
    cr_assert_float_eq(s.median, 3, 1e-12);
    cr_assert_float_eq(s.mean, 3.5, 1e-12);
    cr_assert_float_eq(s.min, 1, 0);
    cr_assert_float_eq(s.max, 7, 0);
    /* deviations 0.5, -2.5, 3.5, -1.5: squares 0.25 + 6.25 + 12.25 + 2.25 = 21; 21 / 3 = 7 */
    cr_assert_float_eq(s.stddev, sqrt(7), 1e-12);
}

Test(stats, median_of_odd_count_is_the_middle_value) {
    const double values[] = {9, 1, 5};
    cr_assert_float_eq(wg_stats_median(values, 3), 5, 0);
    cr_assert_float_eq(wg_stats_median(values, 0), 0, 0);
}

Test(stats, one_value_has_no_spread) {
    const double values[] = {2.5};
    struct wg_stats_summary s;
    wg_stats_summarize(values, 1, &s);
    cr_assert_float_eq(s.stddev, 0, 0);
    cr_assert_float_eq(s.median, 2.5, 0);
}

Test(stats, geometric_mean) {
    const double values[] = {1, 2, 4};
    cr_assert_float_eq(wg_stats_geometric_mean(values, 3), 2, 1e-12);
    const double with_zero[] = {1, 0};
    cr_assert_float_eq(wg_stats_geometric_mean(with_zero, 2), 0, 0);
    cr_assert_float_eq(wg_stats_geometric_mean(values, 0), 0, 0);
}

Test(stats, ratio_of_constants_has_no_width) {
    const double above[] = {6, 6, 6};
    const double below[] = {2, 2, 2, 2};
    struct wg_stats_ratio r;
    wg_stats_ratio(above, 3, below, 4, &r);
    cr_assert_float_eq(r.ratio, 3, 1e-12);
    cr_assert_float_eq(r.low, 3, 1e-12);
    cr_assert_float_eq(r.high, 3, 1e-12);
}

Test(stats, ratio_interval_holds_the_ratio_and_repeats) {
    double above[30], below[30];
    for (int i = 0; i < 30; i++) {
        above[i] = 2.0 + 0.01 * ((i * 7) % 30);
        below[i] = 1.0 + 0.01 * ((i * 11) % 30);
    }
    above[3] = 50; /* an outlier must not move the interval much */
    struct wg_stats_ratio r, again;
    wg_stats_ratio(above, 30, below, 30, &r);
    wg_stats_ratio(above, 30, below, 30, &again);
    cr_assert(r.low <= r.ratio && r.ratio <= r.high);
    cr_assert_lt(r.low, r.high);
    cr_assert_gt(r.low, 1.75);
    cr_assert_lt(r.high, 2.1);
    cr_assert_float_eq(r.low, again.low, 0);
    cr_assert_float_eq(r.high, again.high, 0);
}

Test(stats, ratio_interval_covers_what_order_statistics_allow) {
    /* Two below-values: a resampled median is 1, 1.5 or 2 with chances 1/4, 1/2, 1/4, so the 95%
     * interval of 3 / median is all of [1.5, 3]. */
    const double above[] = {3};
    const double below[] = {1, 2};
    struct wg_stats_ratio r;
    wg_stats_ratio(above, 1, below, 2, &r);
    cr_assert_float_eq(r.ratio, 2, 1e-12);
    cr_assert_float_eq(r.low, 1.5, 1e-12);
    cr_assert_float_eq(r.high, 3, 1e-12);
}

Test(stats, ratio_without_samples_is_zero) {
    const double some[] = {1};
    struct wg_stats_ratio r;
    wg_stats_ratio(some, 1, some, 0, &r);
    cr_assert_float_eq(r.ratio, 0, 0);
    wg_stats_ratio(some, 0, some, 1, &r);
    cr_assert_float_eq(r.ratio, 0, 0);
}
