#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "grader/check/report.h"

static struct wg_report *shared;
static struct wg_watch watch;
static struct wg_found_list list;
static struct wg_evidence evidence;

static void open_report(void) {
    shared = calloc(1, sizeof *shared);
    shared->magic = WG_REPORT_MAGIC;
    wg_watch_start(&watch);
}

static void close_report(void) {
    free(shared);
    wg_watch_done(&watch);
    wg_found_list_done(&list);
}

TestSuite(report, .init = open_report, .fini = close_report);

static struct wg_finding_record *add(enum wg_finding_kind kind, unsigned line, const char *text) {
    struct wg_finding_record *r = &shared->findings[shared->finding_count++];
    *r = (struct wg_finding_record){
        .kind = kind, .severity = WG_SEVERITY_ERROR, .occurrences = 1, .at = {.line = line}};
    strcpy(r->at.file, "k.hip");
    strcpy(r->text, text);
    return r;
}

static void update(int case_index) {
    wg_watch_update(&watch, shared, false, case_index, &list, &evidence);
}

Test(report, findings_belong_to_the_case_that_showed_them) {
    add(WG_FINDING_OUT_OF_BOUNDS, 7, "c[1000]");
    update(3);
    cr_assert_eq(evidence.verdict, WG_VERDICT_OUT_OF_BOUNDS);
    cr_assert_str_eq(evidence.cause.text, "c[1000]");
    update(4);
    cr_assert_eq(evidence.verdict, WG_VERDICT_PASS, "nothing new in case 4");
    shared->findings[0].occurrences = 9;
    add(WG_FINDING_DATA_RACE, 8, "race");
    update(5);
    cr_assert_eq(evidence.verdict, WG_VERDICT_OUT_OF_BOUNDS, "the old finding came again");
    cr_assert_eq(list.count, 2);
    cr_assert_eq(list.items[0].case_index, 3);
    cr_assert_eq(list.items[0].record.occurrences, 9);
    cr_assert_eq(list.items[1].case_index, 5);
}

Test(report, launches_are_counted_from_call_to_call) {
    shared->launches = 2;
    update(0);
    cr_assert_eq(evidence.launches, 2);
    update(0);
    cr_assert_eq(evidence.launches, 0);
    shared->launches = 1; /* forged backwards */
    shared->failed_launches = 1;
    update(0);
    cr_assert_eq(evidence.launches, 0);
    cr_assert_eq(evidence.failed_launches, 1);
}

Test(report, warnings_and_notes_cost_nothing) {
    add(WG_FINDING_WARP_SYNC, 1, "w")->severity = WG_SEVERITY_WARNING;
    add(WG_FINDING_SAME_VALUE, 2, "s")->severity = WG_SEVERITY_NOTE;
    add(WG_FINDING_OUT_OF_BOUNDS, 3, "o")->severity = WG_SEVERITY_WARNING;
    add(WG_FINDING_API_MISUSE, 4, "a");
    add(WG_FINDING_UNWRITTEN_OUTPUT, 5, "u");
    update(0);
    cr_assert_eq(evidence.verdict, WG_VERDICT_PASS);
    cr_assert_eq(list.count, 5);
    cr_assert(evidence.has_api_misuse);
    cr_assert_str_eq(evidence.api.text, "a");
}

Test(report, the_manifest_weighs_early_exits) {
    add(WG_FINDING_EARLY_EXIT_BARRIER, 1, "e")->severity = WG_SEVERITY_WARNING;
    cr_assert_eq(wg_finding_verdict(&shared->findings[0], true), WG_VERDICT_BARRIER_DIVERGENCE);
    cr_assert_eq(wg_finding_verdict(&shared->findings[0], false), WG_VERDICT_PASS);
}

Test(report, without_magic_it_is_empty) {
    add(WG_FINDING_OUT_OF_BOUNDS, 7, "x");
    shared->launches = 5;
    shared->magic = 0;
    update(0);
    cr_assert_eq(list.count, 0);
    cr_assert_eq(evidence.launches, 0);
}

Test(report, hostile_fields_are_harmless) {
    memset(shared, 0xff, sizeof *shared);
    shared->magic = WG_REPORT_MAGIC;
    update(0);
    cr_assert_eq(list.count, 0, "no kind or severity is valid");
    cr_assert_lt(strlen(evidence.kernel), sizeof evidence.kernel);
    for (size_t i = 0; i < WG_REPORT_MAX_FINDINGS; i++) {
        shared->findings[i].kind = WG_FINDING_DATA_RACE;
        shared->findings[i].severity = WG_SEVERITY_ERROR;
        shared->findings[i].is_write = 1;
        shared->findings[i].other_is_write = 1;
    }
    update(0);
    cr_assert_eq(list.count, 1, "all are the same finding");
    struct wg_result *result = wg_result_new();
    wg_found_list_to_result(&list, false, result);
    cr_assert_eq(result->finding_count, 1);
    cr_assert_eq(result->findings[0].at.line, 0, "a line of four billion is none");
    cr_assert_null(memchr(result->findings[0].text, '\xff', strlen(result->findings[0].text)));
    struct wg_report *before = calloc(1, sizeof *before);
    wg_counters_to_result(before, watch.copy, "student", 0, result);
    cr_assert_leq(result->counter_count, 64);
    free(before);
    wg_result_free(result);
}

Test(report, random_bytes_never_break_the_reader) {
    unsigned seed = 1;
    for (int round = 0; round < 50; round++) {
        unsigned char *bytes = (unsigned char *)shared;
        for (size_t i = 0; i < sizeof *shared; i++) {
            seed = seed * 1664525u + 1013904223u;
            /* Small numbers half of the time, so that enums and counts are often valid. */
            bytes[i] = (unsigned char)(seed >> (seed & 0x80000000u ? 24 : 31));
        }
        shared->magic = WG_REPORT_MAGIC;
        update(round);
    }
    struct wg_result *result = wg_result_new();
    wg_found_list_to_result(&list, true, result);
    cr_assert_leq(result->finding_count, 40);
    wg_result_free(result);
}

Test(report, what_to_mend_first_comes_first_and_the_rest_is_counted) {
    for (unsigned i = 0; i < 60; i++) {
        add(WG_FINDING_UNINITIALIZED_READ, 100 + i, "u");
    }
    add(WG_FINDING_SAME_VALUE, 1, "s")->severity = WG_SEVERITY_NOTE;
    add(WG_FINDING_DATA_RACE, 50, "r");
    add(WG_FINDING_OUT_OF_BOUNDS, 60, "o");
    update(0);
    struct wg_result *result = wg_result_new();
    wg_found_list_to_result(&list, false, result);
    cr_assert_eq(result->finding_count, 40);
    cr_assert_eq(result->findings_dropped, 23);
    cr_assert_str_eq(result->findings[0].kind, "OUT_OF_BOUNDS");
    cr_assert_str_eq(result->findings[1].kind, "DATA_RACE");
    cr_assert_eq(result->findings[2].at.line, 100);
    wg_result_free(result);
}

Test(report, sessions_share_findings) {
    struct wg_found_list other = {0};
    add(WG_FINDING_OUT_OF_BOUNDS, 7, "x")->occurrences = 5;
    update(6);
    struct wg_found early = {.record = shared->findings[0], .case_index = 2};
    early.record.occurrences = 3;
    other.items = &early;
    other.count = 1;
    wg_found_list_merge(&list, &other);
    cr_assert_eq(list.count, 1);
    cr_assert_eq(list.items[0].case_index, 2);
    cr_assert_eq(list.items[0].record.occurrences, 5);
}

Test(report, counters_are_differences) {
    shared->counter_count = 1;
    strcpy(shared->counters[0].kernel, "k");
    shared->counters[0].launches = 1;
    shared->counters[0].global_loads = 100;
    update(0);
    struct wg_report before = *watch.copy;
    shared->counters[0].launches = 2;
    shared->counters[0].global_loads = 350;
    update(1);
    struct wg_result *result = wg_result_new();
    wg_counters_to_result(&before, watch.copy, "student", 1, result);
    cr_assert_eq(result->counter_count, 1);
    cr_assert_eq(result->counters[0].global_loads, 250);
    cr_assert_eq(result->counters[0].launches, 1);
    cr_assert_str_eq(result->counters[0].subject, "student");
    wg_counters_to_result(watch.copy, watch.copy, "student", 2, result);
    cr_assert_eq(result->counter_count, 1, "a kernel that did not run has no counters");
    wg_result_free(result);
}

/* The line of each finding in the order of the result. */
static void expect_lines(const unsigned *lines, size_t count) {
    struct wg_result *result = wg_result_new();
    wg_found_list_to_result(&list, false, result);
    cr_assert_eq(result->finding_count, count);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq((unsigned)result->findings[i].at.line, lines[i], "finding %zu: line %d", i,
                     result->findings[i].at.line);
    }
    wg_result_free(result);
}

Test(report, the_barrier_that_was_missed_first_comes_first) {
    add(WG_FINDING_BARRIER_DIVERGENCE, 10, "late");
    update(4);
    add(WG_FINDING_BARRIER_DIVERGENCE, 14, "first");
    add(WG_FINDING_BARRIER_DIVERGENCE, 12, "second");
    update(0);
    expect_lines((unsigned[]){14, 12, 10}, 3);
}

Test(report, a_deadlock_with_a_place_comes_before_one_without) {
    add(WG_FINDING_DEADLOCK, 5, "this kernel");
    add(WG_FINDING_DEADLOCK, 13, "this loop")->at.column = 9;
    update(0);
    expect_lines((unsigned[]){13, 5}, 2);
}

Test(report, of_one_line_what_happens_more_often_comes_first) {
    add(WG_FINDING_OUT_OF_BOUNDS, 6, "past the end")->occurrences = 92;
    add(WG_FINDING_MISALIGNED, 6, "misaligned")->occurrences = 17828;
    update(0);
    struct wg_result *result = wg_result_new();
    wg_found_list_to_result(&list, false, result);
    cr_assert_str_eq(result->findings[0].text, "misaligned");
    wg_result_free(result);
}

Test(report, an_access_out_of_bounds_explains_a_hang_of_the_plain_build_alone) {
    add(WG_FINDING_DEADLOCK, 2, "does not end");
    update(0);
    cr_assert(evidence.hangs);
    add(WG_FINDING_OUT_OF_BOUNDS, 4, "acc[4]");
    update(0);
    expect_lines((unsigned[]){4}, 1);
    wg_found_list_done(&list);
    shared->checked = 1;
    shared->findings[0].occurrences++;
    shared->findings[1].occurrences++;
    update(1);
    expect_lines((unsigned[]){4, 2}, 2);
}

Test(report, clues_are_findings_that_spoil_numbers) {
    add(WG_FINDING_API_MISUSE, 1, "a");
    add(WG_FINDING_EARLY_EXIT_BARRIER, 2, "e");
    update(0);
    cr_assert_not(evidence.has_clue);
    add(WG_FINDING_WARP_SYNC, 3, "w")->severity = WG_SEVERITY_WARNING;
    add(WG_FINDING_UNINITIALIZED_READ, 4, "u");
    update(0);
    cr_assert(evidence.has_clue);
    cr_assert_str_eq(evidence.clue.text, "u");
    shared->findings[2].occurrences++;
    update(1);
    cr_assert_str_eq(evidence.clue.text, "w");
    cr_assert(evidence.clue_is_old);
}

Test(report, races_of_threads_at_different_barriers_are_told_by_the_barrier) {
    add(WG_FINDING_DATA_RACE, 6, "race");
    update(0);
    cr_assert_eq(evidence.cause.at.line, 6);
    add(WG_FINDING_DATA_RACE, 7, "race");
    add(WG_FINDING_BARRIER_DIVERGENCE, 5, "barrier");
    update(1);
    cr_assert_eq(evidence.verdict, WG_VERDICT_DATA_RACE);
    cr_assert_eq(evidence.cause.at.line, 5);
}

Test(report, calls_without_a_line_are_told_apart) {
    strcpy(add(WG_FINDING_API_MISUSE, 0, "hipFree was given")->at.function, "hipFree");
    strcpy(add(WG_FINDING_API_MISUSE, 0, "hipMemcpy reads")->at.function, "hipMemcpy");
    update(0);
    cr_assert_eq(list.count, 2);
}

Test(report, words_are_old_in_the_cases_after_the_first) {
    add(WG_FINDING_API_MISUSE, 0, "hipMemcpy reads 8000 bytes")->severity = WG_SEVERITY_WARNING;
    add(WG_FINDING_LAUNCH_ERROR, 3, "2048 threads");
    update(2);
    cr_assert(evidence.has_api_misuse && evidence.has_launch_error);
    cr_assert_not(evidence.api_is_old);
    cr_assert_str_eq(evidence.launch.text, "2048 threads");
    shared->findings[0].occurrences++;
    shared->findings[1].occurrences++;
    update(2);
    cr_assert_not(evidence.api_is_old, "the next call of the same case");
    shared->findings[0].occurrences++;
    shared->findings[1].occurrences++;
    update(3);
    cr_assert(evidence.api_is_old && evidence.launch_is_old);
}

Test(report, an_end_after_a_launch_that_failed_is_not_told) {
    add(WG_FINDING_FAULT, 0, "Host code called abort().");
    update(0);
    cr_assert_not(wg_evidence_ends_after_launch(&evidence));
    add(WG_FINDING_LAUNCH_ERROR, 3, "2048 threads");
    shared->findings[0].occurrences++;
    update(1);
    cr_assert(wg_evidence_ends_after_launch(&evidence));
    wg_found_list_drop_end(&list, &evidence);
    cr_assert_eq(list.count, 1);
    cr_assert_eq(list.items[0].record.kind, WG_FINDING_LAUNCH_ERROR);
}

Test(report, a_failed_assertion_has_its_own_place_and_words) {
    add(WG_FINDING_FAULT, 0, "A thread called abort().");
    update(0);
    wg_found_list_tell_assert(&list, &evidence, "Killed. Assertion `x' failed.\n");
    wg_found_list_tell_assert(&list, &evidence, "h: k.hip:0: f(): Assertion `x' failed.\n");
    wg_found_list_tell_assert(&list, &evidence, "h: k.hip:5: f(): Assertion `x");
    cr_assert_str_eq(evidence.cause.text, "A thread called abort().");
    wg_found_list_tell_assert(&list, &evidence,
                              "debug\nh: /src/k.hip:5: void k(int): Assertion `i < n' failed.\n");
    cr_assert_eq(evidence.cause.at.line, 5);
    cr_assert_str_eq(evidence.cause.at.file, "k.hip");
    cr_assert_not_null(strstr(list.items[0].record.text, "assert(i < n) failed"));
    cr_assert_eq(list.items[0].record.at.line, 5);
}
