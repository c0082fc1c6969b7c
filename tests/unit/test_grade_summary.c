#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "grader/grade/summary.h"

static struct wg_result *result;

static void setup(void) {
    result = wg_result_new();
}
static void teardown(void) {
    wg_result_free(result);
}
TestSuite(grade_summary, .init = setup, .fini = teardown);

static struct wg_result_case *add_case(enum wg_verdict verdict, int64_t n, const char *sentence) {
    struct wg_result_case *one = wg_result_add_case(result);
    one->verdict = verdict;
    one->dim_names[0] = wg_strdup("n");
    one->dims[0] = n;
    one->dim_count = 1;
    one->sentence = sentence ? wg_strdup(sentence) : NULL;
    return one;
}

static struct wg_result_finding *add_finding(const char *kind, const char *severity,
                                             const char *text) {
    struct wg_result_finding *finding = wg_result_add_finding(result);
    finding->kind = wg_strdup(kind);
    finding->severity = wg_strdup(severity);
    finding->text = wg_strdup(text);
    finding->at.file = wg_strdup("a.hip");
    finding->at.line = 7;
    return finding;
}

Test(grade_summary, the_worst_case_names_the_submission) {
    add_case(WG_VERDICT_PASS, 1, NULL);
    add_case(WG_VERDICT_WRONG_ANSWER, 2, "two is wrong");
    add_case(WG_VERDICT_TIMEOUT, 3, "three hangs");
    wg_summary_make(result, true);
    cr_assert_eq(result->verdict, WG_VERDICT_TIMEOUT);
    cr_assert_str_eq(result->sentence, "1 of 3 cases, for instance n=3: three hangs");
}

Test(grade_summary, a_finding_of_the_verdict_speaks_for_it) {
    add_case(WG_VERDICT_OUT_OF_BOUNDS, 1, "somewhere");
    add_finding("DATA_RACE", "error", "a race");
    add_finding("OUT_OF_BOUNDS", "warning", "only a warning");
    add_finding("OUT_OF_BOUNDS", "error", "c[1] is past the end");
    wg_summary_make(result, true);
    cr_assert_str_eq(result->sentence, "a.hip:7: c[1] is past the end");
}

Test(grade_summary, a_barrier_that_was_missed_speaks_for_the_races_behind_it) {
    add_case(WG_VERDICT_DATA_RACE, 1, "somewhere");
    add_finding("BARRIER_DIVERGENCE", "error", "a barrier")->kernel = wg_strdup("k");
    struct wg_result_finding *race = add_finding("DATA_RACE", "error", "a race");
    race->kernel = wg_strdup("other");
    wg_summary_make(result, true);
    cr_assert_str_eq(result->sentence, "a.hip:7: a race");
    free(result->sentence);
    result->sentence = NULL;
    race->kernel[0] = 'k', race->kernel[1] = '\0';
    wg_summary_make(result, true);
    cr_assert_str_eq(result->sentence, "a.hip:7: a barrier");
    cr_assert_eq(result->verdict, WG_VERDICT_DATA_RACE);
}

Test(grade_summary, what_findings_cost_is_not_decided_here) {
    add_case(WG_VERDICT_PASS, 1, NULL);
    add_finding("DATA_RACE", "error", "a race");
    wg_summary_make(result, true);
    cr_assert_eq(result->verdict, WG_VERDICT_PASS);
}

Test(grade_summary, a_case_that_ran_is_the_better_example) {
    add_case(WG_VERDICT_CRASH, 1, "not run")->not_run = true;
    add_case(WG_VERDICT_CRASH, 2, "it died here");
    wg_summary_make(result, true);
    cr_assert_str_eq(result->sentence, "2 of 2 cases, for instance n=2: it died here");
}

Test(grade_summary, a_pass_says_what_was_looked_for) {
    add_case(WG_VERDICT_PASS, 1, NULL);
    wg_summary_make(result, true);
    cr_assert(strstr(result->sentence, "no memory errors"));
    wg_summary_make(result, false);
    cr_assert(strstr(result->sentence, "not looked for"));
    add_finding("DATA_RACE", "note", "same value");
    wg_summary_make(result, true);
    cr_assert(strstr(result->sentence, "1 thing to look at"));
}
