/* Statistics of repeated measurements: pure functions over arrays of doubles, no state.
 *
 * Nothing is allocated for the caller. An empty array gives zeros; that is for the caller to avoid.
 */
#ifndef WG_STATS_H
#define WG_STATS_H

#include <stddef.h>
#include <stdint.h>

struct wg_stats_summary {
    double median, mean, min, max;
    double stddev; /* of the sample (n - 1); 0 for fewer than two values */
};

void wg_stats_summarize(const double *values, size_t count, struct wg_stats_summary *out);

/* The middle value, or the mean of the two middle ones. */
double wg_stats_median(const double *values, size_t count);

/* exp of the mean logarithm; 0 when a value is not positive. */
double wg_stats_geometric_mean(const double *values, size_t count);

/* How wg_stats_ratio finds its interval, for results. */
#define WG_STATS_RATIO_METHOD "percentile bootstrap of the ratio of medians, 2000 resamples"

struct wg_stats_ratio {
    double ratio;     /* median(above) / median(below) */
    double low, high; /* 95% interval; low <= ratio <= high */
};

/* The ratio of two medians and its 95% interval. Times are skewed and have outliers, so nothing is
 * assumed about their distribution. The resampling is seeded with a constant: equal samples give
 * equal intervals. */
void wg_stats_ratio(const double *above, size_t above_count, const double *below,
                    size_t below_count, struct wg_stats_ratio *out);

#endif
