/* Reading results back: nothing is lost, and nothing hostile gets through. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/result/result.h"
#include "tests/unit/sample_result.h"

static struct wg_result *read_well(const char *json) {
    struct wg_err err = {0};
    struct wg_result *result = NULL;
    cr_assert_eq(wg_result_from_json(json, strlen(json), &result, &err), WG_OK, "%s", err.msg);
    return result;
}

static void refuse(const char *json, size_t bytes, const char *because) {
    struct wg_err err = {0};
    struct wg_result *result = NULL;
    cr_assert_eq(wg_result_from_json(json, bytes, &result, &err), WG_EINVAL, "taken: %.200s", json);
    cr_assert_null(result);
    cr_assert(strstr(err.msg, because), "%s: %s", because, err.msg);
}

/* What is written, read and written again is the same text. */
static void go_round(struct wg_result *result) {
    struct wg_buf first = {0};
    struct wg_buf second = {0};
    wg_result_to_json_with_source(result, &first);
    struct wg_result *again = read_well(first.data);
    wg_result_to_json_with_source(again, &second);
    cr_assert_str_eq(first.data, second.data);
    wg_buf_done(&first);
    wg_buf_done(&second);
    wg_result_free(again);
    wg_result_free(result);
}

Test(result_from_json, an_empty_result_comes_back) {
    go_round(wg_result_new());
}

Test(result_from_json, a_full_result_comes_back) {
    struct wg_result *result = sample_result();
    snprintf(result->submission.source_sha256, sizeof result->submission.source_sha256, "%064d", 7);
    snprintf(result->assignment.digest, sizeof result->assignment.digest, "%064d", 8);
    result->environment.date_s = 1700000001;
    result->environment.warp_size = 64;
    result->cases[0].wall_ns = 123456789;
    result->findings[0].element = -5;
    result->findings[1].detail = wg_strdup("same_value");
    result->timings[0].speedup_low = 1.0 / 3;
    result->timings[0].stop = wg_strdup("budget");
    result->output = wg_strdup("a\tb\n\"\\");
    go_round(result);
}

Test(result_from_json, numbers_that_json_cannot_say_come_back) {
    struct wg_result *result = sample_result();
    result->cases[0].got = (double)NAN;
    result->cases[0].expected = (double)-INFINITY;
    result->cases[0].error_in_bounds = (double)INFINITY;
    result->timings[0].student.samples_ms[0] = (double)NAN;
    result->timings[0].student.stddev_ms = (double)NAN;
    struct wg_buf text = {0};
    wg_result_to_json(result, &text);
    struct wg_result *again = read_well(text.data);
    cr_assert(isnan(again->cases[0].got));
    cr_assert_eq(again->cases[0].expected, (double)-INFINITY);
    cr_assert_eq(again->cases[0].error_in_bounds, (double)INFINITY);
    cr_assert(isnan(again->timings[0].student.samples_ms[0]));
    wg_buf_done(&text);
    wg_result_free(again);
    go_round(result);
}

Test(result_from_json, the_largest_integers_come_back) {
    struct wg_result *result = sample_result();
    result->seed = UINT64_MAX;
    result->cases[0].seed = UINT64_MAX - 1;
    result->counters[0].global_load_bytes = UINT64_MAX;
    result->findings[0].element = INT64_MIN;
    result->cases[0].dims[0] = INT64_MAX;
    go_round(result);
}

Test(result_from_json, source_is_written_only_when_it_was_asked_for) {
    struct wg_result *result = sample_result();
    struct wg_buf text = {0};
    wg_result_to_json(result, &text);
    cr_assert_null(strstr(text.data, "\"source\""));
    struct wg_result *without = read_well(text.data);
    cr_assert_null(without->submission.source);
    wg_buf_clear(&text);
    wg_result_to_json_with_source(result, &text);
    struct wg_result *with = read_well(text.data);
    cr_assert_str_eq(with->submission.source, sample_source);
    wg_buf_done(&text);
    wg_result_free(with);
    wg_result_free(without);
    wg_result_free(result);
}

#define LEAST "\"schema\": \"wavegrade/result/v1\", \"verdict\": \"PASS\""

Test(result_from_json, what_is_absent_is_not_known_and_what_is_new_is_passed_over) {
    struct wg_result *result =
        read_well("{" LEAST ", \"later\": [{\"x\": 1}], \"findings\": [{\"kind\": "
                  "\"DATA_RACE\", \"later\": {}}], \"resources\": null}\r\n ");
    cr_assert_eq(result->verdict, WG_VERDICT_PASS);
    cr_assert_eq(result->finding_count, 1);
    cr_assert_eq(result->findings[0].case_index, -1);
    cr_assert_null(result->findings[0].text);
    wg_result_free(result);
}

Test(result_from_json, text_is_cleaned_and_bounded) {
    struct wg_result *result = read_well("{" LEAST ", \"sentence\": \"a\xff\xc3( \"}");
    cr_assert_str_eq(result->sentence, "a\xef\xbf\xbd\xef\xbf\xbd( ");
    wg_result_free(result);
}

Test(result_from_json, long_text_is_cut) {
    struct wg_buf text = {0};
    wg_buf_puts(&text, "{" LEAST ", \"sentence\": \"");
    for (int i = 0; i < 200000; i++) {
        wg_buf_puts(&text, "x");
    }
    wg_buf_puts(&text, "\"}");
    struct wg_result *result = read_well(text.data);
    cr_assert_eq(strlen(result->sentence), 65536);
    wg_result_free(result);
    wg_buf_done(&text);
}

struct refusal {
    const char *json, *because;
};

static const struct refusal refusals[] = {
    {"", "not one JSON document"},
    {"{", "not one JSON document"},
    {"{" LEAST "} {}", "not one JSON document"},
    {"{" LEAST ", \"sentence\": \"\\ud800x\"}", "not one JSON document"},
    {"[]", "must be an object"},
    {"{}", "schema"},
    {"{\"schema\": \"wavegrade/result/v2\", \"verdict\": \"PASS\"}", "schema"},
    {"{\"schema\": \"wavegrade/result/v1\"}", "no verdict"},
    {"{\"schema\": \"wavegrade/result/v1\", \"verdict\": \"pass\"}", "verdict"},
    {"{" LEAST ", \"verdict\": \"CRASH\"}", "verdict is there twice"},
    {"{" LEAST ", \"sentence\": 5}", "sentence must be a string"},
    {"{" LEAST ", \"seed\": 5}", "seed must be a string"},
    {"{" LEAST ", \"seed\": \"-1\"}", "seed"},
    {"{" LEAST ", \"seed\": \"18446744073709551616\"}", "seed"},
    {"{" LEAST ", \"findings\": {}}", "findings must be an array"},
    {"{" LEAST ", \"findings\": [1]}", "findings[0]: must be an object"},
    {"{" LEAST ", \"findings\": [{}]}", "findings[0]: a finding without kind"},
    {"{" LEAST ", \"findings\": [{\"kind\": \"X\"}, {\"kind\": \"X\", \"line\": 0}]}",
     "findings[1]: line"},
    {"{" LEAST ", \"findings\": [{\"kind\": \"X\", \"line\": 1.5}]}", "line"},
    {"{" LEAST ", \"findings\": [{\"kind\": \"X\", \"line\": 1e300}]}", "line"},
    {"{" LEAST ", \"findings\": [{\"kind\": \"X\", \"line\": \"7\"}]}", "line"},
    {"{" LEAST ", \"findings\": [{\"kind\": \"X\", \"case\": 0}]}", "case"},
    {"{" LEAST ", \"findings\": [{\"kind\": \"X\", \"severity\": \"<b>\"}]}", "severity"},
    {"{" LEAST ", \"findings\": [{\"kind\": \"X\", \"block\": [1, 2, 3]}]}", "come together"},
    {"{" LEAST ", \"findings\": [{\"kind\": \"X\", \"block\": [1, 2]}]}", "three counts"},
    {"{" LEAST ", \"findings\": [{\"kind\": \"X\", \"block\": [1, 2, -3]}]}", "three counts"},
    {"{" LEAST ", \"findings\": [{\"kind\": \"X\", \"block\": [1, 2, 3, 4]}]}", "more than 3"},
    {"{" LEAST ", \"findings\": [{\"kind\": \"X\", \"occurrences\": -1}]}", "occurrences"},
    {"{" LEAST ", \"findings\": [{\"kind\": \"X\", \"occurrences\": 1e99}]}", "occurrences"},
    {"{" LEAST ", \"score\": {\"total\": 1e999}}", "score: total"},
    {"{" LEAST ", \"score\": {\"total\": -1}}", "score: total"},
    {"{" LEAST ", \"score\": {\"complete\": 1}}", "complete must be true or false"},
    {"{" LEAST ", \"submission\": {\"commit\": \"<script>\"}}", "submission: commit"},
    {"{" LEAST ", \"submission\": {\"commit_time\": \"2026-02-31T00:00:00Z\"}}", "commit_time"},
    {"{" LEAST ", \"submission\": {\"commit_time\": \"2026-01-01\"}}", "commit_time"},
    {"{" LEAST ", \"correctness\": {\"cases\": [{\"verdict\": \"PASS\", \"dims\": {\"a\":1,\"b\":1,"
     "\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1}}]}}",
     "cases[0]: more than 8 dims"},
    {"{" LEAST ", \"correctness\": {\"cases\": [{}]}}", "no verdict"},
    {"{" LEAST ", \"correctness\": {\"cases\": [{\"verdict\": \"PASS\", \"error_in_bounds_text\": "
     "\"many\"}]}}",
     "error_in_bounds_text"},
    {"{" LEAST ", \"timing\": [{\"student\": {\"samples_ms\": [\"1\"]}}]}", "samples_ms"},
    {"{" LEAST ", \"resources\": [{\"arch\": \"gfx90a\"}]}", "platform, arch and kernel"},
    {"{" LEAST ", \"build\": {\"entry_kind\": \"both\"}}", "entry_kind"},
    {"{" LEAST ", \"stages\": [null]}", "must be an object"},
};

Test(result_from_json, what_is_malformed_is_refused_with_its_place) {
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        refuse(refusals[i].json, strlen(refusals[i].json), refusals[i].because);
    }
    refuse("{" LEAST "}\0", sizeof "{" LEAST "}\0" - 1, "not one JSON document");
}

Test(result_from_json, what_is_too_much_is_refused) {
    struct wg_buf text = {0};
    wg_buf_puts(&text, "{" LEAST ", \"stages\": [{}");
    for (int i = 0; i < 10000; i++) {
        wg_buf_puts(&text, ",{}");
    }
    wg_buf_puts(&text, "]}");
    refuse(text.data, text.len, "more than 10000 items");
    wg_buf_clear(&text);
    for (int i = 0; i < 100000; i++) {
        wg_buf_puts(&text, "[");
    }
    refuse(text.data, text.len, "not one JSON document");
    refuse(text.data, WG_RESULT_JSON_BYTES + 1, "larger than");
    wg_buf_done(&text);
}

/* Every prefix and every single changed byte of a real document is read or refused, never more. */
Test(result_from_json, damaged_documents_are_survived) {
    struct wg_result *result = sample_result();
    struct wg_buf text = {0};
    wg_result_to_json_with_source(result, &text);
    wg_result_free(result);
    static const char bytes[] = {'"', '0', '-', '{', ']', '\xff', 'e'};
    for (size_t i = 0; i + 1 < text.len; i += 7) {
        struct wg_result *again = NULL;
        wg_result_from_json(text.data, i, &again, NULL);
        cr_assert_null(again);
        char was = text.data[i];
        text.data[i] = bytes[i % sizeof bytes];
        wg_result_from_json(text.data, text.len, &again, NULL);
        text.data[i] = was;
        wg_result_free(again);
    }
    wg_buf_done(&text);
}
