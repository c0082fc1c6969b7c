/* Right or wrong, element by element, and the numbers that go with it.
 *
 * The bound of WG_JUDGE_DOT is the a-priori error bound of summation, gamma_k = k*u / (1 - k*u)
 * times the sum of the absolute products: it accepts every order of summation, with and without
 * fused multiply-add. It is a worst case and therefore wide at large k, so lower precision is
 * caught by the root mean square of the error. That limit is a factor times what a sequential sum
 * in the element's type shows on the same data, which is computed here from the golden value g and
 * the magnitude M of each element: partial sums of k terms walk to g at random, so that the
 * expected sum of their squares is g^2*k/3 + s^2*k^2/6 with s the root mean square of a term, and
 * each addition rounds by 0.43*u of its partial sum (the root mean square of the relative rounding
 * error over random mantissas). For products of two uniform factors s = 4/3 * M/k. Measured
 * sequential sums agree within some 20% from k = 8 to 4096 (tests/unit/test_check_judge.c).
 *
 * WG_JUDGE_SUM is for so many terms that gamma_n accepts everything (n*u of the magnitude is more
 * than the sum itself at n = 10^5). Rounding errors that are independent of each other with mean
 * zero add up like a random walk: with probability 1 - 2n*exp(-l^2/2) a sum of n terms in any order
 * is within exp(l*sqrt(n)*u + n*u^2) - 1 of the magnitude (Higham and Mary, A New Approach to
 * Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput. 41, 2019). l = 8 makes that 10^-6 at
 * n = 2^26. The smaller of both bounds holds.
 *
 * Everywhere but in exact comparison, results below the smallest normal number may be flushed to
 * zero, as GPUs do when they are told to be fast. */
#ifndef WG_CHECK_JUDGE_H
#define WG_CHECK_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/manifest/manifest.h"
#include "reference/harness/protocol.h"

struct wg_judge_rule {
    enum wg_judge judge;
    enum wg_type type;
    int64_t terms;     /* WG_JUDGE_DOT, WG_JUDGE_SUM */
    double rms_factor; /* 0: no RMS test */
    double ulps;       /* WG_JUDGE_RELATIVE */
};

struct wg_judgement {
    uint64_t element_count, wrong_count;
    uint64_t nan_count; /* NaN where the reference has none */
    uint64_t first_wrong;
    double expected, got;   /* at first_wrong */
    double error_in_bounds; /* worst |error| / bound; capped at WG_JUDGE_WORST */
    double rms_in_limit;    /* RMS error / limit; 0 when not tested */
};

/* Stands for "without bound" (NaN, infinity), since JSON has neither. */
#define WG_JUDGE_WORST 1e30

static inline bool wg_judgement_is_right(const struct wg_judgement *j) {
    return j->wrong_count == 0 && j->rms_in_limit <= 1;
}

/* An element as a double; 64-bit integers beyond 2^53 are rounded. */
double wg_judge_value(enum wg_type type, const void *elements, size_t index);

/* Is this value right here? NaN is right only where golden is NaN. */
bool wg_judge_accepts(const struct wg_judge_rule *rule, double got, double golden,
                      double magnitude);

/* wrong: NULL, or one flag for each element. */
void wg_judge_compare(const struct wg_judge_rule *rule, const void *got, const double *golden,
                      const double *magnitude, size_t count, uint8_t *wrong,
                      struct wg_judgement *out);

#endif
