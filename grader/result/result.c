/* Memory of results: new, free, growth of arrays. */
#include <stdlib.h>
#include <string.h>

#include "grader/result/result.h"

struct wg_result *wg_result_new(void) {
    return wg_calloc(1, sizeof(struct wg_result));
}

static void place_done(struct wg_result_place *place) {
    free(place->file);
    free(place->function);
}

static void names_done(char *names[WG_RESULT_DIMS]) {
    for (size_t i = 0; i < WG_RESULT_DIMS; i++) {
        free(names[i]);
    }
}

static void finding_done(struct wg_result_finding *finding) {
    free(finding->kind);
    free(finding->detail);
    free(finding->severity);
    place_done(&finding->at);
    place_done(&finding->other);
    free(finding->kernel);
    free(finding->object);
    free(finding->access);
    free(finding->other_access);
    free(finding->text);
}

static void case_done(struct wg_result_case *one) {
    names_done(one->dim_names);
    free(one->sentence);
    free(one->pattern);
    free(one->output);
    free(one->wrong_map);
}

static void timing_done(struct wg_result_timing *timing) {
    names_done(timing->dim_names);
    free(timing->note);
    free(timing->blas);
    free(timing->stop);
    free(timing->student.samples_ms);
    free(timing->baseline.samples_ms);
    free(timing->interval_method);
}

static void counters_done(struct wg_result_counters *counters) {
    free(counters->subject);
    free(counters->kernel);
    free(counters->file);
}

static void resources_done(struct wg_result_resources *resources) {
    free(resources->platform);
    free(resources->arch);
    free(resources->kernel);
    free(resources->file);
    free(resources->occupancy_unit);
    free(resources->limited_by);
    free(resources->words);
}

static void diagnostic_done(struct wg_result_diagnostic *diagnostic) {
    free(diagnostic->file);
    free(diagnostic->severity);
    free(diagnostic->message);
}

static void rubric_done(struct wg_result_rubric *line) {
    free(line->id);
    free(line->title);
    free(line->note);
}

static void facts_done(struct wg_result *result) {
    free(result->submission.repository);
    free(result->submission.ref);
    free(result->submission.commit);
    free(result->submission.tree);
    free(result->submission.path);
    free(result->submission.file);
    free(result->submission.source);
    free(result->assignment.id);
    free(result->assignment.title);
    free(result->environment.platform);
    free(result->environment.device);
    free(result->environment.arch);
    free(result->environment.driver_version);
    free(result->environment.runtime_version);
    free(result->environment.compiler_version);
    free(result->environment.cpu);
    free(result->environment.os);
    free(result->environment.wavegrade_version);
    free(result->environment.isolation);
    free(result->build.command);
    free(result->build.entry_kind);
    free(result->build.entry_name);
    free(result->build.log);
}

#define FREE_ARRAY(array, count, done)                                                             \
    do {                                                                                           \
        for (size_t i = 0; i < (count); i++) {                                                     \
            done(&(array)[i]);                                                                     \
        }                                                                                          \
        free(array);                                                                               \
    } while (0)

void wg_result_free(struct wg_result *result) {
    if (!result) {
        return;
    }
    free(result->sentence);
    free(result->output);
    facts_done(result);
    FREE_ARRAY(result->build.diagnostics, result->build.diagnostic_count, diagnostic_done);
    FREE_ARRAY(result->cases, result->case_count, case_done);
    FREE_ARRAY(result->findings, result->finding_count, finding_done);
    FREE_ARRAY(result->timings, result->timing_count, timing_done);
    FREE_ARRAY(result->counters, result->counter_count, counters_done);
    FREE_ARRAY(result->resources, result->resource_count, resources_done);
    FREE_ARRAY(result->rubric, result->rubric_count, rubric_done);
    for (size_t i = 0; i < result->stage_count; i++) {
        free(result->stages[i].name);
    }
    free(result->stages);
    free(result);
}

/* The capacity is not stored: an array is full exactly when its count is 0 or a power of two. */
static void *grow(void *array, size_t *count, size_t size) {
    if ((*count & (*count - 1)) == 0) {
        array = wg_realloc(array, *count ? *count * 2 : 1, size);
    }
    memset((char *)array + *count * size, 0, size);
    (*count)++;
    return array;
}

#define ADD_TO(array, count)                                                                       \
    ((array) = grow((array), &(count), sizeof *(array)), &(array)[(count) - 1])

struct wg_result_case *wg_result_add_case(struct wg_result *result) {
    struct wg_result_case *one = ADD_TO(result->cases, result->case_count);
    one->first_wrong_row = -1;
    one->first_wrong_column = -1;
    return one;
}

struct wg_result_finding *wg_result_add_finding(struct wg_result *result) {
    struct wg_result_finding *finding = ADD_TO(result->findings, result->finding_count);
    finding->case_index = -1;
    return finding;
}

struct wg_result_timing *wg_result_add_timing(struct wg_result *result) {
    return ADD_TO(result->timings, result->timing_count);
}

struct wg_result_counters *wg_result_add_counters(struct wg_result *result) {
    return ADD_TO(result->counters, result->counter_count);
}

struct wg_result_resources *wg_result_add_resources(struct wg_result *result) {
    return ADD_TO(result->resources, result->resource_count);
}

struct wg_result_diagnostic *wg_result_add_diagnostic(struct wg_result *result) {
    return ADD_TO(result->build.diagnostics, result->build.diagnostic_count);
}

struct wg_result_rubric *wg_result_add_rubric(struct wg_result *result) {
    return ADD_TO(result->rubric, result->rubric_count);
}

void wg_result_add_stage(struct wg_result *result, const char *name, int64_t wall_ns) {
    struct wg_result_stage *stage = ADD_TO(result->stages, result->stage_count);
    stage->name = wg_strdup(name);
    stage->wall_ms = (double)wall_ns / 1e6;
}
