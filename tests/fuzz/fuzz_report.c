/* The shared file that the measured process writes into (struct wg_report), before and after a
 * call, all the way to the texts that people and programs read. */
#include "grader/check/outcome.h"
#include "grader/check/report.h"
#include "grader/export/export.h"
#include "tests/fuzz/fuzz.h"

static void print(struct wg_result *result) {
    struct wg_buf json = {0};
    struct wg_buf text = {0};
    const struct wg_text_style style = {.columns = 100, .verbose = true};
    wg_result_to_json(result, &json);
    wg_export_text(result, &style, &text);
    fuzz_check_terminal(text.data, text.len);
    wg_buf_done(&json);
    wg_buf_done(&text);
}

/* The report is large and mostly empty: records of the input are put where its bytes say. */
static void change(struct wg_report *report, struct fuzz_input *input) {
    fuzz_take(input, report, offsetof(struct wg_report, findings));
    report->magic = input->left % 16 == 15 ? report->magic : WG_REPORT_MAGIC;
    for (int i = fuzz_byte(input) % 4; i > 0; i--) {
        size_t slot = fuzz_byte(input) % WG_REPORT_MAX_FINDINGS;
        fuzz_take(input, &report->findings[slot], sizeof report->findings[slot]);
    }
    fuzz_take(input, &report->counter_count, sizeof report->counter_count);
    for (int i = fuzz_byte(input) % 4; i > 0; i--) {
        size_t slot = fuzz_byte(input) % WG_REPORT_MAX_COUNTERS;
        fuzz_take(input, &report->counters[slot], sizeof report->counters[slot]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    struct fuzz_input input = {bytes, len};
    bool early_exit_is_error = fuzz_byte(&input) % 2 == 0;
    const struct wg_manifest manifest = {.memory_bytes = 1 << 20, .output_bytes = 1 << 10};
    struct wg_report *shared = calloc(1, sizeof *shared);
    struct wg_report *before = calloc(1, sizeof *before);
    struct wg_result *result = wg_result_new();
    struct wg_found_list found = {0};
    struct wg_watch watch;
    struct wg_evidence evidence;
    if (shared == NULL || before == NULL) {
        abort();
    }
    wg_watch_start(&watch);
    for (int call = 0; call < 2; call++) {
        change(shared, &input);
        *before = *watch.copy;
        wg_watch_update(&watch, shared, early_exit_is_error, call, &found, &evidence);
        struct wg_outcome outcome = {0};
        const struct wg_jail_result end = {.end = (enum wg_jail_end)(fuzz_byte(&input) % 7),
                                           .signal = fuzz_byte(&input),
                                           .exit_status = fuzz_byte(&input)};
        wg_outcome_add_death(&outcome, &manifest, (enum wg_answer)(fuzz_byte(&input) % 4), &end,
                             &evidence, call == 0);
        wg_outcome_done(&outcome);
    }
    wg_counters_to_result(before, watch.copy, "student", 0, result);
    wg_found_list_to_result(&found, early_exit_is_error, result);
    print(result);
    wg_result_free(result);
    wg_watch_done(&watch);
    wg_found_list_done(&found);
    free(before);
    free(shared);
    return 0;
}
