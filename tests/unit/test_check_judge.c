#include <criterion/criterion.h>
#include <math.h>

#include "grader/check/generate.h"
#include "grader/check/judge.h"

static const struct wg_judge_rule exact = {.judge = WG_JUDGE_EXACT, .type = WG_TYPE_F32};

static struct wg_judge_rule dot(int64_t terms) {
    return (struct wg_judge_rule){
        .judge = WG_JUDGE_DOT, .type = WG_TYPE_F32, .terms = terms, .rms_factor = 10};
}

Test(judge, exact_wants_the_rounded_value_bit_for_bit) {
    const double golden[] = {0.1, -2, 0, 1e-50};
    const double magnitude[] = {1, 2, 1, 1};
    float got[] = {0.1f, -2, 0, 0};
    struct wg_judgement j;
    wg_judge_compare(&exact, got, golden, magnitude, 4, NULL, &j);
    cr_assert(wg_judgement_is_right(&j));
    cr_assert_float_eq(j.error_in_bounds, 0, 0);
    got[0] = nextafterf(got[0], 1);
    got[2] = -0.0f;
    uint8_t wrong[4];
    wg_judge_compare(&exact, got, golden, magnitude, 4, wrong, &j);
    cr_assert_eq(j.wrong_count, 2);
    cr_assert_eq(j.first_wrong, 0);
    cr_assert(wrong[0] && !wrong[1] && wrong[2] && !wrong[3]);
    cr_assert_float_eq(j.expected, (double)0.1f, 0);
}

Test(judge, exact_integers) {
    struct wg_judge_rule rule = {.judge = WG_JUDGE_EXACT, .type = WG_TYPE_I32};
    const double golden[] = {-5, 2147483647};
    const double magnitude[] = {5, 1};
    const int32_t got[] = {-5, 2147483646};
    struct wg_judgement j;
    wg_judge_compare(&rule, got, golden, magnitude, 2, NULL, &j);
    cr_assert_eq(j.wrong_count, 1);
    cr_assert_eq(j.first_wrong, 1);
}

Test(judge, nan_is_right_only_where_golden_is_nan) {
    const double golden[] = {NAN, 1, NAN};
    const double magnitude[] = {1, 1, 1};
    const float got[] = {NAN, NAN, 1};
    struct wg_judge_rule rules[] = {exact, dot(8)};
    for (int i = 0; i < 2; i++) {
        struct wg_judgement j;
        wg_judge_compare(&rules[i], got, golden, magnitude, 3, NULL, &j);
        cr_assert_eq(j.wrong_count, 2);
        cr_assert_eq(j.nan_count, 1);
        cr_assert_eq(j.first_wrong, 1);
        cr_assert_float_eq(j.error_in_bounds, WG_JUDGE_WORST, 0);
    }
}

Test(judge, dot_bound_is_gamma_k_times_magnitude) {
    struct wg_judge_rule rule = dot(100);
    double gamma = 100 * 0x1p-24 / (1 - 100 * 0x1p-24);
    cr_assert(wg_judge_accepts(&rule, 1, 1 + gamma * 3 * 0.999, 3));
    cr_assert_not(wg_judge_accepts(&rule, 1, 1 + gamma * 3 * 1.001, 3));
    cr_assert_not(wg_judge_accepts(&rule, NAN, 1, 3));
    cr_assert_not(wg_judge_accepts(&rule, INFINITY, 1, 3));
    cr_assert(wg_judge_accepts(&rule, INFINITY, INFINITY, INFINITY));
}

Test(judge, many_terms_are_bounded_by_their_root) {
    struct wg_judge_rule rule = {.judge = WG_JUDGE_SUM, .type = WG_TYPE_F32, .terms = 36};
    double u = 0x1p-24;
    /* Few terms: gamma is the smaller one. */
    double gamma = 36 * u / (1 - 36 * u);
    cr_assert(wg_judge_accepts(&rule, 1, 1 + gamma * 0.999, 1));
    cr_assert_not(wg_judge_accepts(&rule, 1, 1 + gamma * 1.001, 1));
    /* Many: 8 * 1000 * u where gamma would be 10^6 * u. */
    rule.terms = 1000000;
    cr_assert(wg_judge_accepts(&rule, 1, 1 + 7990 * u, 1));
    cr_assert_not(wg_judge_accepts(&rule, 1, 1 + 8010 * u, 1));
    /* More than 1/u: still a bound. */
    rule.terms = 1 << 26;
    cr_assert_not(wg_judge_accepts(&rule, 1, 1.01, 1));
}

Test(judge, sequential_sums_stay_below_the_bound_of_many_terms) {
    enum { TERMS = 1 << 20 };
    static float terms[TERMS];
    for (uint64_t seed = 0; seed < 4; seed++) {
        wg_generate_fill(WG_TYPE_F32, -0.5, 1.5, seed, terms, TERMS);
        float sum = 0;
        double golden = 0;
        double magnitude = 0;
        for (int i = 0; i < TERMS; i++) {
            sum += terms[i];
            golden += (double)terms[i];
            magnitude += fabs((double)terms[i]);
        }
        struct wg_judge_rule rule = {
            .judge = WG_JUDGE_SUM, .type = WG_TYPE_F32, .terms = TERMS, .rms_factor = 10};
        struct wg_judgement j;
        wg_judge_compare(&rule, &sum, &golden, &magnitude, 1, NULL, &j);
        cr_expect(wg_judgement_is_right(&j), "%g bounds", j.error_in_bounds);
        /* A block of 256 that is left out shows even here. */
        cr_expect_not(wg_judge_accepts(&rule, golden - 400, golden, magnitude));
    }
}

Test(judge, results_below_the_smallest_normal_may_be_zero) {
    struct wg_judge_rule rules[] = {
        dot(8),
        {.judge = WG_JUDGE_RELATIVE, .type = WG_TYPE_F32, .ulps = 4},
        {.judge = WG_JUDGE_SUM, .type = WG_TYPE_F32, .terms = 8},
    };
    for (int i = 0; i < 3; i++) {
        cr_assert(wg_judge_accepts(&rules[i], 0, 0x1p-127, 0x1p-127));
        cr_assert_not(wg_judge_accepts(&rules[i], 0, 0x1p-125, 0x1p-125));
        cr_assert_not(wg_judge_accepts(&rules[i], NAN, 0x1p-127, 0x1p-127));
    }
    cr_assert_not(wg_judge_accepts(&exact, 0, 0x1p-127, 0x1p-127));
}

Test(judge, error_is_in_units_of_the_bound) {
    struct wg_judge_rule rule = {.judge = WG_JUDGE_RELATIVE, .type = WG_TYPE_F32, .ulps = 4};
    const double golden[] = {1};
    const double magnitude[] = {2};
    const float got[] = {1 + 0x1p-22f};
    struct wg_judgement j;
    wg_judge_compare(&rule, got, golden, magnitude, 1, NULL, &j);
    cr_assert_eq(j.wrong_count, 0);
    cr_assert_float_eq(j.error_in_bounds, 0.5, 1e-9); /* 4u against 4u * 2 */
}

enum { OUTPUTS = 600 };

/* Sums of `terms` products in float, products first rounded to `bits` of mantissa (24: plain). */
static struct wg_judgement judge_sums(int terms, double low, int bits, bool pairwise) {
    static float a[OUTPUTS * 1100], b[OUTPUTS * 1100];
    static float got[OUTPUTS];
    static double golden[OUTPUTS], magnitude[OUTPUTS];
    wg_generate_fill(WG_TYPE_F32, low, 1, 5, a, (size_t)(OUTPUTS * terms));
    wg_generate_fill(WG_TYPE_F32, low, 1, 6, b, (size_t)(OUTPUTS * terms));
    double step = ldexp(1, bits);
    for (int i = 0; i < OUTPUTS; i++) {
        float sums[2] = {0, 0};
        golden[i] = magnitude[i] = 0;
        for (int k = 0; k < terms; k++) {
            double x = (double)a[i * terms + k];
            double y = (double)b[i * terms + k];
            int xe, ye;
            double xr = frexp(x, &xe);
            double yr = frexp(y, &ye);
            xr = ldexp(nearbyint(xr * step) / step, xe);
            yr = ldexp(nearbyint(yr * step) / step, ye);
            float *sum = &sums[pairwise && k >= terms / 2];
            *sum = *sum + (float)(xr * yr);
            golden[i] += x * y;
            magnitude[i] += fabs(x * y);
        }
        got[i] = sums[0] + sums[1];
    }
    struct wg_judge_rule rule = dot(terms);
    struct wg_judgement j;
    wg_judge_compare(&rule, got, golden, magnitude, OUTPUTS, NULL, &j);
    return j;
}

/* The claim of judge.h: the limit is rms_factor (10) times what a sequential sum shows. */
Test(judge, rms_limit_is_ten_sequential_sums) {
    const int terms[] = {8, 32, 100, 256, 1024};
    for (int i = 0; i < 5; i++) {
        struct wg_judgement symmetric = judge_sums(terms[i], -1, 24, false);
        struct wg_judgement positive = judge_sums(terms[i], 0.1, 24, false);
        cr_assert(symmetric.rms_in_limit > 0.07 && symmetric.rms_in_limit < 0.14, "k=%d: %g",
                  terms[i], symmetric.rms_in_limit);
        cr_assert(positive.rms_in_limit > 0.04 && positive.rms_in_limit < 0.16, "k=%d: %g",
                  terms[i], positive.rms_in_limit);
    }
}

Test(judge, rms_test_finds_lower_precision_that_gamma_k_lets_pass) {
    struct wg_judgement tf32 = judge_sums(1024, -1, 11, false);
    cr_assert_eq(tf32.wrong_count, 0, "gamma_k is too wide here");
    cr_assert_gt(tf32.rms_in_limit, 1);
    cr_assert_not(wg_judgement_is_right(&tf32));
}

Test(judge, other_orders_of_summation_pass) {
    struct wg_judgement j = judge_sums(1000, -1, 24, true);
    cr_assert(wg_judgement_is_right(&j));
    cr_assert_lt(j.rms_in_limit, 0.12);
}
