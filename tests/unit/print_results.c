/* Prints sample results as JSON, one document after the other, for result_schema.py. */
#include <math.h>
#include <stdio.h>

#include "tests/unit/sample_result.h"

static void print(struct wg_result *result) {
    struct wg_buf text = {0};
    wg_result_to_json(result, &text);
    fputs(wg_buf_str(&text), stdout);
    wg_buf_done(&text);
    wg_result_free(result);
}

static void with_source(struct wg_result *result) {
    struct wg_buf text = {0};
    wg_result_to_json_with_source(result, &text);
    fputs(wg_buf_str(&text), stdout);
    wg_buf_done(&text);
    wg_result_free(result);
}

int main(void) {
    print(wg_result_new());
    print(sample_result());
    with_source(sample_result());
    struct wg_result *odd = sample_result();
    odd->cases[0].got = (double)NAN;
    odd->cases[0].expected = (double)INFINITY;
    odd->cases[0].error_in_bounds = (double)INFINITY;
    odd->cases[0].rms_error_in_limit = (double)NAN;
    odd->timings[0].student.median_ms = (double)NAN;
    odd->seed = UINT64_MAX;
    odd->counters[0].global_load_bytes = UINT64_MAX;
    odd->findings[0].element = INT64_MIN;
    free(odd->sentence);
    odd->sentence = wg_strdup("\xff\" \x01");
    print(odd);
    return 0;
}
