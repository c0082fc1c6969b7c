/* Reading wavegrade/result/v1 back: the other door to cJSON, for results that a store, a spool or
 * anybody's folder holds.
 *
 * Whoever wrote the file is not trusted: every value has a type, a range and a bound on its size,
 * and text is cleaned as if a student had written it. What is absent is taken as null, "not known",
 * so that results of earlier versions stay readable when a field is added; fields of later versions
 * are passed over. Only the schema's name and the verdict must be there.
 *
 * cJSON keeps numbers as doubles: counts
 * beyond 2^53 come back as the nearest double, seeds (strings) exactly. */
#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/result/result_read.h"

#define LOG_BYTES    ((size_t)1 << 20)
#define SOURCE_BYTES ((size_t)4 << 20) /* 1 MiB of source, each bad byte grown to three */
#define NAME_BYTES   ((size_t)64)
#define MAX_ITEMS    10000
#define MAX_SAMPLES  1000000
#define MAX_POINTS   1e9
#define MAX_DRIFT    1e300

static const char *const severities[] = {"error", "warning", "note", NULL};
static const char *const accesses[] = {"read", "write", "atomic", NULL};

static void read_place(struct wg_reader *reader, const cJSON *object, struct wg_result_place *out) {
    out->file = wg_read_text(reader, object, "file");
    out->line = wg_read_line(reader, object, "line");
    out->column = wg_read_line(reader, object, "column");
    out->function = wg_read_text(reader, object, "function");
    bool has_block = wg_read_triple(reader, object, "block", out->block);
    bool has_thread = wg_read_triple(reader, object, "thread", out->thread);
    if (has_block != has_thread) {
        wg_read_complain(reader, "block and thread come together");
    }
    out->has_thread = has_block && has_thread;
}

/* Index of a case, which must be there; -1 for none. */
static int case_of(struct wg_reader *reader, const cJSON *object, const struct wg_result *result) {
    int most = (int)result->case_count - 1;
    return wg_read_small(reader, object, "case", 0, most, -1);
}

static void read_finding(struct wg_reader *reader, const cJSON *object, struct wg_result *result) {
    struct wg_result_finding *out = wg_result_add_finding(result);
    out->kind = wg_read_text_up_to(reader, object, "kind", NAME_BYTES);
    if (!out->kind) {
        wg_read_complain(reader, "a finding without kind");
    }
    out->detail = wg_read_text(reader, object, "detail");
    out->severity = wg_read_word(reader, object, "severity", severities);
    read_place(reader, object, &out->at);
    out->kernel = wg_read_text(reader, object, "kernel");
    out->object = wg_read_text(reader, object, "buffer");
    out->has_element = wg_read_member(reader, object, "element") != NULL;
    out->element = wg_read_integer(reader, object, "element", INT64_MIN, INT64_MAX, 0);
    out->element_count = wg_read_count(reader, object, "element_count");
    out->access = wg_read_word(reader, object, "access", accesses);
    const cJSON *other = wg_read_object(reader, object, "other");
    if (other) {
        read_place(reader, other, &out->other);
        out->other_access = wg_read_word(reader, other, "access", accesses);
    }
    out->occurrences = wg_read_count(reader, object, "occurrences");
    out->case_index = case_of(reader, object, result);
    out->text = wg_read_text(reader, object, "text");
}

/* At most 32 lines of at most 128 digits, all of one length. */
static void read_wrong_map(struct wg_reader *reader, const cJSON *parent,
                           struct wg_result_case *out) {
    const cJSON *map = wg_read_object(reader, parent, "wrong_map");
    const cJSON *rows = wg_read_array(reader, map, "rows", 32);
    WG_CLEANUP(wg_buf_done) struct wg_buf lines = {0};
    size_t wide = 0;
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, rows) {
        size_t len = cJSON_IsString(row) ? strlen(row->valuestring) : 0;
        wide = wide ? wide : len;
        if (len == 0 || len > 128 || len != wide || strspn(row->valuestring, "0123456789") != len) {
            wg_read_complain(reader, "wrong_map must be lines of digits, all of one length");
            return;
        }
        wg_buf_printf(&lines, "%s%s", lines.len ? "\n" : "", row->valuestring);
    }
    if (lines.len > 0) {
        out->wrong_map = wg_strdup(wg_buf_str(&lines));
        out->wrong_map_tile_rows = wg_read_count(reader, map, "tile_rows");
        out->wrong_map_tile_columns = wg_read_count(reader, map, "tile_columns");
    }
}

static void read_case(struct wg_reader *reader, const cJSON *object, struct wg_result *result) {
    struct wg_result_case *out = wg_result_add_case(result);
    wg_read_dims(reader, object, out->dim_names, out->dims, &out->dim_count);
    out->seed = wg_read_seed(reader, object);
    out->verdict = wg_read_verdict(reader, object, true);
    out->not_run = !wg_read_flag(reader, object, "ran", true);
    out->sentence = wg_read_text(reader, object, "sentence");
    out->pattern = wg_read_text(reader, object, "pattern");
    out->output = wg_read_text(reader, object, "output");
    out->wrong_count = wg_read_count(reader, object, "wrong_count");
    out->element_count = wg_read_count(reader, object, "element_count");
    const cJSON *first = wg_read_object(reader, object, "first_wrong");
    if (first) {
        out->has_first_wrong = true;
        out->first_wrong_index = wg_read_count(reader, first, "index");
        out->first_wrong_row = wg_read_integer(reader, first, "row", 0, INT64_MAX, -1);
        out->first_wrong_column = wg_read_integer(reader, first, "column", 0, INT64_MAX, -1);
        out->expected = wg_read_answer(reader, first, "expected");
        out->got = wg_read_answer(reader, first, "got");
    }
    read_wrong_map(reader, object, out);
    out->error_in_bounds = wg_read_answer(reader, object, "error_in_bounds");
    out->rms_error_in_limit = wg_read_answer(reader, object, "rms_error_in_limit");
    out->wall_ns = llround(wg_read_number(reader, object, "wall_ms", 0, WG_READ_WALL_MS, 0) * 1e6);
}

static void read_statistics(struct wg_reader *reader, const cJSON *parent, const char *name,
                            struct wg_result_statistics *out) {
    const cJSON *object = wg_read_object(reader, parent, name);
    out->warmups = wg_read_small(reader, object, "warmup_count", 0, INT_MAX, 0);
    out->repeats = wg_read_small(reader, object, "repeat_count", 0, INT_MAX, 0);
    out->median_ms = wg_read_positive(reader, object, "median_ms");
    out->mean_ms = wg_read_positive(reader, object, "mean_ms");
    out->min_ms = wg_read_positive(reader, object, "min_ms");
    out->stddev_ms = wg_read_number(reader, object, "stddev_ms", 0, WG_READ_WALL_MS, (double)NAN);
    const cJSON *samples = wg_read_array(reader, object, "samples_ms", MAX_SAMPLES);
    int many = samples ? cJSON_GetArraySize(samples) : 0;
    if (many == 0) {
        return;
    }
    out->samples_ms = wg_calloc((size_t)many, sizeof(double));
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, samples) {
        bool good =
            cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= WG_READ_WALL_MS;
        if (!good && !cJSON_IsNull(item)) {
            wg_read_complain(reader, "samples_ms must be times");
        }
        out->samples_ms[out->sample_count++] = good ? item->valuedouble : (double)NAN;
    }
}

static void read_timing(struct wg_reader *reader, const cJSON *object, struct wg_result *result) {
    static const char *const stops[] = {"interval", "budget", "most_samples", "too_slow", NULL};
    struct wg_result_timing *out = wg_result_add_timing(result);
    wg_read_dims(reader, object, out->dim_names, out->dims, &out->dim_count);
    out->emulated = wg_read_flag(reader, object, "emulated", false);
    out->scored = wg_read_flag(reader, object, "scored", false);
    out->suspect = wg_read_flag(reader, object, "suspect", false);
    out->note = wg_read_text(reader, object, "note");
    read_statistics(reader, object, "student", &out->student);
    read_statistics(reader, object, "baseline", &out->baseline);
    const cJSON *speedup = wg_read_object(reader, object, "speedup");
    out->speedup = wg_read_positive(reader, speedup, "ratio");
    out->speedup_low = wg_read_positive(reader, speedup, "low_95");
    out->speedup_high = wg_read_positive(reader, speedup, "high_95");
    out->interval_method = wg_read_text(reader, speedup, "method");
    out->bandwidth_median_gb_s = wg_read_positive(reader, object, "bandwidth_median_gb_s");
    out->bandwidth_max_gb_s = wg_read_positive(reader, object, "bandwidth_max_gb_s");
    out->gflops_median = wg_read_positive(reader, object, "gflops_median");
    out->gflops_max = wg_read_positive(reader, object, "gflops_max");
    out->floor_ms = wg_read_positive(reader, object, "launch_floor_ms");
    out->copy_gb_s = wg_read_positive(reader, object, "copy_gb_s");
    out->blas_gflops = wg_read_positive(reader, object, "blas_gflops");
    out->blas = wg_read_text(reader, object, "blas");
    out->ceiling_ms = wg_read_positive(reader, object, "ceiling_ms");
    out->ceiling_share = wg_read_positive(reader, object, "ceiling_share");
    out->tuned_share = wg_read_positive(reader, object, "tuned_share");
    out->stop = wg_read_word(reader, object, "stopped_by", stops);
    out->drift =
        wg_read_number(reader, object, "baseline_drift", -MAX_DRIFT, MAX_DRIFT, (double)NAN);
    out->checked_calls = wg_read_small(reader, object, "checked_calls", 0, INT_MAX, 0);
}

static void read_counters(struct wg_reader *reader, const cJSON *object, struct wg_result *result) {
    static const char *const subjects[] = {"student", "naive", "tuned", NULL};
    struct wg_result_counters *out = wg_result_add_counters(result);
    out->subject = wg_read_word(reader, object, "subject", subjects);
    out->kernel = wg_read_text(reader, object, "kernel");
    out->file = wg_read_text(reader, object, "file");
    out->line = wg_read_line(reader, object, "line");
    out->case_index = case_of(reader, object, result);
    out->launches = wg_read_count(reader, object, "launches");
    out->threads = wg_read_count(reader, object, "threads");
    out->global_loads = wg_read_count(reader, object, "global_loads");
    out->global_stores = wg_read_count(reader, object, "global_stores");
    out->global_atomics = wg_read_count(reader, object, "global_atomics");
    out->global_load_bytes = wg_read_count(reader, object, "global_load_bytes");
    out->global_store_bytes = wg_read_count(reader, object, "global_store_bytes");
    out->global_load_segments = wg_read_count(reader, object, "global_load_segments");
    out->global_store_segments = wg_read_count(reader, object, "global_store_segments");
    out->shared_loads = wg_read_count(reader, object, "shared_loads");
    out->shared_stores = wg_read_count(reader, object, "shared_stores");
    out->shared_bank_conflicts = wg_read_count(reader, object, "shared_bank_conflicts");
    out->barriers = wg_read_count(reader, object, "barriers");
}

static int64_t count_or_none(struct wg_reader *reader, const cJSON *object, const char *name) {
    return wg_read_integer(reader, object, name, 0, INT64_MAX, -1);
}

static void read_resources(struct wg_reader *reader, const cJSON *object,
                           struct wg_result *result) {
    static const char *const platforms[] = {"amd", "nvidia", NULL};
    static const char *const units[] = {"SIMD", "SM", NULL};
    static const char *const limits[] = {"registers", "scalar_registers", "shared", "blocks", NULL};
    struct wg_result_resources *out = wg_result_add_resources(result);
    out->platform = wg_read_word(reader, object, "platform", platforms);
    out->arch = wg_read_text_up_to(reader, object, "arch", NAME_BYTES);
    out->kernel = wg_read_text(reader, object, "kernel");
    if (!out->platform || !out->arch || !out->kernel) {
        wg_read_complain(reader, "resources name their platform, arch and kernel");
    }
    out->file = wg_read_text(reader, object, "file");
    out->line = wg_read_line(reader, object, "line");
    out->wave_threads = count_or_none(reader, object, "wave_threads");
    out->registers = count_or_none(reader, object, "registers");
    out->accumulation_registers = count_or_none(reader, object, "accumulation_registers");
    out->scalar_registers = count_or_none(reader, object, "scalar_registers");
    out->spilled_registers = count_or_none(reader, object, "spilled_registers");
    out->spilled_scalar_registers = count_or_none(reader, object, "spilled_scalar_registers");
    out->spilled_bytes = count_or_none(reader, object, "spilled_bytes");
    out->scratch_bytes = count_or_none(reader, object, "scratch_bytes");
    out->shared_bytes = count_or_none(reader, object, "shared_bytes");
    out->block_threads_limit = count_or_none(reader, object, "block_threads_limit");
    const cJSON *occupancy = wg_read_object(reader, object, "occupancy");
    out->block_threads = count_or_none(reader, occupancy, "block_threads");
    out->occupancy_waves = count_or_none(reader, occupancy, "waves");
    out->occupancy_waves_limit = count_or_none(reader, occupancy, "waves_limit");
    out->occupancy_unit = wg_read_word(reader, occupancy, "unit", units);
    out->limited_by = wg_read_word(reader, occupancy, "limited_by", limits);
    out->words = wg_read_text(reader, object, "words");
}

static void read_diagnostic(struct wg_reader *reader, const cJSON *object,
                            struct wg_result *result) {
    struct wg_result_diagnostic *out = wg_result_add_diagnostic(result);
    out->file = wg_read_text(reader, object, "file");
    out->line = wg_read_line(reader, object, "line");
    out->column = wg_read_line(reader, object, "column");
    out->severity = wg_read_word(reader, object, "severity", severities);
    out->message = wg_read_text(reader, object, "message");
}

static void read_rubric(struct wg_reader *reader, const cJSON *object, struct wg_result *result) {
    struct wg_result_rubric *out = wg_result_add_rubric(result);
    out->id = wg_read_text(reader, object, "id");
    out->title = wg_read_text(reader, object, "title");
    out->points = wg_read_number(reader, object, "points", 0, MAX_POINTS, 0);
    out->max_points = wg_read_number(reader, object, "maximum", 0, MAX_POINTS, 0);
    out->measured = wg_read_flag(reader, object, "measured", false);
    out->note = wg_read_text(reader, object, "note");
}

static void read_stage(struct wg_reader *reader, const cJSON *object, struct wg_result *result) {
    WG_CLEANUP(wg_freep) char *name = wg_read_text_up_to(reader, object, "name", NAME_BYTES);
    double wall_ms = wg_read_number(reader, object, "wall_ms", 0, WG_READ_WALL_MS, (double)NAN);
    wg_result_add_stage(result, name ? name : "", 0);
    result->stages[result->stage_count - 1].wall_ms = wall_ms;
}

/* Each item of an array is an object of its own. */
static void read_items(struct wg_reader *reader, const cJSON *parent, const char *name,
                       void (*read)(struct wg_reader *, const cJSON *, struct wg_result *),
                       struct wg_result *result) {
    const cJSON *array = wg_read_array(reader, parent, name, MAX_ITEMS);
    const cJSON *item = NULL;
    const struct wg_reader outer = *reader;
    reader->part = name;
    reader->index = 0;
    cJSON_ArrayForEach(item, array) {
        if (!cJSON_IsObject(item)) {
            wg_read_complain(reader, "must be an object");
        }
        if (reader->code) {
            return;
        }
        read(reader, item, result);
        reader->index++;
    }
    reader->part = outer.part;
    reader->index = outer.index;
}

static const cJSON *part_of(struct wg_reader *reader, const cJSON *root, const char *name) {
    reader->part = "document";
    const cJSON *part = wg_read_object(reader, root, name);
    reader->part = name;
    return part;
}

static void read_submission(struct wg_reader *reader, const cJSON *root, struct wg_result *out) {
    const cJSON *object = part_of(reader, root, "submission");
    out->submission.repository = wg_read_text(reader, object, "repository");
    out->submission.ref = wg_read_text(reader, object, "ref");
    out->submission.commit = wg_read_hex(reader, object, "commit");
    out->submission.tree = wg_read_hex(reader, object, "tree");
    out->submission.commit_time_s = wg_read_moment(reader, object, "commit_time");
    out->submission.path = wg_read_text(reader, object, "path");
    out->submission.file = wg_read_text(reader, object, "file");
    out->submission.is_folder = wg_read_flag(reader, object, "is_folder", false);
    wg_read_hex_into(reader, object, "source_sha256", out->submission.source_sha256);
    out->submission.source = wg_read_text_up_to(reader, object, "source", SOURCE_BYTES);
}

static void read_environment(struct wg_reader *reader, const cJSON *root, struct wg_result *out) {
    const cJSON *object = part_of(reader, root, "environment");
    out->environment.platform = wg_read_text(reader, object, "platform");
    out->environment.device = wg_read_text(reader, object, "device");
    out->environment.arch = wg_read_text(reader, object, "arch");
    out->environment.warp_size = wg_read_small(reader, object, "warp_size", 0, 1024, 0);
    out->environment.driver_version = wg_read_text(reader, object, "driver_version");
    out->environment.runtime_version = wg_read_text(reader, object, "runtime_version");
    out->environment.compiler_version = wg_read_text(reader, object, "compiler_version");
    out->environment.cpu = wg_read_text(reader, object, "cpu");
    out->environment.os = wg_read_text(reader, object, "os");
    out->environment.isolation = wg_read_text(reader, object, "isolation");
    out->environment.wavegrade_version = wg_read_text(reader, object, "wavegrade_version");
    out->environment.date_s = wg_read_moment(reader, object, "date");
}

static void read_build(struct wg_reader *reader, const cJSON *root, struct wg_result *out) {
    static const char *const kinds[] = {"launcher", "kernel", NULL};
    const cJSON *object = part_of(reader, root, "build");
    if (!object) {
        return;
    }
    out->build.reached = true;
    out->build.ok = wg_read_flag(reader, object, "ok", false);
    out->build.command = wg_read_text(reader, object, "command");
    out->build.entry_kind = wg_read_word(reader, object, "entry_kind", kinds);
    out->build.entry_name = wg_read_text(reader, object, "entry_name");
    out->build.wall_ms = wg_read_number(reader, object, "wall_ms", 0, WG_READ_WALL_MS, (double)NAN);
    read_items(reader, object, "diagnostics", read_diagnostic, out);
    out->build.log = wg_read_text_up_to(reader, object, "log", LOG_BYTES);
}

static void read_score(struct wg_reader *reader, const cJSON *root, struct wg_result *out) {
    const cJSON *object = part_of(reader, root, "score");
    out->points = wg_read_number(reader, object, "total", 0, MAX_POINTS, 0);
    out->max_points = wg_read_number(reader, object, "maximum", 0, MAX_POINTS, 0);
    out->total_points = wg_read_number(reader, object, "assignment_maximum", 0, MAX_POINTS, 0);
    out->score_complete = wg_read_flag(reader, object, "complete", false);
    read_items(reader, object, "lines", read_rubric, out);
}

static void read_document(struct wg_reader *reader, const cJSON *root, struct wg_result *out) {
    const char *schema = wg_read_raw(reader, root, "schema");
    if (!schema || strcmp(schema, WG_RESULT_SCHEMA) != 0) {
        wg_read_complain(reader, "its schema is another");
        return;
    }
    out->verdict = wg_read_verdict(reader, root, true);
    out->sentence = wg_read_text(reader, root, "sentence");
    out->seed = wg_read_seed(reader, root);
    out->findings_dropped = wg_read_count(reader, root, "findings_dropped");
    out->output = wg_read_text_up_to(reader, root, "output", LOG_BYTES);
    read_items(reader, root, "resources", read_resources, out);
    read_items(reader, root, "timing", read_timing, out);
    read_items(reader, root, "stages", read_stage, out);
    out->cpu_ms = wg_read_number(reader, root, "cpu_ms", 0, WG_READ_WALL_MS, 0);
    read_score(reader, root, out);
    read_submission(reader, root, out);
    const cJSON *assignment = part_of(reader, root, "assignment");
    out->assignment.id = wg_read_text(reader, assignment, "id");
    out->assignment.title = wg_read_text(reader, assignment, "title");
    out->assignment.version = wg_read_small(reader, assignment, "version", 0, INT_MAX, 0);
    wg_read_hex_into(reader, assignment, "digest", out->assignment.digest);
    read_environment(reader, root, out);
    read_build(reader, root, out);
    const cJSON *correctness = part_of(reader, root, "correctness");
    read_items(reader, correctness, "cases", read_case, out);
    /* After the cases, which they point into. */
    read_items(reader, root, "findings", read_finding, out);
    read_items(reader, root, "counters", read_counters, out);
}

static void delete_json(cJSON **json) {
    cJSON_Delete(*json);
}

static void free_result(struct wg_result **result) {
    wg_result_free(*result);
}

enum wg_code wg_result_from_json(const char *json, size_t bytes, struct wg_result **out,
                                 struct wg_err *err) {
    if (bytes > WG_RESULT_JSON_BYTES) {
        return wg_fail(err, WG_EINVAL, "not a " WG_RESULT_SCHEMA ": larger than %zu MiB",
                       WG_RESULT_JSON_BYTES >> 20);
    }
    const char *end = json;
    WG_CLEANUP(delete_json) cJSON *root = cJSON_ParseWithLengthOpts(json, bytes, &end, false);
    size_t used = root ? (size_t)(end - json) : 0;
    while (used < bytes && json[used] != '\0' && strchr(" \t\r\n", json[used])) {
        used++;
    }
    if (!root || used != bytes) {
        return wg_fail(err, WG_EINVAL, "not a " WG_RESULT_SCHEMA ": not one JSON document");
    }
    struct wg_reader reader = {.part = "document", .index = -1, .err = err};
    WG_CLEANUP(free_result) struct wg_result *result = wg_result_new();
    if (!cJSON_IsObject(root)) {
        wg_read_complain(&reader, "must be an object");
    } else {
        read_document(&reader, root, result);
    }
    if (reader.code) {
        return reader.code;
    }
    *out = WG_TAKE(&result);
    return WG_OK;
}
