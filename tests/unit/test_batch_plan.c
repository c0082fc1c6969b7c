/* Plans, fetched sources and what is the same source; the store's part is in test_store.c, engines
 * are driven by tests/batch and tests/slurm. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/batch/drive.h"
#include "grader/batch/internal.h"
#include "grader/batch/normalize.h"
#include "grader/batch/prepare.h"

static char *folder;
static struct wg_err err;

static void set_up(void) {
    cr_assert_eq(wg_paths_init(&err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_folder_make_temp("wavegrade-test-plan", &folder, &err), WG_OK);
}

static void tear_down(void) {
    cr_assert_eq(wg_folder_remove(folder, &err), WG_OK);
    free(folder);
}

TestSuite(batch_plan, .init = set_up, .fini = tear_down);

/* ---- The same source ---- */

static bool is_same(const char *a, const char *b) {
    char left[65], right[65];
    wg_normalize_digest(a, strlen(a), left);
    wg_normalize_digest(b, strlen(b), right);
    return strcmp(left, right) == 0;
}

Test(batch_plan, comments_and_layout_make_no_difference) {
    cr_assert(is_same("int a = 1; // one\n", "/* mine */ int a=1;"));
    cr_assert(is_same("f(a,\r\n\tb)", "f(a, b)"));
    cr_assert(is_same("a // goes on \\\n b\nc", "ac"));
    cr_assert(is_same("a /* never closed", "a"));
    cr_assert_not(is_same("int a = 1;", "int b = 1;"));
    cr_assert_not(is_same("puts(\"a // b\")", "puts(\"a"));
    cr_assert_not(is_same("puts(\"a b\")", "puts(\"ab\")"), "what is in quotes is content");
    cr_assert(is_same("c = '\"'; // x", "c = '\"';"));
    cr_assert(is_same("a \"\\\" // in\" // out", "a \"\\\" // in\""));
    cr_assert_not(is_same("a / b", "a // b"));
}

Test(batch_plan, nothing_has_no_digest) {
    char digest[65];
    wg_normalize_digest(" // only a comment", 18, digest);
    cr_assert_str_empty(digest);
    wg_normalize_digest("/", 1, digest);
    cr_assert_str_not_empty(digest);
}

/* ---- Files ---- */

static struct wg_batch_plan sample_plan(void) {
    struct wg_batch_plan plan = {.id = wg_strdup("b1"), .spool = wg_strdup(folder), .count = 2};
    plan.settings = (struct wg_batch_settings){.platform = wg_strdup("cpu"),
                                               .seed = UINT64_MAX - 1,
                                               .checked = true,
                                               .warp_size = 32,
                                               .deadline_s = 1796061605,
                                               .mark_late = true};
    plan.items = wg_calloc(2, sizeof *plan.items);
    plan.items[0] = (struct wg_batch_item){.student = wg_strdup("s\"1"),
                                           .repository = wg_strdup("https://h/\xc3\xa4.git"),
                                           .name = wg_strdup("One"),
                                           .ref = wg_strdup("main"),
                                           .assignment = wg_strdup("matmul"),
                                           .asked = wg_strdup("a0"),
                                           .known_commit = wg_strdup("c0"),
                                           .known_time_s = -5,
                                           .known_verdict = WG_VERDICT_CRASH,
                                           .skip_same = true,
                                           .line = 7};
    plan.items[1] = (struct wg_batch_item){.student = wg_strdup("s2"), .repository = wg_strdup("")};
    return plan;
}

Test(batch_plan, a_plan_comes_back_as_it_was) {
    struct wg_batch_plan plan = sample_plan(), back = {0};
    cr_assert_eq(wg_batch_plan_write(&plan, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_batch_plan_read(folder, &back, &err), WG_OK, "%s", err.msg);
    cr_assert_str_eq(back.id, "b1");
    cr_assert_str_eq(back.settings.platform, "cpu");
    cr_assert_eq(back.settings.seed, UINT64_MAX - 1);
    cr_assert(back.settings.checked && back.settings.mark_late && !back.settings.timing);
    cr_assert_eq(back.settings.deadline_s, 1796061605);
    cr_assert_eq(back.count, 2);
    cr_assert_str_eq(back.items[0].student, "s\"1");
    cr_assert_str_eq(back.items[0].repository, "https://h/\xc3\xa4.git");
    cr_assert_str_eq(back.items[0].known_commit, "c0");
    cr_assert_eq(back.items[0].known_time_s, -5);
    cr_assert_eq(back.items[0].known_verdict, WG_VERDICT_CRASH);
    cr_assert(back.items[0].skip_same);
    cr_assert_eq(back.items[0].line, 7);
    cr_assert_str_eq(back.items[1].repository, "");
    cr_assert_null(back.items[1].ref);
    wg_batch_plan_done(&plan);
    wg_batch_plan_done(&back);
}

Test(batch_plan, broken_plans_are_refused) {
    struct wg_batch_plan back = {0};
    cr_assert_eq(wg_batch_plan_read(folder, &back, &err), WG_ENOTFOUND);
    WG_CLEANUP(wg_freep) char *path = wg_path_join(folder, "plan.json");
    static const char *const texts[] = {"{", "{}", "{\"schema\": \"other\", \"id\": \"b\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cr_assert_eq(wg_file_write(path, texts[i], strlen(texts[i]), 0600, &err), WG_OK);
        cr_assert_eq(wg_batch_plan_read(folder, &back, &err), WG_EPARSE, "%s", texts[i]);
    }
}

Test(batch_plan, a_fetched_source_comes_back_byte_for_byte) {
    struct wg_batch_plan plan = sample_plan();
    cr_assert_eq(wg_batch_plan_write(&plan, &err), WG_OK, "%s", err.msg);
    struct wg_submission in = {.repository = wg_strdup("/r"),
                               .ref = wg_strdup("main"),
                               .commit = "c1",
                               .tree = "t1",
                               .commit_time_s = 42,
                               .path = wg_strdup("lab/matmul.hip")};
    wg_buf_add(&in.source, "a\0\xff\r\n", 5);
    struct wg_submission out = {0};
    WG_CLEANUP(wg_freep) char *file = NULL;
    cr_assert_eq(wg_batch_source_read(&plan, 1, &out, &file, &err), WG_ENOTFOUND);
    cr_assert_eq(wg_batch_source_write(&plan, 1, &in, "matmul.hip", &err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_batch_source_read(&plan, 1, &out, &file, &err), WG_OK, "%s", err.msg);
    cr_assert_str_eq(file, "matmul.hip");
    cr_assert_eq(out.source.len, 5);
    cr_assert_arr_eq(out.source.data, in.source.data, 5);
    cr_assert_str_eq(out.commit, "c1");
    cr_assert_eq(out.commit_time_s, 42);
    wg_submission_done(&in);
    wg_submission_done(&out);
    wg_batch_plan_done(&plan);
}

/* ---- From a roster ---- */

static struct wg_roster roster_of(const char *text) {
    struct wg_roster roster = {0};
    cr_assert_eq(wg_roster_parse(text, strlen(text), NULL, &roster, &err), WG_OK, "%s", err.msg);
    return roster;
}

static struct wg_batch_wishes wishes(void) {
    static char platform[] = "cpu";
    return (struct wg_batch_wishes){.settings = {.platform = platform, .checked = true},
                                    .roster_folder = folder};
}

Test(batch_plan, what_holds_is_known_and_what_changed_is_not) {
    struct wg_roster roster = roster_of("id,repository,assignment\ns1,/r1,matmul\ns2,/r2,matmul\n");
    struct wg_batch_wishes wanted = wishes();
    struct wg_batch_plan first = {0}, again = {0};
    WG_CLEANUP(wg_freep) char *path = wg_path_join(folder, "class.db");
    struct wg_store *store = NULL;
    cr_assert_eq(wg_store_open(path, WG_STORE_CREATE, &store, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_batch_prepare(&roster, &wanted, store, &first, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(first.count, 2);
    cr_assert_null(first.items[0].known_commit);
    cr_assert_neq(first.settings.seed, 0);

    struct wg_result *result = wg_result_new();
    result->verdict = WG_VERDICT_CRASH;
    result->assignment.id = wg_strdup("matmul");
    result->submission.commit = wg_strdup("c1");
    result->environment.date_s = 1000;
    struct wg_store_new about = {.uid = "u1", .student = "s1", .asked = first.items[0].asked};
    cr_assert_eq(wg_store_add(store, &about, result, NULL, &err), WG_OK);
    result->verdict = WG_VERDICT_GRADER_ERROR;
    about.uid = "u2";
    about.student = "s2";
    cr_assert_eq(wg_store_add(store, &about, result, NULL, &err), WG_OK);
    wg_result_free(result);

    cr_assert_eq(wg_batch_prepare(&roster, &wanted, store, &again, &err), WG_OK);
    cr_assert_str_eq(again.items[0].known_commit, "c1");
    cr_assert_eq(again.items[0].known_verdict, WG_VERDICT_CRASH);
    cr_assert_null(again.items[1].known_commit, "our fault is tried again");
    wg_batch_plan_done(&again);
    wanted.settings.checked = false;
    cr_assert_eq(wg_batch_prepare(&roster, &wanted, store, &again, &err), WG_OK);
    cr_assert_null(again.items[0].known_commit, "another question");
    wg_batch_plan_done(&again);
    wanted.settings.checked = true;
    wanted.regrade = true;
    cr_assert_eq(wg_batch_prepare(&roster, &wanted, store, &again, &err), WG_OK);
    cr_assert_null(again.items[0].known_commit, "asked for again");
    wg_batch_plan_done(&again);
    wg_batch_plan_done(&first);
    wg_store_close(store);
    wg_roster_done(&roster);
}

Test(batch_plan, who_and_where) {
    struct wg_roster roster =
        roster_of("id,repository,assignment\n"
                  "s1,repos/one,\ns2,git@h:two,\ns3,https://h/three,no_such\n");
    struct wg_batch_wishes wanted = wishes();
    struct wg_batch_plan plan = {0};
    cr_assert_eq(wg_batch_prepare(&roster, &wanted, NULL, &plan, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(plan.count, 2);
    WG_CLEANUP(wg_freep) char *one = wg_path_join(folder, "repos/one");
    cr_assert_str_eq(plan.items[0].repository, one);
    cr_assert_str_eq(plan.items[1].repository, "git@h:two");
    cr_assert_eq(roster.problem_count, 1);
    cr_assert_eq(roster.problems[0].line, 4);
    wg_batch_plan_done(&plan);
    wanted.only = "s2";
    cr_assert_eq(wg_batch_prepare(&roster, &wanted, NULL, &plan, &err), WG_OK);
    cr_assert_eq(plan.count, 1);
    cr_assert_str_eq(plan.items[0].student, "s2");
    wg_batch_plan_done(&plan);
    wanted.only = "s2,s22";
    cr_assert_eq(wg_batch_prepare(&roster, &wanted, NULL, &plan, &err), WG_EINVAL);
    cr_assert(strstr(err.msg, "did you mean 's2'"), "%s", err.msg);
    wanted.only = NULL;
    wanted.assignment = "no_such";
    cr_assert_eq(wg_batch_prepare(&roster, &wanted, NULL, &plan, &err), WG_EINVAL);
    wg_roster_done(&roster);
}

/* ---- Into the store ---- */

static void put_result(const struct wg_batch_plan *plan, size_t index, int try, const char *text) {
    WG_CLEANUP(wg_freep) char *path = wg_batch_result_path(plan, index, try);
    cr_assert_eq(wg_file_write(path, text, strlen(text), 0600, &err), WG_OK, "%s", err.msg);
}

Test(batch_plan, results_are_collected_once_and_odd_files_left_alone) {
    struct wg_batch_plan plan = sample_plan();
    struct wg_store *store = NULL;
    WG_CLEANUP(wg_freep) char *path = wg_path_join(folder, "class.db");
    WG_CLEANUP(wg_freep) char *odd = wg_strf("%s/results/0.0.json.tmp", folder);
    WG_CLEANUP(wg_buf_done) struct wg_buf json = {0};
    cr_assert_eq(wg_batch_plan_write(&plan, &err), WG_OK);
    cr_assert_eq(wg_store_open(path, WG_STORE_CREATE, &store, &err), WG_OK);
    struct wg_result *fault = wg_batch_fault(&plan, 0, "the worker died");
    wg_result_to_json(fault, &json);
    wg_result_free(fault);
    put_result(&plan, 0, 0, wg_buf_str(&json));
    put_result(&plan, 0, 1, wg_buf_str(&json));
    put_result(&plan, 1, 0, "{ half");
    put_result(&plan, 99, 0, wg_buf_str(&json));
    cr_assert_eq(wg_file_write(odd, "", 0, 0600, &err), WG_OK);
    size_t imported = 0;
    cr_assert_eq(wg_batch_collect(&plan, store, &imported, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(imported, 2);
    cr_assert_eq(wg_batch_collect(&plan, store, &imported, &err), WG_OK);
    cr_assert_eq(imported, 0);
    struct wg_store_attempts found = {0};
    struct wg_store_filter all = {.pick = WG_STORE_ALL};
    cr_assert_eq(wg_store_list(store, &all, &found, &err), WG_OK);
    cr_assert_eq(found.count, 2);
    cr_assert_str_eq(found.all[0].student, "s\"1");
    cr_assert_str_eq(found.all[0].assignment, "matmul");
    cr_assert_eq(found.all[0].verdict, WG_VERDICT_GRADER_ERROR);
    wg_store_attempts_done(&found);
    wg_store_close(store);
    wg_batch_plan_done(&plan);
}
