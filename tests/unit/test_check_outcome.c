#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "grader/check/outcome.h"
#include "grader/check/run.h"

/* c[n] = a[n] + 1, judged exactly; the "expected" values are whatever the test puts into golden. */
enum { N = 1000 };

static struct wg_manifest manifest;
static const int64_t dims[] = {N};
static struct wg_image image;
static uint8_t *given, *taken;
static double values[N], magnitudes[N];
static struct wg_golden_entry golden;
static struct wg_reply reply;
static struct wg_evidence evidence;
static struct wg_outcome outcome;
static struct wg_err err;

static struct wg_expr *length(void) {
    const char *const names[] = {"n"};
    struct wg_expr *expr = NULL;
    cr_assert_eq(wg_expr_parse("n", names, 1, &expr, &err), WG_OK);
    return expr;
}

static float *at(uint8_t *bytes, size_t slot) {
    return (float *)(void *)(bytes + image.slots[slot].offset);
}

static void make_call(void) {
    manifest.id = (char *)"toy";
    manifest.memory_bytes = (int64_t)64 << 20;
    manifest.output_bytes = 64 << 10;
    manifest.arg_count = 2;
    manifest.args[0] = (struct wg_manifest_arg){.name = (char *)"a",
                                                .kind = WG_ARG_BUFFER,
                                                .type = WG_TYPE_F32,
                                                .direction = WG_DIR_IN,
                                                .length = length(),
                                                .low = -1,
                                                .high = 1};
    manifest.args[1] = manifest.args[0];
    manifest.args[1].name = (char *)"c";
    manifest.args[1].direction = WG_DIR_OUT;
    manifest.args[1].length = length();
    cr_assert_eq(wg_image_plan(&manifest, dims, 4096, &image, &err), WG_OK);
    given = calloc(1, image.bytes);
    taken = calloc(1, image.bytes);
    wg_image_fill(&image, &manifest, 1, WG_POISON_NAN, given);
    memcpy(taken, given, image.bytes);
    for (int i = 0; i < N; i++) {
        at(taken, 1)[i] = at(given, 0)[i] + 1;
        values[i] = (double)at(taken, 1)[i];
        magnitudes[i] = 2;
    }
    golden.ready = true;
    golden.outputs[1] =
        (struct wg_golden_output){.values = values, .magnitudes = magnitudes, .count = N};
    reply = (struct wg_reply){.status = WG_STATUS_OK, .call_ns = 5};
    evidence = (struct wg_evidence){.launches = 1};
    outcome = (struct wg_outcome){0};
}

static void drop_call(void) {
    wg_expr_free(manifest.args[0].length);
    wg_expr_free(manifest.args[1].length);
    free(given);
    free(taken);
    wg_outcome_done(&outcome);
}

TestSuite(outcome, .init = make_call, .fini = drop_call);

static void call(void) {
    const struct wg_call_seen seen = {.manifest = &manifest,
                                      .dims = dims,
                                      .image = &image,
                                      .given = given,
                                      .taken = taken,
                                      .golden = &golden,
                                      .reply = &reply,
                                      .evidence = &evidence};
    wg_outcome_add_call(&outcome, &seen);
}

static void expect(enum wg_verdict verdict, const char *words) {
    cr_assert_str_eq(wg_verdict_name(outcome.facts.verdict), wg_verdict_name(verdict), "%s",
                     outcome.facts.sentence);
    if (words != NULL) {
        cr_assert_not_null(strstr(outcome.facts.sentence, words), "%s", outcome.facts.sentence);
    }
}

Test(outcome, right_is_pass) {
    call();
    expect(WG_VERDICT_PASS, NULL);
    cr_assert_null(outcome.facts.sentence);
    cr_assert_eq(outcome.facts.element_count, N);
    cr_assert(outcome.reached && outcome.launched);
}

Test(outcome, wrong_answer_names_count_first_and_pattern) {
    memcpy(at(taken, 1) + 768, at(given, 1) + 768, 232 * sizeof(float));
    call();
    expect(WG_VERDICT_WRONG_ANSWER, "232 of 1000 elements of c are wrong; the first is c[768]");
    expect(WG_VERDICT_WRONG_ANSWER, "from c[768] on was never written");
    cr_assert_str_eq(outcome.facts.pattern, "unwritten_from");
    cr_assert_eq(outcome.facts.first_wrong_index, 768);
    cr_assert_eq(outcome.facts.first_wrong_row, -1);
    cr_assert_str_eq(outcome.facts.output, "c");
}

Test(outcome, guard_zones_and_inputs) {
    at(taken, 1)[N] = 1;
    call();
    expect(WG_VERDICT_OUT_OF_BOUNDS, "behind the end of c, which has 1000 elements: c[1000]");
    at(taken, 0)[5] += 1;
    call();
    expect(WG_VERDICT_INPUT_MODIFIED, "a[5]");
}

Test(outcome, stray_in_front) {
    at(taken, 1)[-2] = 1;
    call();
    expect(WG_VERDICT_OUT_OF_BOUNDS, "c[-2]");
}

Test(outcome, right_without_a_kernel_is_no_kernel) {
    evidence.launches = 0;
    call();
    expect(WG_VERDICT_NO_KERNEL, "no kernel was launched");
}

Test(outcome, an_old_result_is_a_wrong_answer_and_not_a_missing_kernel) {
    call();
    evidence.launches = 0;
    at(taken, 1)[0] += 1;
    call();
    expect(WG_VERDICT_WRONG_ANSWER, "1 of 1000");
    cr_assert(outcome.keeps, "the same data was right before");
}

Test(outcome, a_replayed_right_answer_is_no_kernel) {
    call();
    evidence.launches = 0;
    call();
    expect(WG_VERDICT_NO_KERNEL, "repeated call launched no kernel");
}

Test(outcome, refused_launches) {
    reply.status = WG_STATUS_HIP_ERROR;
    strcpy(reply.hip_error_name, "hipErrorInvalidConfiguration");
    evidence.launches = 0;
    evidence.failed_launches = 1;
    call();
    expect(WG_VERDICT_LAUNCH_ERROR, "hipErrorInvalidConfiguration");
}

Test(outcome, an_error_that_harmed_nothing_costs_nothing) {
    reply.status = WG_STATUS_HIP_ERROR;
    call();
    expect(WG_VERDICT_PASS, NULL);
}

Test(outcome, findings_decide_with_their_own_words) {
    evidence.verdict = WG_VERDICT_DATA_RACE;
    evidence.cause.at.line = 12;
    strcpy(evidence.cause.at.file, "k.hip");
    strcpy(evidence.cause.text, "two threads write s[0]");
    call();
    expect(WG_VERDICT_DATA_RACE, "line 12 of k.hip: two threads write s[0]");
}

static void die(enum wg_answer answer, enum wg_jail_end how, bool loading) {
    struct wg_jail_result end = {.end = how, .signal = SIGSEGV, .exit_status = 0};
    wg_outcome_add_death(&outcome, &manifest, answer, &end, &evidence, loading);
}

Test(outcome, deaths) {
    const struct {
        enum wg_answer answer;
        enum wg_jail_end end;
        enum wg_verdict verdict;
        const char *words;
    } deaths[] = {
        {WG_ANSWER_LATE, WG_JAIL_KILLED, WG_VERDICT_TIMEOUT, "did not come to an end"},
        {WG_ANSWER_ENDED, WG_JAIL_WALL_LIMIT, WG_VERDICT_TIMEOUT, "did not come to an end"},
        {WG_ANSWER_ENDED, WG_JAIL_MEMORY_LIMIT, WG_VERDICT_MEMORY_LIMIT, "64 MiB"},
        {WG_ANSWER_ENDED, WG_JAIL_OUTPUT_LIMIT, WG_VERDICT_OUTPUT_LIMIT, "64 KiB"},
        {WG_ANSWER_ENDED, WG_JAIL_SIGNALED, WG_VERDICT_CRASH, "SIGSEGV"},
        {WG_ANSWER_ENDED, WG_JAIL_EXITED, WG_VERDICT_CRASH, "ended the whole process"},
        {WG_ANSWER_GARBLED, WG_JAIL_KILLED, WG_VERDICT_CRASH, "damaged the measuring process"},
    };
    for (size_t i = 0; i < sizeof deaths / sizeof deaths[0]; i++) {
        die(deaths[i].answer, deaths[i].end, false);
        expect(deaths[i].verdict, deaths[i].words);
        wg_outcome_done(&outcome);
    }
}

Test(outcome, deaths_say_where) {
    strcpy(evidence.kernel, "vadd(float*)");
    die(WG_ANSWER_LATE, WG_JAIL_KILLED, false);
    expect(WG_VERDICT_TIMEOUT, "in kernel vadd(float*)");
    wg_outcome_done(&outcome);
    die(WG_ANSWER_ENDED, WG_JAIL_SIGNALED, true);
    expect(WG_VERDICT_CRASH, "before the first call");
}

Test(outcome, a_deadlock_that_was_seen_is_no_mere_timeout) {
    evidence.verdict = WG_VERDICT_BARRIER_DIVERGENCE;
    strcpy(evidence.cause.text, "blocks wait for each other");
    die(WG_ANSWER_LATE, WG_JAIL_KILLED, false);
    expect(WG_VERDICT_BARRIER_DIVERGENCE, "blocks wait for each other");
}

static void merge(struct wg_outcome *first, struct wg_outcome *second) {
    struct wg_outcome *both[] = {first, second};
    const char *const words[] = {"rising", "falling"};
    wg_outcome_merge(both, words, 2, &outcome);
}

Test(outcome, the_worst_session_speaks) {
    struct wg_outcome pass = {.reached = true};
    struct wg_outcome wrong = {.reached = true, .facts = {.wrong_count = 3, .element_count = 9}};
    wg_outcome_raise(&wrong, WG_VERDICT_WRONG_ANSWER, strdup("Wrong."));
    merge(&pass, &wrong);
    expect(WG_VERDICT_WRONG_ANSWER, "Wrong. This happens falling; it was right rising");
    cr_assert_eq(outcome.facts.wrong_count, 3);
}

Test(outcome, a_crash_in_a_kernel_is_the_access_that_the_checked_build_names) {
    struct wg_outcome crash = {.reached = true, .kernel_fault = true};
    struct wg_outcome named = {.reached = true};
    wg_outcome_raise(&crash, WG_VERDICT_CRASH, strdup("SIGSEGV"));
    wg_outcome_raise(&named, WG_VERDICT_OUT_OF_BOUNDS, strdup("c[1000]"));
    merge(&crash, &named);
    expect(WG_VERDICT_OUT_OF_BOUNDS, "c[1000]");
    wg_outcome_done(&crash);
}

Test(outcome, of_equal_verdicts_the_one_with_a_line_speaks) {
    struct wg_outcome guard = {.reached = true};
    struct wg_outcome named = {.reached = true, .names_line = true};
    wg_outcome_raise(&guard, WG_VERDICT_OUT_OF_BOUNDS, strdup("behind the end"));
    wg_outcome_raise(&named, WG_VERDICT_OUT_OF_BOUNDS, strdup("line 5"));
    merge(&guard, &named);
    expect(WG_VERDICT_OUT_OF_BOUNDS, "line 5");
    wg_outcome_done(&guard);
}

Test(outcome, a_crash_in_host_code_stays_one) {
    struct wg_outcome crash = {.reached = true};
    struct wg_outcome named = {.reached = true};
    wg_outcome_raise(&crash, WG_VERDICT_CRASH, strdup("SIGSEGV"));
    wg_outcome_raise(&named, WG_VERDICT_OUT_OF_BOUNDS, strdup("c[1000]"));
    merge(&crash, &named);
    expect(WG_VERDICT_CRASH, "SIGSEGV");
    wg_outcome_done(&named);
}

Test(outcome, what_was_only_assumed_gives_way) {
    struct wg_outcome assumed = {.reached = true, .facts = {.not_run = true}};
    struct wg_outcome named = {.reached = true};
    wg_outcome_raise(&assumed, WG_VERDICT_CRASH, strdup("not run"));
    wg_outcome_raise(&named, WG_VERDICT_DATA_RACE, strdup("race"));
    merge(&assumed, &named);
    expect(WG_VERDICT_DATA_RACE, "race");
    wg_outcome_done(&outcome);
    wg_outcome_done(&assumed);
    assumed = (struct wg_outcome){.reached = true, .facts = {.not_run = true}};
    struct wg_outcome pass = {.reached = true, .checked = true};
    wg_outcome_raise(&assumed, WG_VERDICT_CRASH, strdup("not run"));
    merge(&assumed, &pass);
    expect(WG_VERDICT_CRASH, "not run");
    wg_outcome_done(&outcome);
    assumed = (struct wg_outcome){.reached = true, .facts = {.not_run = true}};
    pass.checked = false; /* the same build ran it in another session */
    wg_outcome_raise(&assumed, WG_VERDICT_CRASH, strdup("not run"));
    merge(&assumed, &pass);
    expect(WG_VERDICT_PASS, NULL);
    wg_outcome_done(&assumed);
}

Test(outcome, a_hang_of_the_plain_build_is_the_access_that_the_checked_one_names) {
    struct wg_outcome named = {.reached = true, .checked = true};
    struct wg_outcome hung = {.reached = true, .checked = true};
    wg_outcome_raise(&named, WG_VERDICT_OUT_OF_BOUNDS, strdup("acc[4]"));
    strcpy(evidence.kernel, "k");
    die(WG_ANSWER_LATE, WG_JAIL_KILLED, false);
    struct wg_outcome plain = outcome;
    outcome = (struct wg_outcome){0};
    merge(&plain, &named);
    expect(WG_VERDICT_OUT_OF_BOUNDS, "acc[4]");
    wg_outcome_done(&plain);
    wg_outcome_done(&outcome);
    outcome.checked = true;
    die(WG_ANSWER_LATE, WG_JAIL_KILLED, false);
    hung = outcome;
    outcome = (struct wg_outcome){0};
    wg_outcome_raise(&named, WG_VERDICT_OUT_OF_BOUNDS, strdup("acc[4]"));
    merge(&hung, &named);
    expect(WG_VERDICT_TIMEOUT, "did not come to an end");
    wg_outcome_done(&named);
}

/* The last elements are wrong, which is a pattern, and *clue is at hand. */
static void merge_with_clue(enum wg_finding_kind kind) {
    struct wg_outcome clued = {.reached = true, .checked = true, .has_clue = true};
    clued.clue = (struct wg_finding_record){.kind = kind, .at.line = 6, .at.column = 3};
    strcpy(clued.clue.at.file, "k.hip");
    strcpy(clued.clue.text, "Thread (0,0,0) is to blame.");
    for (size_t i = N - 100; i < N; i++) {
        at(taken, 1)[i] += (float)(i % 7 + 1);
    }
    call();
    cr_assert_str_eq(outcome.facts.pattern, "tail");
    struct wg_outcome wrong = outcome;
    outcome = (struct wg_outcome){0};
    merge(&wrong, &clued);
    wg_outcome_done(&wrong);
}

Test(outcome, wrong_numbers_are_told_with_the_finding_behind_them) {
    merge_with_clue(WG_FINDING_UNINITIALIZED_READ);
    expect(WG_VERDICT_WRONG_ANSWER, "100 of 1000 elements of c are wrong");
    expect(WG_VERDICT_WRONG_ANSWER, ". Line 6 of k.hip: Thread (0,0,0) is to blame.");
    cr_assert_null(strstr(outcome.facts.sentence, "partial block"), "%s", outcome.facts.sentence);
    cr_assert_null(strstr(outcome.facts.sentence, "This happens"), "%s", outcome.facts.sentence);
    cr_assert_null(outcome.facts.pattern);
}

Test(outcome, after_a_deadlock_only_the_deadlock_is_told) {
    merge_with_clue(WG_FINDING_DEADLOCK);
    cr_assert_str_eq(outcome.facts.sentence, "line 6 of k.hip: Thread (0,0,0) is to blame.");
}

Test(outcome, a_clue_comes_from_the_call_that_shows_it) {
    evidence.has_clue = true;
    evidence.clue = (struct wg_finding_record){.kind = WG_FINDING_WARP_SYNC, .at.line = 3};
    call();
    evidence.clue = (struct wg_finding_record){.kind = WG_FINDING_BARRIER_DIVERGENCE, .at.line = 9};
    call();
    evidence.clue = (struct wg_finding_record){.kind = WG_FINDING_UNINITIALIZED_READ, .at.line = 1};
    call();
    cr_assert(outcome.has_clue);
    cr_assert_eq(outcome.clue.at.line, 9, "the most urgent one");
}

Test(outcome, what_is_kept_between_calls_is_no_matter_of_order) {
    struct wg_outcome pass = {.reached = true, .checked = true, .order = WG_RUN_DECLARED};
    struct wg_outcome wrong = {.reached = true, .keeps = true};
    wg_outcome_raise(&wrong, WG_VERDICT_WRONG_ANSWER, strdup("Wrong."));
    merge(&wrong, &pass);
    cr_assert_str_eq(outcome.facts.sentence,
                     "Wrong. Something is kept from one call to the next: "
                     "reset __device__ variables and buffers that you keep in each call");
}

Test(outcome, order_is_to_blame_only_where_the_same_calls_came_before) {
    struct wg_outcome elsewhere = {.reached = true, .checked = true, .order = WG_RUN_DECLARED};
    struct wg_outcome wrong = {.reached = true};
    wg_outcome_raise(&wrong, WG_VERDICT_WRONG_ANSWER, strdup("Wrong."));
    merge(&wrong, &elsewhere);
    expect(WG_VERDICT_WRONG_ANSWER,
           "right falling, after other calls: either the order of blocks or of unordered "
           "streams matters, or");
    wg_outcome_done(&outcome);
    wrong = (struct wg_outcome){.reached = true, .is_first = true};
    elsewhere.is_first = true;
    wg_outcome_raise(&wrong, WG_VERDICT_WRONG_ANSWER, strdup("Wrong."));
    merge(&wrong, &elsewhere);
    cr_assert_str_eq(outcome.facts.sentence, "Wrong. This happens rising; it was right falling");
}

Test(outcome, other_data_that_was_right_shows_nothing_that_is_kept) {
    struct wg_outcome pass = {.reached = true};
    struct wg_outcome wrong = {.reached = true, .right_calls = 1};
    wg_outcome_raise(&wrong, WG_VERDICT_WRONG_ANSWER, strdup("Wrong."));
    merge(&wrong, &pass);
    cr_assert_str_eq(outcome.facts.sentence, "Wrong. A call before it, with other data, was right");
}

Test(outcome, nan_after_a_failed_call_needs_no_guess) {
    evidence.has_api_misuse = true;
    strcpy(evidence.api.text, "hipMemcpyToSymbol did nothing.");
    for (size_t i = 0; i < N; i++) {
        at(taken, 1)[i] = -NAN;
    }
    call();
    expect(WG_VERDICT_WRONG_ANSWER, "got NaN. A HIP call failed before that: hipMemcpyToSymbol");
    cr_assert_null(outcome.facts.pattern);
}

Test(outcome, a_failed_call_says_whose_case_it_was_worded_for) {
    evidence.has_api_misuse = true;
    evidence.api_is_old = true;
    strcpy(evidence.api.text, "hipMemcpy reads 8000 bytes.");
    at(taken, 1)[3] += 1;
    call();
    expect(WG_VERDICT_WRONG_ANSWER,
           "A HIP call failed before that, as in an earlier case: hipMemcpy reads 8000 bytes.");
}

Test(outcome, after_a_failed_call_neither_order_nor_kept_data_is_guessed) {
    struct wg_outcome elsewhere = {.reached = true, .order = WG_RUN_RISING};
    struct wg_outcome wrong = {
        .reached = true, .checked = true, .order = WG_RUN_DECLARED, .api_told = true};
    wg_outcome_raise(&wrong, WG_VERDICT_WRONG_ANSWER, strdup("A HIP call failed."));
    merge(&wrong, &elsewhere);
    cr_assert_str_eq(outcome.facts.sentence, "A HIP call failed.");
}

/* Something was written behind c, which the checked build does not show. */
static void merge_with_stray(const char *call_refused) {
    struct wg_outcome checked = {.reached = true, .checked = true, .has_api = call_refused != NULL};
    if (call_refused != NULL) {
        strcpy(checked.api.text, call_refused);
    }
    at(taken, 1)[N] = 1;
    call();
    struct wg_outcome plain = outcome;
    outcome = (struct wg_outcome){0};
    merge(&plain, &checked);
}

Test(outcome, a_write_behind_a_buffer_is_of_the_call_that_the_checked_build_refuses) {
    merge_with_stray("hipMemsetD32 writes 16000 bytes: 12000 too many.");
    expect(WG_VERDICT_OUT_OF_BOUNDS,
           "c[1000]. No thread did that, but a HIP call, which the checked build refuses: "
           "hipMemsetD32 writes 16000 bytes");
    cr_assert_null(strstr(outcome.facts.sentence, "Let only threads"));
}

Test(outcome, a_write_behind_a_buffer_is_of_a_thread_otherwise) {
    merge_with_stray(NULL);
    expect(WG_VERDICT_OUT_OF_BOUNDS, "c[1000]. Let only threads with an index inside the array");
}

static void abort_on_host(void) {
    const struct wg_jail_result end = {.end = WG_JAIL_SIGNALED, .signal = SIGABRT};
    evidence.verdict = WG_VERDICT_CRASH;
    evidence.has_fault = true;
    evidence.cause = (struct wg_finding_record){.kind = WG_FINDING_FAULT};
    strcpy(evidence.cause.text, "Host code called abort().");
    wg_outcome_add_death(&outcome, &manifest, WG_ANSWER_ENDED, &end, &evidence, false);
}

Test(outcome, a_program_that_ends_itself_does_so_because_of_what_failed_before) {
    evidence.has_api_misuse = true;
    strcpy(evidence.api.text, "hipMalloc cannot get 9 bytes.");
    abort_on_host();
    expect(WG_VERDICT_CRASH,
           "called abort(). A HIP call failed before that: hipMalloc cannot get 9 bytes.");
    wg_outcome_done(&outcome);
    evidence.has_launch_error = true;
    evidence.launch = (struct wg_finding_record){.at.line = 3};
    strcpy(evidence.launch.at.file, "k.hip");
    strcpy(evidence.launch.text, "2048 threads.");
    abort_on_host();
    expect(WG_VERDICT_CRASH, "line 3 of k.hip: 2048 threads. Host code then ended the whole");
    wg_outcome_done(&outcome);
    evidence = (struct wg_evidence){.has_api_misuse = true, .api = evidence.api};
    die(WG_ANSWER_ENDED, WG_JAIL_EXITED, false);
    expect(WG_VERDICT_CRASH,
           "not call exit(). A HIP call failed before that: hipMalloc cannot get 9 bytes.");
}

Test(outcome, an_input_that_was_freed_is_not_told_as_changed) {
    reply.status = WG_STATUS_HIP_ERROR;
    memset(at(taken, 0), WG_POISON_BYTE, N * sizeof(float));
    call();
    expect(WG_VERDICT_INPUT_MODIFIED, "hipFree or hipDeviceReset in it freed a");
    wg_outcome_done(&outcome);
    at(taken, 0)[7] = 1;
    call();
    expect(WG_VERDICT_INPUT_MODIFIED, "1000 of its elements came back changed");
}
