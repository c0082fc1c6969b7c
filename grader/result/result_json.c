/* The result as JSON, wavegrade/result/v1 (result.schema.json). The only door to cJSON on the way
 * out.
 *
 * Three rules make the text safe to read by anyone and stable from run to run: every string is made
 * valid UTF-8 first; integers are written with all their digits (cJSON keeps numbers as doubles),
 * and 64-bit seeds as strings, since most readers keep doubles too; a number that JSON cannot say
 * becomes null, with its name in a field NAME_text where it can be part of an answer. Every field
 * is always there, null when it is not known, in the order of this file; the graded source alone is
 * there only when it was asked for. */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/text.h"
#include "grader/result/result.h"

/* cJSON reports exhausted memory by returning NULL from any call; as in wg_buf, nothing sensible
 * can follow. */
static cJSON *sure(cJSON *item) {
    if (!item) {
        abort();
    }
    return item;
}

static cJSON *add_object(cJSON *parent, const char *name) {
    return sure(cJSON_AddObjectToObject(parent, name));
}

static cJSON *add_array(cJSON *parent, const char *name) {
    return sure(cJSON_AddArrayToObject(parent, name));
}

static cJSON *append_object(cJSON *array) {
    cJSON *object = sure(cJSON_CreateObject());
    cJSON_AddItemToArray(array, object);
    return object;
}

static void add_null(cJSON *object, const char *name) {
    sure(cJSON_AddNullToObject(object, name));
}

static void add_bool(cJSON *object, const char *name, bool value) {
    sure(cJSON_AddBoolToObject(object, name, value));
}

static void add_string(cJSON *object, const char *name, const char *text) {
    if (!text) {
        add_null(object, name);
        return;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    wg_text_utf8(&clean, text, strlen(text));
    sure(cJSON_AddStringToObject(object, name, wg_buf_str(&clean)));
}

/* Fixed-size fields are "" when not known. */
static void add_string_or_null(cJSON *object, const char *name, const char *text) {
    add_string(object, name, text && *text ? text : NULL);
}

static void add_int(cJSON *object, const char *name, int64_t value) {
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    sure(cJSON_AddRawToObject(object, name, digits));
}

static void add_uint(cJSON *object, const char *name, uint64_t value) {
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    sure(cJSON_AddRawToObject(object, name, digits));
}

static void add_seed(cJSON *object, uint64_t seed) {
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, seed);
    sure(cJSON_AddStringToObject(object, "seed", digits));
}

static void add_int_or_null(cJSON *object, const char *name, bool known, int64_t value) {
    if (known) {
        add_int(object, name, value);
    } else {
        add_null(object, name);
    }
}

static void add_number(cJSON *object, const char *name, double value) {
    if (isfinite(value)) {
        sure(cJSON_AddNumberToObject(object, name, value));
    } else {
        add_null(object, name);
    }
}

/* Null for what was not measured. */
static void add_positive(cJSON *object, const char *name, double value) {
    add_number(object, name, value > 0 ? value : NAN);
}

/* For values that are part of an answer: says which non-number it was. */
static void add_answer(cJSON *object, const char *name, double value) {
    add_number(object, name, value);
    if (!isfinite(value)) {
        char text_name[64];
        snprintf(text_name, sizeof text_name, "%s_text", name);
        add_string(object, text_name, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    }
}

static void add_time(cJSON *object, const char *name, int64_t unix_s) {
    char text[32] = "";
    if (unix_s > 0) {
        wg_clock_format_utc(unix_s, text);
    }
    add_string_or_null(object, name, text);
}

static void add_dims(cJSON *object, char *const names[], const int64_t values[], size_t count) {
    cJSON *dims = add_object(object, "dims");
    for (size_t i = 0; i < count; i++) {
        if (names[i]) {
            add_int(dims, names[i], values[i]);
        }
    }
}

static void add_triple(cJSON *object, const char *name, bool known, const uint32_t values[3]) {
    if (!known) {
        add_null(object, name);
        return;
    }
    cJSON *array = add_array(object, name);
    for (int i = 0; i < 3; i++) {
        cJSON_AddItemToArray(array, sure(cJSON_CreateNumber(values[i])));
    }
}

static void add_place(cJSON *object, const struct wg_result_place *place) {
    add_string(object, "file", place->file);
    add_int_or_null(object, "line", place->line > 0, place->line);
    add_int_or_null(object, "column", place->column > 0, place->column);
    add_string(object, "function", place->function);
    add_triple(object, "block", place->has_thread, place->block);
    add_triple(object, "thread", place->has_thread, place->thread);
}

static void add_finding(cJSON *array, const struct wg_result_finding *finding) {
    cJSON *object = append_object(array);
    add_string(object, "kind", finding->kind);
    add_string(object, "detail", finding->detail);
    add_string(object, "severity", finding->severity);
    add_place(object, &finding->at);
    add_string(object, "kernel", finding->kernel);
    add_string(object, "buffer", finding->object);
    add_int_or_null(object, "element", finding->has_element, finding->element);
    add_int_or_null(object, "element_count", finding->element_count > 0,
                    (int64_t)finding->element_count);
    add_string(object, "access", finding->access);
    if (finding->other.line > 0) {
        cJSON *other = add_object(object, "other");
        add_place(other, &finding->other);
        add_string(other, "access", finding->other_access);
    } else {
        add_null(object, "other");
    }
    add_uint(object, "occurrences", finding->occurrences);
    add_int_or_null(object, "case", finding->case_index >= 0, finding->case_index);
    add_string(object, "text", finding->text);
}

static void add_case(cJSON *array, const struct wg_result_case *one) {
    cJSON *object = append_object(array);
    add_dims(object, one->dim_names, one->dims, one->dim_count);
    add_seed(object, one->seed);
    add_string(object, "verdict", wg_verdict_name(one->verdict));
    add_bool(object, "ran", !one->not_run);
    add_string(object, "sentence", one->sentence);
    add_string(object, "pattern", one->pattern);
    add_string(object, "output", one->output);
    add_uint(object, "wrong_count", one->wrong_count);
    add_uint(object, "element_count", one->element_count);
    if (one->has_first_wrong) {
        cJSON *first = add_object(object, "first_wrong");
        add_uint(first, "index", one->first_wrong_index);
        add_int_or_null(first, "row", one->first_wrong_row >= 0, one->first_wrong_row);
        add_int_or_null(first, "column", one->first_wrong_column >= 0, one->first_wrong_column);
        add_answer(first, "expected", one->expected);
        add_answer(first, "got", one->got);
    } else {
        add_null(object, "first_wrong");
    }
    add_answer(object, "error_in_bounds", one->error_in_bounds);
    add_answer(object, "rms_error_in_limit", one->rms_error_in_limit);
    add_number(object, "wall_ms", (double)one->wall_ns / 1e6);
}

static void add_statistics(cJSON *object, const char *name, const struct wg_result_statistics *of) {
    cJSON *out = add_object(object, name);
    add_int(out, "warmup_count", of->warmups);
    add_int(out, "repeat_count", of->repeats);
    add_positive(out, "median_ms", of->median_ms);
    add_positive(out, "mean_ms", of->mean_ms);
    add_positive(out, "min_ms", of->min_ms);
    add_number(out, "stddev_ms", of->stddev_ms);
    cJSON *samples = add_array(out, "samples_ms");
    for (size_t i = 0; i < of->sample_count; i++) {
        double sample = of->samples_ms[i];
        cJSON_AddItemToArray(
            samples, sure(isfinite(sample) ? cJSON_CreateNumber(sample) : cJSON_CreateNull()));
    }
}

static void add_timing(cJSON *array, const struct wg_result_timing *timing) {
    cJSON *object = append_object(array);
    add_dims(object, timing->dim_names, timing->dims, timing->dim_count);
    add_bool(object, "emulated", timing->emulated);
    add_bool(object, "scored", timing->scored);
    add_bool(object, "suspect", timing->suspect);
    add_string(object, "note", timing->note);
    add_statistics(object, "student", &timing->student);
    add_statistics(object, "baseline", &timing->baseline);
    cJSON *speedup = add_object(object, "speedup");
    add_positive(speedup, "ratio", timing->speedup);
    add_positive(speedup, "low_95", timing->speedup_low);
    add_positive(speedup, "high_95", timing->speedup_high);
    add_string(speedup, "method", timing->interval_method);
    add_positive(object, "bandwidth_median_gb_s", timing->bandwidth_median_gb_s);
    add_positive(object, "bandwidth_max_gb_s", timing->bandwidth_max_gb_s);
    add_positive(object, "gflops_median", timing->gflops_median);
    add_positive(object, "gflops_max", timing->gflops_max);
    add_positive(object, "launch_floor_ms", timing->floor_ms);
    add_positive(object, "copy_gb_s", timing->copy_gb_s);
    add_positive(object, "blas_gflops", timing->blas_gflops);
    add_string(object, "blas", timing->blas);
    add_positive(object, "ceiling_ms", timing->ceiling_ms);
    add_positive(object, "ceiling_share", timing->ceiling_share);
    add_positive(object, "tuned_share", timing->tuned_share);
    add_string(object, "stopped_by", timing->stop);
    add_number(object, "baseline_drift", timing->drift);
    add_int(object, "checked_calls", timing->checked_calls);
}

static void add_counters(cJSON *array, const struct wg_result_counters *counters) {
    cJSON *object = append_object(array);
    add_string(object, "subject", counters->subject);
    add_string(object, "kernel", counters->kernel);
    add_string(object, "file", counters->file);
    add_int_or_null(object, "line", counters->line > 0, counters->line);
    add_int_or_null(object, "case", counters->case_index >= 0, counters->case_index);
    add_uint(object, "launches", counters->launches);
    add_uint(object, "threads", counters->threads);
    add_uint(object, "global_loads", counters->global_loads);
    add_uint(object, "global_stores", counters->global_stores);
    add_uint(object, "global_atomics", counters->global_atomics);
    add_uint(object, "global_load_bytes", counters->global_load_bytes);
    add_uint(object, "global_store_bytes", counters->global_store_bytes);
    add_uint(object, "global_load_segments", counters->global_load_segments);
    add_uint(object, "global_store_segments", counters->global_store_segments);
    add_uint(object, "shared_loads", counters->shared_loads);
    add_uint(object, "shared_stores", counters->shared_stores);
    add_uint(object, "shared_bank_conflicts", counters->shared_bank_conflicts);
    add_uint(object, "barriers", counters->barriers);
}

static void add_count(cJSON *object, const char *name, int64_t value) {
    add_int_or_null(object, name, value >= 0, value);
}

static void add_resources(cJSON *array, const struct wg_result_resources *of) {
    cJSON *object = append_object(array);
    add_string(object, "platform", of->platform);
    add_string(object, "arch", of->arch);
    add_string(object, "kernel", of->kernel);
    add_string(object, "file", of->file);
    add_int_or_null(object, "line", of->line > 0, of->line);
    add_count(object, "wave_threads", of->wave_threads);
    add_count(object, "registers", of->registers);
    add_count(object, "accumulation_registers", of->accumulation_registers);
    add_count(object, "scalar_registers", of->scalar_registers);
    add_count(object, "spilled_registers", of->spilled_registers);
    add_count(object, "spilled_scalar_registers", of->spilled_scalar_registers);
    add_count(object, "spilled_bytes", of->spilled_bytes);
    add_count(object, "scratch_bytes", of->scratch_bytes);
    add_count(object, "shared_bytes", of->shared_bytes);
    add_count(object, "block_threads_limit", of->block_threads_limit);
    cJSON *occupancy = add_object(object, "occupancy");
    add_count(occupancy, "block_threads", of->block_threads);
    add_count(occupancy, "waves", of->occupancy_waves);
    add_count(occupancy, "waves_limit", of->occupancy_waves_limit);
    add_string(occupancy, "unit", of->occupancy_unit);
    add_string(occupancy, "limited_by", of->limited_by);
    add_string(object, "words", of->words);
}

static void add_score(cJSON *root, const struct wg_result *result) {
    cJSON *score = add_object(root, "score");
    bool scored = result->max_points > 0;
    add_number(score, "total", scored ? result->points : NAN);
    add_number(score, "maximum", scored ? result->max_points : NAN);
    add_number(score, "assignment_maximum", result->total_points);
    add_bool(score, "complete", result->score_complete);
    cJSON *lines = add_array(score, "lines");
    for (size_t i = 0; i < result->rubric_count; i++) {
        const struct wg_result_rubric *line = &result->rubric[i];
        cJSON *object = append_object(lines);
        add_string(object, "id", line->id);
        add_string(object, "title", line->title);
        add_number(object, "points", line->measured ? line->points : NAN);
        add_number(object, "maximum", line->max_points);
        add_bool(object, "measured", line->measured);
        add_string(object, "note", line->note);
    }
}

static void add_facts(cJSON *root, const struct wg_result *result, bool with_source) {
    cJSON *submission = add_object(root, "submission");
    add_string(submission, "repository", result->submission.repository);
    add_string(submission, "ref", result->submission.ref);
    add_string_or_null(submission, "commit", result->submission.commit);
    add_string_or_null(submission, "tree", result->submission.tree);
    add_time(submission, "commit_time", result->submission.commit_time_s);
    add_string(submission, "path", result->submission.path);
    add_string(submission, "file", result->submission.file);
    add_bool(submission, "is_folder", result->submission.is_folder);
    add_string_or_null(submission, "source_sha256", result->submission.source_sha256);
    if (with_source) {
        add_string(submission, "source", result->submission.source);
    }

    cJSON *assignment = add_object(root, "assignment");
    add_string(assignment, "id", result->assignment.id);
    add_string(assignment, "title", result->assignment.title);
    add_int_or_null(assignment, "version", result->assignment.id != NULL,
                    result->assignment.version);
    add_string_or_null(assignment, "digest", result->assignment.digest);

    cJSON *environment = add_object(root, "environment");
    add_string(environment, "platform", result->environment.platform);
    add_string(environment, "device", result->environment.device);
    add_string(environment, "arch", result->environment.arch);
    add_int_or_null(environment, "warp_size", result->environment.warp_size > 0,
                    result->environment.warp_size);
    add_string(environment, "driver_version", result->environment.driver_version);
    add_string(environment, "runtime_version", result->environment.runtime_version);
    add_string(environment, "compiler_version", result->environment.compiler_version);
    add_string(environment, "cpu", result->environment.cpu);
    add_string(environment, "os", result->environment.os);
    add_string(environment, "isolation", result->environment.isolation);
    add_string(environment, "wavegrade_version", result->environment.wavegrade_version);
    add_time(environment, "date", result->environment.date_s);
}

static void add_build(cJSON *root, const struct wg_result *result) {
    if (!result->build.reached) {
        add_null(root, "build");
        return;
    }
    cJSON *build = add_object(root, "build");
    add_bool(build, "ok", result->build.ok);
    add_string(build, "command", result->build.command);
    add_string(build, "entry_kind", result->build.entry_kind);
    add_string(build, "entry_name", result->build.entry_name);
    add_number(build, "wall_ms", result->build.wall_ms);
    cJSON *diagnostics = add_array(build, "diagnostics");
    for (size_t i = 0; i < result->build.diagnostic_count; i++) {
        const struct wg_result_diagnostic *diagnostic = &result->build.diagnostics[i];
        cJSON *object = append_object(diagnostics);
        add_string(object, "file", diagnostic->file);
        add_int_or_null(object, "line", diagnostic->line > 0, diagnostic->line);
        add_int_or_null(object, "column", diagnostic->column > 0, diagnostic->column);
        add_string(object, "severity", diagnostic->severity);
        add_string(object, "message", diagnostic->message);
    }
    add_string(build, "log", result->build.log);
}

static void add_correctness(cJSON *root, const struct wg_result *result) {
    cJSON *correctness = add_object(root, "correctness");
    size_t passed = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        passed += result->cases[i].verdict == WG_VERDICT_PASS;
    }
    add_uint(correctness, "passed_count", passed);
    add_uint(correctness, "case_count", result->case_count);
    cJSON *cases = add_array(correctness, "cases");
    for (size_t i = 0; i < result->case_count; i++) {
        add_case(cases, &result->cases[i]);
    }
}

static void add_measurements(cJSON *root, const struct wg_result *result) {
    cJSON *resources = add_array(root, "resources");
    for (size_t i = 0; i < result->resource_count; i++) {
        add_resources(resources, &result->resources[i]);
    }
    cJSON *timings = add_array(root, "timing");
    for (size_t i = 0; i < result->timing_count; i++) {
        add_timing(timings, &result->timings[i]);
    }
    cJSON *counters = add_array(root, "counters");
    for (size_t i = 0; i < result->counter_count; i++) {
        add_counters(counters, &result->counters[i]);
    }
    add_string(root, "output", result->output);
    cJSON *stages = add_array(root, "stages");
    for (size_t i = 0; i < result->stage_count; i++) {
        cJSON *object = append_object(stages);
        add_string(object, "name", result->stages[i].name);
        add_number(object, "wall_ms", result->stages[i].wall_ms);
    }
}

static void write_json(const struct wg_result *result, bool with_source, struct wg_buf *out) {
    cJSON *root = sure(cJSON_CreateObject());
    add_string(root, "schema", WG_RESULT_SCHEMA);
    add_string(root, "verdict", wg_verdict_name(result->verdict));
    add_string(root, "sentence", result->sentence);
    add_seed(root, result->seed);
    add_score(root, result);
    cJSON *findings = add_array(root, "findings");
    for (size_t i = 0; i < result->finding_count; i++) {
        add_finding(findings, &result->findings[i]);
    }
    add_uint(root, "findings_dropped", result->findings_dropped);
    add_facts(root, result, with_source);
    add_build(root, result);
    add_correctness(root, result);
    add_measurements(root, result);

    char *text = cJSON_Print(root);
    if (!text) {
        abort();
    }
    wg_buf_puts(out, text);
    wg_buf_puts(out, "\n");
    free(text);
    cJSON_Delete(root);
}

void wg_result_to_json(const struct wg_result *result, struct wg_buf *out) {
    write_json(result, false, out);
}

void wg_result_to_json_with_source(const struct wg_result *result, struct wg_buf *out) {
    write_json(result, true, out);
}
