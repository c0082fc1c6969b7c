/* The result as JSON, wavegrade/result/v1 (result.schema.json).
 *
 * Three rules make the text safe to read by anyone and stable from run to run: every string is made
 * valid UTF-8 first; integers are written with all their digits (cJSON keeps numbers as doubles),
 * and 64-bit seeds as strings, since most readers keep doubles too; a number that JSON cannot say
 * becomes null, with its name in a field NAME_text where it can be part of an answer. Every field
 * is always there, null when it is not known, in the order of this file; the graded source alone is
 * there only when it was asked for. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/result/json_write.h"
#include "grader/result/result.h"

/* Fixed-size fields are "" when not known. */
static void add_string_or_null(struct cJSON *object, const char *name, const char *text) {
    wg_json_add_string(object, name, text && *text ? text : NULL);
}

static void add_seed(struct cJSON *object, uint64_t seed) {
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRIu64, seed);
    wg_json_add_string(object, "seed", digits);
}

static void add_int_or_null(struct cJSON *object, const char *name, bool known, int64_t value) {
    if (known) {
        wg_json_add_int(object, name, value);
    } else {
        wg_json_add_null(object, name);
    }
}

/* Null for what was not measured. */
static void add_positive(struct cJSON *object, const char *name, double value) {
    wg_json_add_number(object, name, value > 0 ? value : NAN);
}

/* For values that are part of an answer: says which non-number it was. */
static void add_answer(struct cJSON *object, const char *name, double value) {
    wg_json_add_number(object, name, value);
    if (!isfinite(value)) {
        char text_name[64];
        snprintf(text_name, sizeof text_name, "%s_text", name);
        wg_json_add_string(object, text_name, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    }
}

static void add_time(struct cJSON *object, const char *name, int64_t unix_s) {
    char text[32] = "";
    if (unix_s > 0) {
        wg_clock_format_utc(unix_s, text);
    }
    add_string_or_null(object, name, text);
}

static void add_dims(struct cJSON *object, char *const names[], const int64_t values[],
                     size_t count) {
    struct cJSON *dims = wg_json_add_object(object, "dims");
    for (size_t i = 0; i < count; i++) {
        if (names[i]) {
            wg_json_add_int(dims, names[i], values[i]);
        }
    }
}

static void add_triple(struct cJSON *object, const char *name, bool known,
                       const uint32_t values[3]) {
    if (!known) {
        wg_json_add_null(object, name);
        return;
    }
    struct cJSON *array = wg_json_add_array(object, name);
    for (int i = 0; i < 3; i++) {
        wg_json_append_number(array, values[i]);
    }
}

static void add_place(struct cJSON *object, const struct wg_result_place *place) {
    wg_json_add_string(object, "file", place->file);
    add_int_or_null(object, "line", place->line > 0, place->line);
    add_int_or_null(object, "column", place->column > 0, place->column);
    wg_json_add_string(object, "function", place->function);
    add_triple(object, "block", place->has_thread, place->block);
    add_triple(object, "thread", place->has_thread, place->thread);
}

static void add_finding(struct cJSON *array, const struct wg_result_finding *finding) {
    struct cJSON *object = wg_json_append_object(array);
    wg_json_add_string(object, "kind", finding->kind);
    wg_json_add_string(object, "detail", finding->detail);
    wg_json_add_string(object, "severity", finding->severity);
    add_place(object, &finding->at);
    wg_json_add_string(object, "kernel", finding->kernel);
    wg_json_add_string(object, "buffer", finding->object);
    add_int_or_null(object, "element", finding->has_element, finding->element);
    add_int_or_null(object, "element_count", finding->element_count > 0,
                    (int64_t)finding->element_count);
    wg_json_add_string(object, "access", finding->access);
    if (finding->other.line > 0) {
        struct cJSON *other = wg_json_add_object(object, "other");
        add_place(other, &finding->other);
        wg_json_add_string(other, "access", finding->other_access);
    } else {
        wg_json_add_null(object, "other");
    }
    wg_json_add_uint(object, "occurrences", finding->occurrences);
    add_int_or_null(object, "case", finding->case_index >= 0, finding->case_index);
    wg_json_add_string(object, "text", finding->text);
}

/* Lines of digits, so that the picture can be seen in the JSON itself. */
static void add_wrong_map(struct cJSON *parent, const struct wg_result_case *one) {
    if (!one->wrong_map) {
        wg_json_add_null(parent, "wrong_map");
        return;
    }
    struct cJSON *map = wg_json_add_object(parent, "wrong_map");
    wg_json_add_uint(map, "tile_rows", one->wrong_map_tile_rows);
    wg_json_add_uint(map, "tile_columns", one->wrong_map_tile_columns);
    struct cJSON *rows = wg_json_add_array(map, "rows");
    for (const char *at = one->wrong_map; *at;) {
        size_t len = strcspn(at, "\n");
        WG_CLEANUP(wg_freep) char *row = wg_strf("%.*s", (int)len, at);
        wg_json_append_string(rows, row);
        at += len + (at[len] == '\n');
    }
}

static void add_case(struct cJSON *array, const struct wg_result_case *one) {
    struct cJSON *object = wg_json_append_object(array);
    add_dims(object, one->dim_names, one->dims, one->dim_count);
    add_seed(object, one->seed);
    wg_json_add_string(object, "verdict", wg_verdict_name(one->verdict));
    wg_json_add_bool(object, "ran", !one->not_run);
    wg_json_add_string(object, "sentence", one->sentence);
    wg_json_add_string(object, "pattern", one->pattern);
    wg_json_add_string(object, "output", one->output);
    wg_json_add_uint(object, "wrong_count", one->wrong_count);
    wg_json_add_uint(object, "element_count", one->element_count);
    if (one->has_first_wrong) {
        struct cJSON *first = wg_json_add_object(object, "first_wrong");
        wg_json_add_uint(first, "index", one->first_wrong_index);
        add_int_or_null(first, "row", one->first_wrong_row >= 0, one->first_wrong_row);
        add_int_or_null(first, "column", one->first_wrong_column >= 0, one->first_wrong_column);
        add_answer(first, "expected", one->expected);
        add_answer(first, "got", one->got);
    } else {
        wg_json_add_null(object, "first_wrong");
    }
    add_wrong_map(object, one);
    add_answer(object, "error_in_bounds", one->error_in_bounds);
    add_answer(object, "rms_error_in_limit", one->rms_error_in_limit);
    wg_json_add_number(object, "wall_ms", (double)one->wall_ns / 1e6);
}

static void add_statistics(struct cJSON *object, const char *name,
                           const struct wg_result_statistics *of) {
    struct cJSON *out = wg_json_add_object(object, name);
    wg_json_add_int(out, "warmup_count", of->warmups);
    wg_json_add_int(out, "repeat_count", of->repeats);
    add_positive(out, "median_ms", of->median_ms);
    add_positive(out, "mean_ms", of->mean_ms);
    add_positive(out, "min_ms", of->min_ms);
    wg_json_add_number(out, "stddev_ms", of->stddev_ms);
    struct cJSON *samples = wg_json_add_array(out, "samples_ms");
    for (size_t i = 0; i < of->sample_count; i++) {
        wg_json_append_number(samples, of->samples_ms[i]);
    }
}

static void add_timing(struct cJSON *array, const struct wg_result_timing *timing) {
    struct cJSON *object = wg_json_append_object(array);
    add_dims(object, timing->dim_names, timing->dims, timing->dim_count);
    wg_json_add_bool(object, "emulated", timing->emulated);
    wg_json_add_bool(object, "scored", timing->scored);
    wg_json_add_bool(object, "suspect", timing->suspect);
    wg_json_add_string(object, "note", timing->note);
    add_statistics(object, "student", &timing->student);
    add_statistics(object, "baseline", &timing->baseline);
    struct cJSON *speedup = wg_json_add_object(object, "speedup");
    add_positive(speedup, "ratio", timing->speedup);
    add_positive(speedup, "low_95", timing->speedup_low);
    add_positive(speedup, "high_95", timing->speedup_high);
    wg_json_add_string(speedup, "method", timing->interval_method);
    add_positive(object, "bandwidth_median_gb_s", timing->bandwidth_median_gb_s);
    add_positive(object, "bandwidth_max_gb_s", timing->bandwidth_max_gb_s);
    add_positive(object, "gflops_median", timing->gflops_median);
    add_positive(object, "gflops_max", timing->gflops_max);
    add_positive(object, "launch_floor_ms", timing->floor_ms);
    add_positive(object, "copy_gb_s", timing->copy_gb_s);
    add_positive(object, "blas_gflops", timing->blas_gflops);
    wg_json_add_string(object, "blas", timing->blas);
    add_positive(object, "ceiling_ms", timing->ceiling_ms);
    add_positive(object, "ceiling_share", timing->ceiling_share);
    add_positive(object, "tuned_share", timing->tuned_share);
    wg_json_add_string(object, "stopped_by", timing->stop);
    wg_json_add_number(object, "baseline_drift", timing->drift);
    wg_json_add_int(object, "checked_calls", timing->checked_calls);
}

static void add_counters(struct cJSON *array, const struct wg_result_counters *counters) {
    struct cJSON *object = wg_json_append_object(array);
    wg_json_add_string(object, "subject", counters->subject);
    wg_json_add_string(object, "kernel", counters->kernel);
    wg_json_add_string(object, "file", counters->file);
    add_int_or_null(object, "line", counters->line > 0, counters->line);
    add_int_or_null(object, "case", counters->case_index >= 0, counters->case_index);
    wg_json_add_uint(object, "launches", counters->launches);
    wg_json_add_uint(object, "threads", counters->threads);
    wg_json_add_uint(object, "global_loads", counters->global_loads);
    wg_json_add_uint(object, "global_stores", counters->global_stores);
    wg_json_add_uint(object, "global_atomics", counters->global_atomics);
    wg_json_add_uint(object, "global_load_bytes", counters->global_load_bytes);
    wg_json_add_uint(object, "global_store_bytes", counters->global_store_bytes);
    wg_json_add_uint(object, "global_load_segments", counters->global_load_segments);
    wg_json_add_uint(object, "global_store_segments", counters->global_store_segments);
    wg_json_add_uint(object, "shared_loads", counters->shared_loads);
    wg_json_add_uint(object, "shared_stores", counters->shared_stores);
    wg_json_add_uint(object, "shared_bank_conflicts", counters->shared_bank_conflicts);
    wg_json_add_uint(object, "barriers", counters->barriers);
}

static void add_count(struct cJSON *object, const char *name, int64_t value) {
    add_int_or_null(object, name, value >= 0, value);
}

static void add_resources(struct cJSON *array, const struct wg_result_resources *of) {
    struct cJSON *object = wg_json_append_object(array);
    wg_json_add_string(object, "platform", of->platform);
    wg_json_add_string(object, "arch", of->arch);
    wg_json_add_string(object, "kernel", of->kernel);
    wg_json_add_string(object, "file", of->file);
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
    struct cJSON *occupancy = wg_json_add_object(object, "occupancy");
    add_count(occupancy, "block_threads", of->block_threads);
    add_count(occupancy, "waves", of->occupancy_waves);
    add_count(occupancy, "waves_limit", of->occupancy_waves_limit);
    wg_json_add_string(occupancy, "unit", of->occupancy_unit);
    wg_json_add_string(occupancy, "limited_by", of->limited_by);
    wg_json_add_string(object, "words", of->words);
}

static void add_score(struct cJSON *root, const struct wg_result *result) {
    struct cJSON *score = wg_json_add_object(root, "score");
    bool scored = result->max_points > 0;
    wg_json_add_number(score, "total", scored ? result->points : NAN);
    wg_json_add_number(score, "maximum", scored ? result->max_points : NAN);
    wg_json_add_number(score, "assignment_maximum", result->total_points);
    wg_json_add_bool(score, "complete", result->score_complete);
    struct cJSON *lines = wg_json_add_array(score, "lines");
    for (size_t i = 0; i < result->rubric_count; i++) {
        const struct wg_result_rubric *line = &result->rubric[i];
        struct cJSON *object = wg_json_append_object(lines);
        wg_json_add_string(object, "id", line->id);
        wg_json_add_string(object, "title", line->title);
        wg_json_add_number(object, "points", line->measured ? line->points : NAN);
        wg_json_add_number(object, "maximum", line->max_points);
        wg_json_add_bool(object, "measured", line->measured);
        wg_json_add_string(object, "note", line->note);
    }
}

static void add_facts(struct cJSON *root, const struct wg_result *result, bool with_source) {
    struct cJSON *submission = wg_json_add_object(root, "submission");
    wg_json_add_string(submission, "repository", result->submission.repository);
    wg_json_add_string(submission, "ref", result->submission.ref);
    add_string_or_null(submission, "commit", result->submission.commit);
    add_string_or_null(submission, "tree", result->submission.tree);
    add_time(submission, "commit_time", result->submission.commit_time_s);
    wg_json_add_string(submission, "path", result->submission.path);
    wg_json_add_string(submission, "file", result->submission.file);
    wg_json_add_bool(submission, "is_folder", result->submission.is_folder);
    add_string_or_null(submission, "source_sha256", result->submission.source_sha256);
    if (with_source) {
        wg_json_add_string(submission, "source", result->submission.source);
    }

    struct cJSON *assignment = wg_json_add_object(root, "assignment");
    wg_json_add_string(assignment, "id", result->assignment.id);
    wg_json_add_string(assignment, "title", result->assignment.title);
    add_int_or_null(assignment, "version", result->assignment.id != NULL,
                    result->assignment.version);
    add_string_or_null(assignment, "digest", result->assignment.digest);

    struct cJSON *environment = wg_json_add_object(root, "environment");
    wg_json_add_string(environment, "platform", result->environment.platform);
    wg_json_add_string(environment, "device", result->environment.device);
    wg_json_add_string(environment, "arch", result->environment.arch);
    add_int_or_null(environment, "warp_size", result->environment.warp_size > 0,
                    result->environment.warp_size);
    wg_json_add_string(environment, "driver_version", result->environment.driver_version);
    wg_json_add_string(environment, "runtime_version", result->environment.runtime_version);
    wg_json_add_string(environment, "compiler_version", result->environment.compiler_version);
    wg_json_add_string(environment, "cpu", result->environment.cpu);
    wg_json_add_string(environment, "os", result->environment.os);
    wg_json_add_string(environment, "isolation", result->environment.isolation);
    wg_json_add_string(environment, "wavegrade_version", result->environment.wavegrade_version);
    add_time(environment, "date", result->environment.date_s);
}

static void add_build(struct cJSON *root, const struct wg_result *result) {
    if (!result->build.reached) {
        wg_json_add_null(root, "build");
        return;
    }
    struct cJSON *build = wg_json_add_object(root, "build");
    wg_json_add_bool(build, "ok", result->build.ok);
    wg_json_add_string(build, "command", result->build.command);
    wg_json_add_string(build, "entry_kind", result->build.entry_kind);
    wg_json_add_string(build, "entry_name", result->build.entry_name);
    wg_json_add_number(build, "wall_ms", result->build.wall_ms);
    struct cJSON *diagnostics = wg_json_add_array(build, "diagnostics");
    for (size_t i = 0; i < result->build.diagnostic_count; i++) {
        const struct wg_result_diagnostic *diagnostic = &result->build.diagnostics[i];
        struct cJSON *object = wg_json_append_object(diagnostics);
        wg_json_add_string(object, "file", diagnostic->file);
        add_int_or_null(object, "line", diagnostic->line > 0, diagnostic->line);
        add_int_or_null(object, "column", diagnostic->column > 0, diagnostic->column);
        wg_json_add_string(object, "severity", diagnostic->severity);
        wg_json_add_string(object, "message", diagnostic->message);
    }
    wg_json_add_string(build, "log", result->build.log);
}

static void add_correctness(struct cJSON *root, const struct wg_result *result) {
    struct cJSON *correctness = wg_json_add_object(root, "correctness");
    size_t passed = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        passed += result->cases[i].verdict == WG_VERDICT_PASS;
    }
    wg_json_add_uint(correctness, "passed_count", passed);
    wg_json_add_uint(correctness, "case_count", result->case_count);
    struct cJSON *cases = wg_json_add_array(correctness, "cases");
    for (size_t i = 0; i < result->case_count; i++) {
        add_case(cases, &result->cases[i]);
    }
}

static void add_measurements(struct cJSON *root, const struct wg_result *result) {
    struct cJSON *resources = wg_json_add_array(root, "resources");
    for (size_t i = 0; i < result->resource_count; i++) {
        add_resources(resources, &result->resources[i]);
    }
    struct cJSON *timings = wg_json_add_array(root, "timing");
    for (size_t i = 0; i < result->timing_count; i++) {
        add_timing(timings, &result->timings[i]);
    }
    struct cJSON *counters = wg_json_add_array(root, "counters");
    for (size_t i = 0; i < result->counter_count; i++) {
        add_counters(counters, &result->counters[i]);
    }
    wg_json_add_string(root, "output", result->output);
    wg_json_add_number(root, "cpu_ms", result->cpu_ms);
    struct cJSON *stages = wg_json_add_array(root, "stages");
    for (size_t i = 0; i < result->stage_count; i++) {
        struct cJSON *object = wg_json_append_object(stages);
        wg_json_add_string(object, "name", result->stages[i].name);
        wg_json_add_number(object, "wall_ms", result->stages[i].wall_ms);
    }
}

static void write_json(const struct wg_result *result, bool with_source, struct wg_buf *out) {
    struct cJSON *root = wg_json_new_object();
    wg_json_add_string(root, "schema", WG_RESULT_SCHEMA);
    wg_json_add_string(root, "verdict", wg_verdict_name(result->verdict));
    wg_json_add_string(root, "sentence", result->sentence);
    add_seed(root, result->seed);
    add_score(root, result);
    struct cJSON *findings = wg_json_add_array(root, "findings");
    for (size_t i = 0; i < result->finding_count; i++) {
        add_finding(findings, &result->findings[i]);
    }
    wg_json_add_uint(root, "findings_dropped", result->findings_dropped);
    add_facts(root, result, with_source);
    add_build(root, result);
    add_correctness(root, result);
    add_measurements(root, result);

    wg_json_print(root, true, out);
    wg_buf_puts(out, "\n");
}

void wg_result_to_json(const struct wg_result *result, struct wg_buf *out) {
    write_json(result, false, out);
}

void wg_result_to_json_with_source(const struct wg_result *result, struct wg_buf *out) {
    write_json(result, true, out);
}
