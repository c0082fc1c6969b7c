#include "grader/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 2000 };

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double sorted_median(const double *sorted, size_t count) {
    size_t half = count / 2;
    return count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/* A sorted copy, or NULL when there is nothing to sort or no memory. */
static double *sorted_copy(const double *values, size_t count) {
    double *copy = count == 0 ? NULL : malloc(count * sizeof *copy);
    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy, values, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, compare_doubles);
    return copy;
}

double wg_stats_median(const double *values, size_t count) {
    double *sorted = sorted_copy(values, count);
    double median = sorted == NULL ? 0 : sorted_median(sorted, count);
    free(sorted);
    return median;
}

void wg_stats_summarize(const double *values, size_t count, struct wg_stats_summary *out) {
    *out = (struct wg_stats_summary){0};
    if (count == 0) {
        return;
    }
    double sum = 0;
    out->min = values[0];
    out->max = values[0];
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        out->min = fmin(out->min, values[i]);
        out->max = fmax(out->max, values[i]);
    }
    out->mean = sum / (double)count;
    out->median = wg_stats_median(values, count);
    if (count < 2) {
        return;
    }
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        squares += (values[i] - out->mean) * (values[i] - out->mean);
    }
    out->stddev = sqrt(squares / (double)(count - 1));
}

double wg_stats_geometric_mean(const double *values, size_t count) {
    double logarithms = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0)) {
            return 0;
        }
        logarithms += log(values[i]);
    }
    return count == 0 ? 0 : exp(logarithms / (double)count);
}

static uint64_t next_random(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Median of a resample of a sorted array. Drawing positions and counting them keeps the resample
 * sorted, which saves a sort for each of the thousands of medians. */
static double resampled_median(const double *sorted, size_t count, uint32_t *times,
                               uint64_t *state) {
    memset(times, 0, count * sizeof *times);
    for (size_t i = 0; i < count; i++) {
        times[next_random(state) % count]++;
    }
    size_t lower_rank = (count - 1) / 2;
    size_t upper_rank = count / 2;
    size_t seen = 0;
    double lower = sorted[count - 1];
    for (size_t i = 0; i < count; i++) {
        size_t before = seen;
        seen += times[i];
        if (before <= lower_rank && lower_rank < seen) {
            lower = sorted[i];
        }
        if (upper_rank < seen) {
            return (lower + sorted[i]) / 2;
        }
    }
    return lower;
}

static void bootstrap(const double *above, size_t above_count, const double *below,
                      size_t below_count, struct wg_stats_ratio *out) {
    double *ratios = malloc(RESAMPLES * sizeof *ratios);
    uint32_t *times =
        malloc((above_count > below_count ? above_count : below_count) * sizeof *times);
    if (ratios != NULL && times != NULL) {
        uint64_t state = 0x5741564547524144u;
        for (size_t i = 0; i < RESAMPLES; i++) {
            double top = resampled_median(above, above_count, times, &state);
            double bottom = resampled_median(below, below_count, times, &state);
            ratios[i] = bottom > 0 ? top / bottom : 0;
        }
        qsort(ratios, RESAMPLES, sizeof *ratios, compare_doubles);
        out->low = fmin(out->ratio, ratios[RESAMPLES / 40]);
        out->high = fmax(out->ratio, ratios[RESAMPLES - 1 - RESAMPLES / 40]);
    }
    free(ratios);
    free(times);
}

void wg_stats_ratio(const double *above, size_t above_count, const double *below,
                    size_t below_count, struct wg_stats_ratio *out) {
    *out = (struct wg_stats_ratio){0};
    double *top = sorted_copy(above, above_count);
    double *bottom = sorted_copy(below, below_count);
    if (top != NULL && bottom != NULL && sorted_median(bottom, below_count) > 0) {
        out->ratio = sorted_median(top, above_count) / sorted_median(bottom, below_count);
        out->low = out->ratio;
        out->high = out->ratio;
        bootstrap(top, above_count, bottom, below_count, out);
    }
    free(top);
    free(bottom);
}
