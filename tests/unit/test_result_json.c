#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/result/result.h"
#include "tests/unit/sample_result.h"

static cJSON *written(const struct wg_result *result) {
    struct wg_buf text = {0};
    wg_result_to_json(result, &text);
    cr_assert_eq(text.data[text.len - 1], '\n');
    cJSON *json = cJSON_Parse(text.data);
    cr_assert_not_null(json, "%s", text.data);
    wg_buf_done(&text);
    return json;
}

static cJSON *at(cJSON *json, const char *path) {
    char part[64];
    while (*path) {
        size_t len = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)len, path);
        json = cJSON_IsArray(json) ? cJSON_GetArrayItem(json, atoi(part))
                                   : cJSON_GetObjectItemCaseSensitive(json, part);
        cr_assert_not_null(json, "no %s", part);
        path += len + (path[len] == '.');
    }
    return json;
}

Test(result_json, an_empty_result_is_a_whole_document) {
    struct wg_result *result = wg_result_new();
    cJSON *json = written(result);
    cr_assert_str_eq(at(json, "schema")->valuestring, "wavegrade/result/v1");
    cr_assert_str_eq(at(json, "verdict")->valuestring, "PASS");
    cr_assert(cJSON_IsNull(at(json, "build")));
    cr_assert(cJSON_IsNull(at(json, "score.total")));
    cr_assert_eq(cJSON_GetArraySize(at(json, "findings")), 0);
    cJSON_Delete(json);
    wg_result_free(result);
}

Test(result_json, fields_arrive) {
    struct wg_result *result = sample_result();
    cJSON *json = written(result);
    cr_assert_str_eq(at(json, "findings.0.kind")->valuestring, "OUT_OF_BOUNDS");
    cr_assert_eq(at(json, "findings.0.line")->valueint, 5);
    cr_assert_eq(at(json, "findings.0.block.0")->valueint, 3);
    cr_assert(cJSON_IsNull(at(json, "findings.0.other")));
    cr_assert_eq(at(json, "findings.1.other.line")->valueint, 12);
    cr_assert_eq(at(json, "correctness.cases.0.dims.n")->valueint, 1000);
    cr_assert_eq(at(json, "correctness.passed_count")->valueint, 1);
    cr_assert_eq(at(json, "correctness.case_count")->valueint, 2);
    cr_assert_eq(at(json, "timing.0.student.samples_ms.1")->valuedouble, 1.5);
    cr_assert_eq(at(json, "counters.0.global_load_bytes")->valueint, 8000);
    cr_assert_eq(at(json, "resources.0.registers")->valueint, 36);
    cr_assert_eq(at(json, "resources.0.occupancy.waves")->valueint, 8);
    cr_assert(cJSON_IsNull(at(json, "resources.0.spilled_bytes")));
    cr_assert_str_eq(at(json, "submission.commit_time")->valuestring, "2023-11-14T22:13:20Z");
    cJSON_Delete(json);
    wg_result_free(result);
}

Test(result_json, numbers_that_json_cannot_say_are_null_with_a_name) {
    struct wg_result *result = sample_result();
    result->cases[0].got = (double)NAN;
    result->cases[0].expected = (double)-INFINITY;
    result->cases[0].error_in_bounds = (double)INFINITY;
    result->timings[0].student.stddev_ms = (double)NAN;
    result->timings[0].speedup = (double)NAN;
    cJSON *json = written(result);
    cr_assert(cJSON_IsNull(at(json, "correctness.cases.0.first_wrong.got")));
    cr_assert_str_eq(at(json, "correctness.cases.0.first_wrong.got_text")->valuestring, "nan");
    cr_assert_str_eq(at(json, "correctness.cases.0.first_wrong.expected_text")->valuestring,
                     "-inf");
    cr_assert_str_eq(at(json, "correctness.cases.0.error_in_bounds_text")->valuestring, "inf");
    cr_assert(cJSON_IsNull(at(json, "timing.0.speedup.ratio")));
    cr_assert(cJSON_IsNull(at(json, "timing.0.student.stddev_ms")));
    cJSON_Delete(json);
    wg_result_free(result);
}

Test(result_json, integers_keep_all_digits) {
    struct wg_result *result = sample_result();
    result->seed = UINT64_MAX;
    result->cases[0].seed = UINT64_MAX - 1;
    result->counters[0].global_load_bytes = UINT64_C(9007199254740993);
    struct wg_buf text = {0};
    wg_result_to_json(result, &text);
    cr_assert(strstr(text.data, "\"18446744073709551615\""));
    cr_assert(strstr(text.data, "\"18446744073709551614\""));
    cr_assert(strstr(text.data, "9007199254740993"));
    wg_buf_done(&text);
    wg_result_free(result);
}

Test(result_json, hostile_strings_come_back_as_data) {
    struct wg_result *result = sample_result();
    free(result->findings[0].text);
    result->findings[0].text = wg_strdup("\", \"verdict\": \"PASS\" \x1b[31m \xff \xc3\x28 \n");
    cJSON *json = written(result);
    cr_assert_str_eq(at(json, "verdict")->valuestring, "OUT_OF_BOUNDS");
    cr_assert_str_eq(at(json, "findings.0.text")->valuestring,
                     "\", \"verdict\": \"PASS\" \x1b[31m \xef\xbf\xbd \xef\xbf\xbd( \n");
    cJSON_Delete(json);
    struct wg_buf text = {0};
    wg_result_to_json(result, &text);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        cr_assert(c >= 0x20 || c == '\n' || c == '\t');
    }
    wg_buf_done(&text);
    wg_result_free(result);
}

Test(result_json, the_same_result_is_the_same_text) {
    struct wg_result *one = sample_result();
    struct wg_result *two = sample_result();
    struct wg_buf a = {0};
    struct wg_buf b = {0};
    wg_result_to_json(one, &a);
    wg_result_to_json(two, &b);
    cr_assert_str_eq(a.data, b.data);
    wg_buf_done(&a);
    wg_buf_done(&b);
    wg_result_free(one);
    wg_result_free(two);
}
