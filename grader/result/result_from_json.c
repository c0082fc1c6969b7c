/* Reading wavegrade/result/v1 back: the other door to cJSON, for results that a store, a spool or
 * anybody's folder holds.
 *
 * Whoever wrote the file is not trusted: every value has a type, a range and a bound on its size,
 * and text is cleaned as if a student had written it. What is absent is taken as null, "not known",
 * so that results of earlier versions stay readable when a field is added; fields of later versions
 * are passed over. Only the schema's name and the verdict must be there.
 *
 * The first complaint is kept in the reader and everything read afterwards is a harmless default,
 * so each part runs to its end and the caller asks once. cJSON keeps numbers as doubles: counts
 * beyond 2^53 come back as the nearest double, seeds (strings) exactly. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/text.h"
#include "grader/result/result.h"

#define TEXT_BYTES   ((size_t)64 << 10)
#define LOG_BYTES    ((size_t)1 << 20)
#define SOURCE_BYTES ((size_t)4 << 20) /* 1 MiB of source, each bad byte grown to three */
#define NAME_BYTES   ((size_t)64)
#define MAX_ITEMS    10000
#define MAX_SAMPLES  1000000
#define MAX_WALL_MS  1e12
#define MAX_POINTS   1e9
#define MAX_QUANTITY 1e300

struct reader {
    const char *part; /* which part of the document, for messages */
    int index;        /* its item, or -1 */
    enum wg_code code;
    struct wg_err *err;
};

static void complain(struct reader *reader, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void complain(struct reader *reader, const char *fmt, ...) {
    if (reader->code) {
        return;
    }
    char what[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    if (reader->index >= 0) {
        reader->code = wg_fail(reader->err, WG_EINVAL, "not a " WG_RESULT_SCHEMA ": %s[%d]: %s",
                               reader->part, reader->index, what);
    } else {
        reader->code = wg_fail(reader->err, WG_EINVAL, "not a " WG_RESULT_SCHEMA ": %s: %s",
                               reader->part, what);
    }
}

/* ---- Values ---- */

/* NULL for what is absent or null. A key that comes twice means different things to different
 * readers: it is refused. */
static const cJSON *member(struct reader *reader, const cJSON *object, const char *name) {
    const cJSON *found = NULL;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, object) {
        if (item->string && strcmp(item->string, name) == 0) {
            if (found) {
                complain(reader, "%s is there twice", name);
            }
            found = item;
        }
    }
    return cJSON_IsNull(found) ? NULL : found;
}

static const cJSON *object_of(struct reader *reader, const cJSON *parent, const char *name) {
    const cJSON *item = member(reader, parent, name);
    if (item && !cJSON_IsObject(item)) {
        complain(reader, "%s must be an object", name);
        return NULL;
    }
    return item;
}

static const cJSON *array_of(struct reader *reader, const cJSON *parent, const char *name,
                             int most) {
    const cJSON *item = member(reader, parent, name);
    if (item && !cJSON_IsArray(item)) {
        complain(reader, "%s must be an array", name);
        return NULL;
    }
    if (item && cJSON_GetArraySize(item) > most) {
        complain(reader, "%s has more than %d items", name, most);
        return NULL;
    }
    return item;
}

static const char *raw_string(struct reader *reader, const cJSON *object, const char *name) {
    const cJSON *item = member(reader, object, name);
    if (item && !cJSON_IsString(item)) {
        complain(reader, "%s must be a string", name);
        return NULL;
    }
    return item ? item->valuestring : NULL;
}

static char *text_up_to(struct reader *reader, const cJSON *object, const char *name,
                        size_t limit_bytes) {
    const char *text = raw_string(reader, object, name);
    return text ? wg_text_clean(text, strlen(text), limit_bytes) : NULL;
}

static char *text(struct reader *reader, const cJSON *object, const char *name) {
    return text_up_to(reader, object, name, TEXT_BYTES);
}

/* One of a few words, NULL-terminated: exporters may rely on there being no others. */
static char *word(struct reader *reader, const cJSON *object, const char *name,
                  const char *const *words) {
    const char *given = raw_string(reader, object, name);
    for (size_t i = 0; given && words[i]; i++) {
        if (strcmp(given, words[i]) == 0) {
            return wg_strdup(given);
        }
    }
    if (given) {
        complain(reader, "%s has a value that is not known", name);
    }
    return NULL;
}

static bool flag(struct reader *reader, const cJSON *object, const char *name, bool absent) {
    const cJSON *item = member(reader, object, name);
    if (item && !cJSON_IsBool(item)) {
        complain(reader, "%s must be true or false", name);
    }
    return item ? cJSON_IsTrue(item) : absent;
}

static double number(struct reader *reader, const cJSON *object, const char *name, double low,
                     double high, double absent) {
    const cJSON *item = member(reader, object, name);
    if (!item) {
        return absent;
    }
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= low && item->valuedouble <= high)) {
        complain(reader, "%s must be a number from %g to %g", name, low, high);
        return absent;
    }
    return item->valuedouble;
}

/* Null where it was not measured: 0 in the model. */
static double positive(struct reader *reader, const cJSON *object, const char *name) {
    return number(reader, object, name, 0, MAX_QUANTITY, 0);
}

/* A number that may be none: its name is in NAME_text. */
static double answer(struct reader *reader, const cJSON *object, const char *name) {
    char text_name[64];
    snprintf(text_name, sizeof text_name, "%s_text", name);
    const char *said = raw_string(reader, object, text_name);
    double absent = 0;
    if (said) {
        bool known = true;
        absent = strcmp(said, "nan") == 0    ? (double)NAN
                 : strcmp(said, "inf") == 0  ? (double)INFINITY
                 : strcmp(said, "-inf") == 0 ? (double)-INFINITY
                                             : (known = false, 0);
        if (!known) {
            complain(reader, "%s must be nan, inf or -inf", text_name);
        }
    }
    return number(reader, object, name, -DBL_MAX, DBL_MAX, absent);
}

static int64_t integer(struct reader *reader, const cJSON *object, const char *name, int64_t low,
                       int64_t high, int64_t absent) {
    const cJSON *item = member(reader, object, name);
    if (!item) {
        return absent;
    }
    double value = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    /* The largest integers are doubles beyond their type by one. */
    if (value == 0x1p63 && high == INT64_MAX) {
        return INT64_MAX;
    }
    if (!(value >= (double)low && value <= (double)high) || value >= 0x1p63 ||
        trunc(value) != value) {
        complain(reader, "%s must be an integer from %" PRId64 " to %" PRId64, name, low, high);
        return absent;
    }
    return (int64_t)value;
}

static uint64_t count(struct reader *reader, const cJSON *object, const char *name) {
    const cJSON *item = member(reader, object, name);
    if (!item) {
        return 0;
    }
    double value = cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
    if (value == 0x1p64) {
        return UINT64_MAX;
    }
    if (!(value >= 0 && value < 0x1p64) || trunc(value) != value) {
        complain(reader, "%s must be a count", name);
        return 0;
    }
    return (uint64_t)value;
}

static int small(struct reader *reader, const cJSON *object, const char *name, int low, int high,
                 int absent) {
    return (int)integer(reader, object, name, low, high, absent);
}

static int line_number(struct reader *reader, const cJSON *object, const char *name) {
    return small(reader, object, name, 1, INT_MAX, 0);
}

static uint64_t seed(struct reader *reader, const cJSON *object) {
    const char *digits = raw_string(reader, object, "seed");
    if (!digits) {
        return 0;
    }
    size_t len = strlen(digits);
    errno = 0;
    unsigned long long value = strtoull(digits, NULL, 10);
    if (len == 0 || strspn(digits, "0123456789") != len || errno) {
        complain(reader, "seed must be 64 bits in decimal digits");
        return 0;
    }
    return value;
}

static int64_t moment(struct reader *reader, const cJSON *object, const char *name) {
    const char *given = raw_string(reader, object, name);
    if (!given) {
        return 0;
    }
    struct tm parts = {0};
    char again[32] = "";
    const char *end = strptime(given, "%Y-%m-%dT%H:%M:%SZ", &parts);
    time_t unix_s = end ? timegm(&parts) : -1;
    if (unix_s > 0) {
        wg_clock_format_utc(unix_s, again);
    }
    /* strptime takes blanks, signs and the 31st of February; what was written does not. */
    if (strcmp(again, given) != 0) {
        complain(reader, "%s must be a time like 2026-11-30T15:04:05Z", name);
        return 0;
    }
    return unix_s;
}

static const char *hex_digits(struct reader *reader, const cJSON *object, const char *name) {
    const char *given = raw_string(reader, object, name);
    size_t len = given ? strlen(given) : 0;
    if (given && (len == 0 || len > 64 || strspn(given, "0123456789abcdef") != len)) {
        complain(reader, "%s must be at most 64 hex digits", name);
        return NULL;
    }
    return given;
}

static char *hex(struct reader *reader, const cJSON *object, const char *name) {
    const char *given = hex_digits(reader, object, name);
    return given ? wg_strdup(given) : NULL;
}

static void hex_into(struct reader *reader, const cJSON *object, const char *name, char out[65]) {
    const char *given = hex_digits(reader, object, name);
    snprintf(out, 65, "%s", given ? given : "");
}

static enum wg_verdict verdict(struct reader *reader, const cJSON *object, bool needed) {
    const char *name = raw_string(reader, object, "verdict");
    enum wg_verdict value = WG_VERDICT_GRADER_ERROR;
    if (name ? !wg_verdict_parse(name, &value) : needed) {
        complain(reader, name ? "verdict is not a known one" : "there is no verdict");
    }
    return value;
}

static void read_dims(struct reader *reader, const cJSON *object, char *names[WG_RESULT_DIMS],
                      int64_t values[WG_RESULT_DIMS], size_t *dim_count) {
    const cJSON *dims = object_of(reader, object, "dims");
    const cJSON *item = NULL;
    size_t used = 0;
    cJSON_ArrayForEach(item, dims) {
        if (used == WG_RESULT_DIMS) {
            complain(reader, "more than %d dims", WG_RESULT_DIMS);
            return;
        }
        names[used] = wg_text_clean(item->string, strlen(item->string), NAME_BYTES);
        values[used] = integer(reader, dims, item->string, INT64_MIN, INT64_MAX, 0);
        *dim_count = ++used;
    }
}

static bool read_triple(struct reader *reader, const cJSON *object, const char *name,
                        uint32_t out[3]) {
    const cJSON *array = array_of(reader, object, name, 3);
    if (!array) {
        return false;
    }
    int used = 0;
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array) {
        double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (!(value >= 0 && value <= UINT32_MAX) || trunc(value) != value) {
            break;
        }
        out[used++] = (uint32_t)value;
    }
    if (used != 3) {
        complain(reader, "%s must be three counts", name);
    }
    return used == 3;
}

/* ---- Parts ---- */

static const char *const severities[] = {"error", "warning", "note", NULL};
static const char *const accesses[] = {"read", "write", "atomic", NULL};

static void read_place(struct reader *reader, const cJSON *object, struct wg_result_place *out) {
    out->file = text(reader, object, "file");
    out->line = line_number(reader, object, "line");
    out->column = line_number(reader, object, "column");
    out->function = text(reader, object, "function");
    bool has_block = read_triple(reader, object, "block", out->block);
    bool has_thread = read_triple(reader, object, "thread", out->thread);
    if (has_block != has_thread) {
        complain(reader, "block and thread come together");
    }
    out->has_thread = has_block && has_thread;
}

/* Index of a case, which must be there; -1 for none. */
static int case_of(struct reader *reader, const cJSON *object, const struct wg_result *result) {
    int most = (int)result->case_count - 1;
    return small(reader, object, "case", 0, most, -1);
}

static void read_finding(struct reader *reader, const cJSON *object, struct wg_result *result) {
    struct wg_result_finding *out = wg_result_add_finding(result);
    out->kind = text_up_to(reader, object, "kind", NAME_BYTES);
    if (!out->kind) {
        complain(reader, "a finding without kind");
    }
    out->detail = text(reader, object, "detail");
    out->severity = word(reader, object, "severity", severities);
    read_place(reader, object, &out->at);
    out->kernel = text(reader, object, "kernel");
    out->object = text(reader, object, "buffer");
    out->has_element = member(reader, object, "element") != NULL;
    out->element = integer(reader, object, "element", INT64_MIN, INT64_MAX, 0);
    out->element_count = count(reader, object, "element_count");
    out->access = word(reader, object, "access", accesses);
    const cJSON *other = object_of(reader, object, "other");
    if (other) {
        read_place(reader, other, &out->other);
        out->other_access = word(reader, other, "access", accesses);
    }
    out->occurrences = count(reader, object, "occurrences");
    out->case_index = case_of(reader, object, result);
    out->text = text(reader, object, "text");
}

/* At most 32 lines of at most 128 digits, all of one length. */
static void read_wrong_map(struct reader *reader, const cJSON *parent, struct wg_result_case *out) {
    const cJSON *map = object_of(reader, parent, "wrong_map");
    const cJSON *rows = array_of(reader, map, "rows", 32);
    WG_CLEANUP(wg_buf_done) struct wg_buf lines = {0};
    size_t wide = 0;
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, rows) {
        size_t len = cJSON_IsString(row) ? strlen(row->valuestring) : 0;
        wide = wide ? wide : len;
        if (len == 0 || len > 128 || len != wide || strspn(row->valuestring, "0123456789") != len) {
            complain(reader, "wrong_map must be lines of digits, all of one length");
            return;
        }
        wg_buf_printf(&lines, "%s%s", lines.len ? "\n" : "", row->valuestring);
    }
    if (lines.len > 0) {
        out->wrong_map = wg_strdup(wg_buf_str(&lines));
        out->wrong_map_tile_rows = count(reader, map, "tile_rows");
        out->wrong_map_tile_columns = count(reader, map, "tile_columns");
    }
}

static void read_case(struct reader *reader, const cJSON *object, struct wg_result *result) {
    struct wg_result_case *out = wg_result_add_case(result);
    read_dims(reader, object, out->dim_names, out->dims, &out->dim_count);
    out->seed = seed(reader, object);
    out->verdict = verdict(reader, object, true);
    out->not_run = !flag(reader, object, "ran", true);
    out->sentence = text(reader, object, "sentence");
    out->pattern = text(reader, object, "pattern");
    out->output = text(reader, object, "output");
    out->wrong_count = count(reader, object, "wrong_count");
    out->element_count = count(reader, object, "element_count");
    const cJSON *first = object_of(reader, object, "first_wrong");
    if (first) {
        out->has_first_wrong = true;
        out->first_wrong_index = count(reader, first, "index");
        out->first_wrong_row = integer(reader, first, "row", 0, INT64_MAX, -1);
        out->first_wrong_column = integer(reader, first, "column", 0, INT64_MAX, -1);
        out->expected = answer(reader, first, "expected");
        out->got = answer(reader, first, "got");
    }
    read_wrong_map(reader, object, out);
    out->error_in_bounds = answer(reader, object, "error_in_bounds");
    out->rms_error_in_limit = answer(reader, object, "rms_error_in_limit");
    out->wall_ns = llround(number(reader, object, "wall_ms", 0, MAX_WALL_MS, 0) * 1e6);
}

static void read_statistics(struct reader *reader, const cJSON *parent, const char *name,
                            struct wg_result_statistics *out) {
    const cJSON *object = object_of(reader, parent, name);
    out->warmups = small(reader, object, "warmup_count", 0, INT_MAX, 0);
    out->repeats = small(reader, object, "repeat_count", 0, INT_MAX, 0);
    out->median_ms = positive(reader, object, "median_ms");
    out->mean_ms = positive(reader, object, "mean_ms");
    out->min_ms = positive(reader, object, "min_ms");
    out->stddev_ms = number(reader, object, "stddev_ms", 0, MAX_WALL_MS, (double)NAN);
    const cJSON *samples = array_of(reader, object, "samples_ms", MAX_SAMPLES);
    int many = samples ? cJSON_GetArraySize(samples) : 0;
    if (many == 0) {
        return;
    }
    out->samples_ms = wg_calloc((size_t)many, sizeof(double));
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, samples) {
        bool good =
            cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= MAX_WALL_MS;
        if (!good && !cJSON_IsNull(item)) {
            complain(reader, "samples_ms must be times");
        }
        out->samples_ms[out->sample_count++] = good ? item->valuedouble : (double)NAN;
    }
}

static void read_timing(struct reader *reader, const cJSON *object, struct wg_result *result) {
    static const char *const stops[] = {"interval", "budget", "most_samples", "too_slow", NULL};
    struct wg_result_timing *out = wg_result_add_timing(result);
    read_dims(reader, object, out->dim_names, out->dims, &out->dim_count);
    out->emulated = flag(reader, object, "emulated", false);
    out->scored = flag(reader, object, "scored", false);
    out->suspect = flag(reader, object, "suspect", false);
    out->note = text(reader, object, "note");
    read_statistics(reader, object, "student", &out->student);
    read_statistics(reader, object, "baseline", &out->baseline);
    const cJSON *speedup = object_of(reader, object, "speedup");
    out->speedup = positive(reader, speedup, "ratio");
    out->speedup_low = positive(reader, speedup, "low_95");
    out->speedup_high = positive(reader, speedup, "high_95");
    out->interval_method = text(reader, speedup, "method");
    out->bandwidth_median_gb_s = positive(reader, object, "bandwidth_median_gb_s");
    out->bandwidth_max_gb_s = positive(reader, object, "bandwidth_max_gb_s");
    out->gflops_median = positive(reader, object, "gflops_median");
    out->gflops_max = positive(reader, object, "gflops_max");
    out->floor_ms = positive(reader, object, "launch_floor_ms");
    out->copy_gb_s = positive(reader, object, "copy_gb_s");
    out->blas_gflops = positive(reader, object, "blas_gflops");
    out->blas = text(reader, object, "blas");
    out->ceiling_ms = positive(reader, object, "ceiling_ms");
    out->ceiling_share = positive(reader, object, "ceiling_share");
    out->tuned_share = positive(reader, object, "tuned_share");
    out->stop = word(reader, object, "stopped_by", stops);
    out->drift = number(reader, object, "baseline_drift", -MAX_QUANTITY, MAX_QUANTITY, (double)NAN);
    out->checked_calls = small(reader, object, "checked_calls", 0, INT_MAX, 0);
}

static void read_counters(struct reader *reader, const cJSON *object, struct wg_result *result) {
    static const char *const subjects[] = {"student", "naive", "tuned", NULL};
    struct wg_result_counters *out = wg_result_add_counters(result);
    out->subject = word(reader, object, "subject", subjects);
    out->kernel = text(reader, object, "kernel");
    out->file = text(reader, object, "file");
    out->line = line_number(reader, object, "line");
    out->case_index = case_of(reader, object, result);
    out->launches = count(reader, object, "launches");
    out->threads = count(reader, object, "threads");
    out->global_loads = count(reader, object, "global_loads");
    out->global_stores = count(reader, object, "global_stores");
    out->global_atomics = count(reader, object, "global_atomics");
    out->global_load_bytes = count(reader, object, "global_load_bytes");
    out->global_store_bytes = count(reader, object, "global_store_bytes");
    out->global_load_segments = count(reader, object, "global_load_segments");
    out->global_store_segments = count(reader, object, "global_store_segments");
    out->shared_loads = count(reader, object, "shared_loads");
    out->shared_stores = count(reader, object, "shared_stores");
    out->shared_bank_conflicts = count(reader, object, "shared_bank_conflicts");
    out->barriers = count(reader, object, "barriers");
}

static int64_t count_or_none(struct reader *reader, const cJSON *object, const char *name) {
    return integer(reader, object, name, 0, INT64_MAX, -1);
}

static void read_resources(struct reader *reader, const cJSON *object, struct wg_result *result) {
    static const char *const platforms[] = {"amd", "nvidia", NULL};
    static const char *const units[] = {"SIMD", "SM", NULL};
    static const char *const limits[] = {"registers", "scalar_registers", "shared", "blocks", NULL};
    struct wg_result_resources *out = wg_result_add_resources(result);
    out->platform = word(reader, object, "platform", platforms);
    out->arch = text_up_to(reader, object, "arch", NAME_BYTES);
    out->kernel = text(reader, object, "kernel");
    if (!out->platform || !out->arch || !out->kernel) {
        complain(reader, "resources name their platform, arch and kernel");
    }
    out->file = text(reader, object, "file");
    out->line = line_number(reader, object, "line");
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
    const cJSON *occupancy = object_of(reader, object, "occupancy");
    out->block_threads = count_or_none(reader, occupancy, "block_threads");
    out->occupancy_waves = count_or_none(reader, occupancy, "waves");
    out->occupancy_waves_limit = count_or_none(reader, occupancy, "waves_limit");
    out->occupancy_unit = word(reader, occupancy, "unit", units);
    out->limited_by = word(reader, occupancy, "limited_by", limits);
    out->words = text(reader, object, "words");
}

static void read_diagnostic(struct reader *reader, const cJSON *object, struct wg_result *result) {
    struct wg_result_diagnostic *out = wg_result_add_diagnostic(result);
    out->file = text(reader, object, "file");
    out->line = line_number(reader, object, "line");
    out->column = line_number(reader, object, "column");
    out->severity = word(reader, object, "severity", severities);
    out->message = text(reader, object, "message");
}

static void read_rubric(struct reader *reader, const cJSON *object, struct wg_result *result) {
    struct wg_result_rubric *out = wg_result_add_rubric(result);
    out->id = text(reader, object, "id");
    out->title = text(reader, object, "title");
    out->points = number(reader, object, "points", 0, MAX_POINTS, 0);
    out->max_points = number(reader, object, "maximum", 0, MAX_POINTS, 0);
    out->measured = flag(reader, object, "measured", false);
    out->note = text(reader, object, "note");
}

static void read_stage(struct reader *reader, const cJSON *object, struct wg_result *result) {
    WG_CLEANUP(wg_freep) char *name = text_up_to(reader, object, "name", NAME_BYTES);
    double wall_ms = number(reader, object, "wall_ms", 0, MAX_WALL_MS, (double)NAN);
    wg_result_add_stage(result, name ? name : "", 0);
    result->stages[result->stage_count - 1].wall_ms = wall_ms;
}

/* Each item of an array is an object of its own. */
static void read_items(struct reader *reader, const cJSON *parent, const char *name,
                       void (*read)(struct reader *, const cJSON *, struct wg_result *),
                       struct wg_result *result) {
    const cJSON *array = array_of(reader, parent, name, MAX_ITEMS);
    const cJSON *item = NULL;
    const struct reader outer = *reader;
    reader->part = name;
    reader->index = 0;
    cJSON_ArrayForEach(item, array) {
        if (!cJSON_IsObject(item)) {
            complain(reader, "must be an object");
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

static const cJSON *part_of(struct reader *reader, const cJSON *root, const char *name) {
    reader->part = "document";
    const cJSON *part = object_of(reader, root, name);
    reader->part = name;
    return part;
}

static void read_submission(struct reader *reader, const cJSON *root, struct wg_result *out) {
    const cJSON *object = part_of(reader, root, "submission");
    out->submission.repository = text(reader, object, "repository");
    out->submission.ref = text(reader, object, "ref");
    out->submission.commit = hex(reader, object, "commit");
    out->submission.tree = hex(reader, object, "tree");
    out->submission.commit_time_s = moment(reader, object, "commit_time");
    out->submission.path = text(reader, object, "path");
    out->submission.file = text(reader, object, "file");
    out->submission.is_folder = flag(reader, object, "is_folder", false);
    hex_into(reader, object, "source_sha256", out->submission.source_sha256);
    out->submission.source = text_up_to(reader, object, "source", SOURCE_BYTES);
}

static void read_environment(struct reader *reader, const cJSON *root, struct wg_result *out) {
    const cJSON *object = part_of(reader, root, "environment");
    out->environment.platform = text(reader, object, "platform");
    out->environment.device = text(reader, object, "device");
    out->environment.arch = text(reader, object, "arch");
    out->environment.warp_size = small(reader, object, "warp_size", 0, 1024, 0);
    out->environment.driver_version = text(reader, object, "driver_version");
    out->environment.runtime_version = text(reader, object, "runtime_version");
    out->environment.compiler_version = text(reader, object, "compiler_version");
    out->environment.cpu = text(reader, object, "cpu");
    out->environment.os = text(reader, object, "os");
    out->environment.isolation = text(reader, object, "isolation");
    out->environment.wavegrade_version = text(reader, object, "wavegrade_version");
    out->environment.date_s = moment(reader, object, "date");
}

static void read_build(struct reader *reader, const cJSON *root, struct wg_result *out) {
    static const char *const kinds[] = {"launcher", "kernel", NULL};
    const cJSON *object = part_of(reader, root, "build");
    if (!object) {
        return;
    }
    out->build.reached = true;
    out->build.ok = flag(reader, object, "ok", false);
    out->build.command = text(reader, object, "command");
    out->build.entry_kind = word(reader, object, "entry_kind", kinds);
    out->build.entry_name = text(reader, object, "entry_name");
    out->build.wall_ms = number(reader, object, "wall_ms", 0, MAX_WALL_MS, (double)NAN);
    read_items(reader, object, "diagnostics", read_diagnostic, out);
    out->build.log = text_up_to(reader, object, "log", LOG_BYTES);
}

static void read_score(struct reader *reader, const cJSON *root, struct wg_result *out) {
    const cJSON *object = part_of(reader, root, "score");
    out->points = number(reader, object, "total", 0, MAX_POINTS, 0);
    out->max_points = number(reader, object, "maximum", 0, MAX_POINTS, 0);
    out->total_points = number(reader, object, "assignment_maximum", 0, MAX_POINTS, 0);
    out->score_complete = flag(reader, object, "complete", false);
    read_items(reader, object, "lines", read_rubric, out);
}

static void read_document(struct reader *reader, const cJSON *root, struct wg_result *out) {
    const char *schema = raw_string(reader, root, "schema");
    if (!schema || strcmp(schema, WG_RESULT_SCHEMA) != 0) {
        complain(reader, "its schema is another");
        return;
    }
    out->verdict = verdict(reader, root, true);
    out->sentence = text(reader, root, "sentence");
    out->seed = seed(reader, root);
    out->findings_dropped = count(reader, root, "findings_dropped");
    out->output = text_up_to(reader, root, "output", LOG_BYTES);
    read_items(reader, root, "resources", read_resources, out);
    read_items(reader, root, "timing", read_timing, out);
    read_items(reader, root, "stages", read_stage, out);
    out->cpu_ms = number(reader, root, "cpu_ms", 0, MAX_WALL_MS, 0);
    read_score(reader, root, out);
    read_submission(reader, root, out);
    const cJSON *assignment = part_of(reader, root, "assignment");
    out->assignment.id = text(reader, assignment, "id");
    out->assignment.title = text(reader, assignment, "title");
    out->assignment.version = small(reader, assignment, "version", 0, INT_MAX, 0);
    hex_into(reader, assignment, "digest", out->assignment.digest);
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
    while (used < bytes && memchr(" \t\r\n", json[used], 4)) {
        used++;
    }
    if (!root || used != bytes) {
        return wg_fail(err, WG_EINVAL, "not a " WG_RESULT_SCHEMA ": not one JSON document");
    }
    struct reader reader = {.part = "document", .index = -1, .err = err};
    WG_CLEANUP(free_result) struct wg_result *result = wg_result_new();
    if (!cJSON_IsObject(root)) {
        complain(&reader, "must be an object");
    } else {
        read_document(&reader, root, result);
    }
    if (reader.code) {
        return reader.code;
    }
    *out = WG_TAKE(&result);
    return WG_OK;
}
