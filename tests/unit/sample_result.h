/* A result with something in every part, for the tests of its writers. */
#ifndef WG_SAMPLE_RESULT_H
#define WG_SAMPLE_RESULT_H

#include <stdlib.h>
#include <string.h>

#include "grader/result/result.h"

static const char sample_source[] = "#include <hip/hip_runtime.h>\n"
                                    "\n"
                                    "__global__ void add(const float* a, float* c, int n) {\n"
                                    "\tint i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "\tc[i] = a[i];\n"
                                    "}\n";

static inline void sample_finding_out_of_bounds(struct wg_result *result) {
    struct wg_result_finding *finding = wg_result_add_finding(result);
    finding->kind = wg_strdup("OUT_OF_BOUNDS");
    finding->severity = wg_strdup("error");
    finding->at = (struct wg_result_place){.file = wg_strdup("vector_add.hip"),
                                           .line = 5,
                                           .column = 2,
                                           .function = wg_strdup("add"),
                                           .has_thread = true,
                                           .block = {3, 0, 0},
                                           .thread = {232, 0, 0}};
    finding->kernel = wg_strdup("add");
    finding->object = wg_strdup("c");
    finding->has_element = true;
    finding->element = 1000;
    finding->element_count = 1000;
    finding->access = wg_strdup("write");
    finding->occurrences = 24;
    finding->case_index = 0;
    finding->text = wg_strdup("c[1000] is one past the end of c. Test i < n first.");
}

static inline void sample_finding_race(struct wg_result *result) {
    struct wg_result_finding *finding = wg_result_add_finding(result);
    finding->kind = wg_strdup("DATA_RACE");
    finding->severity = wg_strdup("warning");
    finding->at = (struct wg_result_place){.file = wg_strdup("helper.h"), .line = 7};
    finding->other = (struct wg_result_place){.file = wg_strdup("helper.h"), .line = 12};
    finding->other_access = wg_strdup("write");
    finding->occurrences = 1;
    finding->text = wg_strdup("Two threads meet.");
}

static inline void sample_cases(struct wg_result *result) {
    struct wg_result_case *wrong = wg_result_add_case(result);
    wrong->dim_names[0] = wg_strdup("n");
    wrong->dims[0] = 1000;
    wrong->dim_count = 1;
    wrong->seed = 7;
    wrong->verdict = WG_VERDICT_OUT_OF_BOUNDS;
    wrong->sentence = wg_strdup("The kernel leaves its buffers.");
    wrong->output = wg_strdup("c");
    wrong->wrong_count = 24;
    wrong->element_count = 1000;
    wrong->has_first_wrong = true;
    wrong->first_wrong_index = 976;
    wrong->expected = 1.25;
    wrong->got = -3;
    wrong->wrong_map = wg_strdup("000\n039");
    wrong->wrong_map_tile_rows = 1;
    wrong->wrong_map_tile_columns = 2;
    wrong->wall_ns = 1500000;
    struct wg_result_case *right = wg_result_add_case(result);
    right->dim_names[0] = wg_strdup("n");
    right->dims[0] = 1024;
    right->dim_count = 1;
}

static inline void sample_measurements(struct wg_result *result) {
    struct wg_result_timing *timing = wg_result_add_timing(result);
    timing->dim_names[0] = wg_strdup("n");
    timing->dims[0] = 1048576;
    timing->dim_count = 1;
    timing->emulated = true;
    timing->student = (struct wg_result_statistics){
        .warmups = 5, .repeats = 2, .median_ms = 1.25, .mean_ms = 1.25, .min_ms = 1};
    timing->student.samples_ms = wg_calloc(2, sizeof(double));
    timing->student.samples_ms[0] = 1;
    timing->student.samples_ms[1] = 1.5;
    timing->student.sample_count = 2;
    timing->baseline.median_ms = 2.5;
    timing->speedup = 2;
    timing->bandwidth_median_gb_s = 10;
    const char *const subjects[] = {"student", "naive", "tuned"};
    for (size_t i = 0; i < 3; i++) {
        struct wg_result_counters *counters = wg_result_add_counters(result);
        counters->subject = wg_strdup(subjects[i]);
        counters->kernel = wg_strdup("add");
        counters->file = wg_strdup("vector_add.hip");
        counters->global_load_bytes = i == 0 ? 8000 : i == 1 ? 16000 : 4000;
        counters->global_load_segments = 64;
    }
}

static inline void sample_resources(struct wg_result *result) {
    struct wg_result_resources *resources = wg_result_add_resources(result);
    *resources = (struct wg_result_resources){.platform = wg_strdup("amd"),
                                              .arch = wg_strdup("gfx90a"),
                                              .kernel = wg_strdup("add"),
                                              .file = wg_strdup("vector_add.hip"),
                                              .line = 3,
                                              .wave_threads = 64,
                                              .registers = 36,
                                              .accumulation_registers = 0,
                                              .scalar_registers = 14,
                                              .spilled_registers = 0,
                                              .spilled_scalar_registers = 0,
                                              .spilled_bytes = -1,
                                              .shared_bytes = 2048,
                                              .block_threads_limit = 1024,
                                              .block_threads = 256,
                                              .occupancy_waves = 8,
                                              .occupancy_waves_limit = 8,
                                              .occupancy_unit = wg_strdup("SIMD"),
                                              .words = wg_strdup("36 VGPRs, no spills")};
}

static inline struct wg_result *sample_result(void) {
    struct wg_result *result = wg_result_new();
    result->verdict = WG_VERDICT_OUT_OF_BOUNDS;
    result->sentence = wg_strdup("vector_add.hip:5: c[1000] is one past the end of c.");
    result->submission.repository = wg_strdup("https://git.example.invalid/student/lab1");
    result->submission.commit = wg_strdup("0123456789abcdef0123456789abcdef01234567");
    result->submission.ref = wg_strdup("main");
    result->submission.commit_time_s = 1700000000;
    result->submission.file = wg_strdup("vector_add.hip");
    result->submission.path = wg_strdup("vector_add.hip");
    result->submission.source = wg_strdup(sample_source);
    result->assignment.id = wg_strdup("vector_add");
    result->assignment.version = 1;
    result->environment.platform = wg_strdup("cpu");
    result->build.reached = true;
    result->build.ok = true;
    result->build.entry_kind = wg_strdup("launcher");
    struct wg_result_diagnostic *diagnostic = wg_result_add_diagnostic(result);
    diagnostic->file = wg_strdup("vector_add.hip");
    diagnostic->line = 4;
    diagnostic->column = 6;
    diagnostic->severity = wg_strdup("warning");
    diagnostic->message = wg_strdup("unused");
    sample_finding_out_of_bounds(result);
    sample_finding_race(result);
    sample_cases(result);
    sample_measurements(result);
    sample_resources(result);
    struct wg_result_rubric *line = wg_result_add_rubric(result);
    line->id = wg_strdup("correctness");
    line->title = wg_strdup("Right at every size");
    line->points = 25;
    line->max_points = 50;
    line->measured = true;
    line = wg_result_add_rubric(result);
    line->id = wg_strdup("speed");
    line->title = wg_strdup("Speed");
    line->max_points = 20;
    line->note = wg_strdup("not measured here: needs a GPU");
    result->points = 25;
    result->max_points = 50;
    result->total_points = 70;
    wg_result_add_stage(result, "fetch", 2000000);
    return result;
}

#endif
