#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "grader/check/generate.h"

enum { COUNT = 20000 };

Test(generate, same_seed_same_values) {
    static float a[COUNT], b[COUNT], c[COUNT];
    wg_generate_fill(WG_TYPE_F32, -1, 1, 42, a, COUNT);
    wg_generate_fill(WG_TYPE_F32, -1, 1, 42, b, COUNT);
    wg_generate_fill(WG_TYPE_F32, -1, 1, 43, c, COUNT);
    cr_assert_eq(memcmp(a, b, sizeof a), 0);
    cr_assert_neq(memcmp(a, c, sizeof a), 0);
}

Test(generate, a_longer_array_starts_with_the_shorter_one) {
    static float shorter[10], longer[COUNT];
    wg_generate_fill(WG_TYPE_F32, -1, 1, 7, shorter, 10);
    wg_generate_fill(WG_TYPE_F32, -1, 1, 7, longer, COUNT);
    cr_assert_eq(memcmp(shorter, longer, sizeof shorter), 0);
}

Test(generate, floats_are_uniform_and_stay_away_from_zero) {
    static float values[COUNT];
    wg_generate_fill(WG_TYPE_F32, -100, 100, 1, values, COUNT);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < COUNT; i++) {
        cr_assert(values[i] >= -100 && values[i] < 100);
        cr_assert_geq(fabsf(values[i]), 200.0f / 1024);
        cr_assert(i == 0 || values[i] != values[i - 1]);
        sum += (double)values[i];
        squares += (double)values[i] * (double)values[i];
    }
    /* standard deviation of the mean: 57.7 / sqrt(20000) = 0.41 */
    cr_assert_lt(fabs(sum / COUNT), 2);
    cr_assert_float_eq(sqrt(squares / COUNT), 100 / sqrt(3), 1);
}

Test(generate, integers_are_never_zero_and_reach_both_ends) {
    static int32_t values[COUNT];
    wg_generate_fill(WG_TYPE_I32, -3, 4, 1, values, COUNT);
    int seen[8] = {0};
    for (int i = 0; i < COUNT; i++) {
        cr_assert(values[i] >= -3 && values[i] <= 3 && values[i] != 0);
        cr_assert(i == 0 || values[i] != values[i - 1]);
        seen[values[i] + 3]++;
    }
    for (int v = -3; v <= 3; v++) {
        cr_assert(v == 0 || seen[v + 3] > COUNT / 12, "%d came %d times", v, seen[v + 3]);
    }
}

Test(generate, skewed_keys_reach_both_ends_and_thin_out) {
    static uint8_t keys[COUNT];
    wg_generate_fill_skewed(WG_TYPE_U8, 0, 256, 1, keys, COUNT);
    int quarter[4] = {0};
    int zeros = 0;
    int repeats = 0;
    int top = 0;
    for (int i = 0; i < COUNT; i++) {
        quarter[keys[i] / 64]++;
        zeros += keys[i] == 0;
        top += keys[i] == 255;
        repeats += i > 0 && keys[i] == keys[i - 1];
    }
    /* P(key < x) is sqrt(x / 256). */
    cr_assert_float_eq((double)quarter[0] / COUNT, 0.5, 0.02);
    cr_assert_float_eq((double)zeros / COUNT, 1.0 / 16, 0.01);
    cr_assert(quarter[1] > quarter[2] && quarter[2] > quarter[3]);
    cr_assert(top > 0 && repeats > COUNT / 256);
}

Test(generate, a_range_of_one_value_ends) {
    uint8_t values[4];
    wg_generate_fill(WG_TYPE_U8, 5, 6, 1, values, 4);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(values[i], 5);
    }
}

Test(generate, a_range_wider_than_the_type_is_cut) {
    uint8_t bytes[1000];
    wg_generate_fill(WG_TYPE_U8, -1e9, 1e9, 1, bytes, 1000);
    int large = 0;
    for (int i = 0; i < 1000; i++) {
        cr_assert_neq(bytes[i], 0);
        large += bytes[i] >= 128;
    }
    cr_assert(large > 400 && large < 600);
}

Test(generate, derived_seeds_differ) {
    cr_assert_neq(wg_generate_derive(1, 0), wg_generate_derive(1, 1));
    cr_assert_neq(wg_generate_derive(1, 0), wg_generate_derive(2, 0));
    cr_assert_neq(wg_generate_derive(0, 0), 0);
    cr_assert_eq(wg_generate_derive(5, 9), wg_generate_derive(5, 9));
}

Test(generate, peaks_are_rare_and_high) {
    static float values[COUNT];
    wg_generate_fill_peaked(WG_TYPE_F32, -150, 150, 7, values, COUNT);
    int peaks = 0;
    for (int i = 0; i < COUNT; i++) {
        bool is_peak = values[i] >= 112;
        cr_assert(is_peak ? values[i] < 150 : values[i] >= -150 && values[i] < 0, "%g",
                  (double)values[i]);
        peaks += is_peak;
    }
    cr_assert(peaks > COUNT / 1200 && peaks < COUNT / 300, "%d", peaks);
}
