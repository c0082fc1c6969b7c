#include <criterion/criterion.h>
#include <math.h>

#include "grader/score/score.h"

static struct wg_manifest manifest;

static void add_line(const char *id, enum wg_rubric_kind kind, double points) {
    struct wg_rubric_line *line = &manifest.rubric[manifest.rubric_count++];
    line->id = (char *)(uintptr_t)id;
    line->title = line->id;
    line->kind = kind;
    line->points = points;
    line->curve[0] = (struct wg_curve_point){1, 0.2};
    line->curve[1] = (struct wg_curve_point){2, 0.6};
    line->curve[2] = (struct wg_curve_point){4, 1};
    line->curve_count = 3;
}

static void setup(void) {
    manifest = (struct wg_manifest){0};
    add_line("build", WG_RUBRIC_BUILD, 10);
    add_line("correctness", WG_RUBRIC_CORRECTNESS, 50);
    add_line("memory", WG_RUBRIC_MEMORY, 20);
    add_line("speed", WG_RUBRIC_SPEEDUP, 20);
}

TestSuite(score, .init = setup);

static const struct wg_score_facts on_cpu = {.checked = true, .timing_wanted = true};
static const struct wg_score_facts on_gpu = {
    .checked = true, .timing_wanted = true, .can_time = true};

static struct wg_result *graded(size_t passed, size_t failed) {
    struct wg_result *result = wg_result_new();
    result->build.reached = result->build.ok = true;
    for (size_t i = 0; i < passed + failed; i++) {
        wg_result_add_case(result)->verdict =
            i < passed ? WG_VERDICT_PASS : WG_VERDICT_WRONG_ANSWER;
    }
    result->verdict = failed ? WG_VERDICT_WRONG_ANSWER : WG_VERDICT_PASS;
    return result;
}

static void add_timing(struct wg_result *result, double speedup, bool emulated) {
    struct wg_result_timing *timing = wg_result_add_timing(result);
    timing->speedup = speedup;
    timing->scored = !emulated;
    timing->emulated = emulated;
}

#define assert_near(got, wanted) cr_assert_float_eq(got, wanted, 1e-9, "%g, not %g", got, wanted)

Test(score, perfect_on_cpu_leaves_speed_open) {
    struct wg_result *result = graded(19, 0);
    add_timing(result, 9, true);
    wg_score_apply(&manifest, &on_cpu, result);
    assert_near(result->points, 80.0);
    assert_near(result->max_points, 80.0);
    assert_near(result->total_points, 100.0);
    cr_assert(!result->score_complete);
    cr_assert(!result->rubric[3].measured);
    cr_assert(strstr(result->rubric[3].note, "not measured here"));
    wg_result_free(result);
}

Test(score, correctness_is_a_share) {
    struct wg_result *result = graded(3, 1);
    wg_score_apply(&manifest, &on_cpu, result);
    assert_near(result->rubric[1].points, 37.5);
    wg_result_free(result);
}

Test(score, an_error_finding_costs_the_memory_line_and_a_warning_does_not) {
    struct wg_result *result = graded(2, 0);
    wg_result_add_finding(result)->severity = wg_strdup("warning");
    wg_score_apply(&manifest, &on_cpu, result);
    assert_near(result->rubric[2].points, 20.0);
    wg_result_free(result);
    result = graded(2, 0);
    wg_result_add_finding(result)->severity = wg_strdup("error");
    wg_score_apply(&manifest, &on_cpu, result);
    assert_near(result->rubric[2].points, 0.0);
    cr_assert(result->rubric[2].measured);
    wg_result_free(result);
}

Test(score, memory_is_open_without_checked_mode_and_nothing_for_an_empty_kernel) {
    struct wg_result *result = graded(2, 0);
    struct wg_score_facts unchecked = on_cpu;
    unchecked.checked = false;
    wg_score_apply(&manifest, &unchecked, result);
    cr_assert(!result->rubric[2].measured);
    assert_near(result->max_points, 60.0);
    wg_result_free(result);
    result = graded(0, 5);
    wg_score_apply(&manifest, &on_cpu, result);
    assert_near(result->rubric[2].points, 0.0);
    cr_assert(result->rubric[2].measured);
    wg_result_free(result);
}

Test(score, nothing_is_scored_on_a_grader_error) {
    struct wg_result *result = graded(19, 0);
    result->verdict = WG_VERDICT_GRADER_ERROR;
    wg_score_apply(&manifest, &on_gpu, result);
    assert_near(result->max_points, 0.0);
    for (size_t i = 0; i < result->rubric_count; i++) {
        cr_assert(!result->rubric[i].measured);
        cr_assert_str_eq(result->rubric[i].note, "not graded");
    }
    wg_result_free(result);
}

Test(score, a_build_error_is_zero_of_what_others_could_get_here) {
    struct wg_result *result = wg_result_new();
    result->verdict = WG_VERDICT_BUILD_ERROR;
    result->build.reached = true;
    wg_score_apply(&manifest, &on_cpu, result);
    assert_near(result->points, 0.0);
    assert_near(result->max_points, 80.0);
    wg_result_free(result);
}

Test(score, speed_follows_the_curve_over_the_geometric_mean) {
    struct wg_result *result = graded(4, 0);
    add_timing(result, 1.5, false);
    add_timing(result, 6, false);
    add_timing(result, 1000, true); /* emulated: must not count */
    wg_score_apply(&manifest, &on_gpu, result);
    assert_near(wg_score_speed(result, WG_CURVE_NAIVE), 3.0);
    assert_near(result->rubric[3].points, 16.0);
    cr_assert(result->score_complete);
    wg_result_free(result);
}

Test(score, no_speed_points_for_wrong_or_impossible) {
    struct wg_result *result = graded(3, 1);
    add_timing(result, 8, false);
    wg_score_apply(&manifest, &on_gpu, result);
    assert_near(result->rubric[3].points, 0.0);
    wg_result_free(result);
    result = graded(4, 0);
    result->verdict = WG_VERDICT_TIMING_SUSPECT;
    add_timing(result, 1e9, false);
    wg_score_apply(&manifest, &on_gpu, result);
    assert_near(result->rubric[3].points, 0.0);
    wg_result_free(result);
}

Test(score, many_tiny_speedups_do_not_underflow) {
    struct wg_result *result = graded(1, 0);
    for (int i = 0; i < 400; i++) {
        add_timing(result, 1e-3, false);
    }
    cr_assert_float_eq(wg_score_speed(result, WG_CURVE_NAIVE), 1e-3, 1e-12);
    wg_result_free(result);
}

Test(score, the_curve_is_flat_outside_and_knows_no_number_that_is_none) {
    const struct wg_rubric_line *line = &manifest.rubric[3];
    assert_near(wg_score_curve_share(line, 0.5), 0.2);
    assert_near(wg_score_curve_share(line, 1), 0.2);
    assert_near(wg_score_curve_share(line, 1.5), 0.4);
    assert_near(wg_score_curve_share(line, 4), 1.0);
    assert_near(wg_score_curve_share(line, 1e6), 1.0);
    assert_near(wg_score_curve_share(line, 0), 0.0);
    assert_near(wg_score_curve_share(line, (double)NAN), 0.0);
    assert_near(wg_score_curve_share(line, (double)INFINITY), 0.0);
}

Test(score, goes_by_what_the_line_is_against) {
    struct wg_result *result = wg_result_new();
    for (int i = 0; i < 2; i++) {
        struct wg_result_timing *timing = wg_result_add_timing(result);
        timing->scored = true;
        timing->speedup = i == 0 ? 4 : 9;
        timing->tuned_share = i == 0 ? 0.5 : 0.125;
        timing->ceiling_share = i == 0 ? 0.9 : 0.4;
    }
    assert_near(wg_score_speed(result, WG_CURVE_NAIVE), 6.0);
    assert_near(wg_score_speed(result, WG_CURVE_TUNED), 0.25);
    assert_near(wg_score_speed(result, WG_CURVE_CEILING), 0.6);
    result->timings[1].tuned_share = 0; /* not measured there */
    assert_near(wg_score_speed(result, WG_CURVE_TUNED), 0.5);
    wg_result_free(result);
}
