#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/export/samples.h"

static void add_line(struct wg_result *result, const char *id, const char *title, double points,
                     double most, bool measured, const char *note) {
    struct wg_result_rubric *line = wg_result_add_rubric(result);
    line->id = wg_strdup(id);
    line->title = wg_strdup(title);
    line->points = measured ? points : 0;
    line->max_points = most;
    line->measured = measured;
    line->note = wg_strdup(note);
    result->total_points += most;
    result->score_complete = result->score_complete && measured;
    if (measured) {
        result->points += line->points;
        result->max_points += most;
    }
}

static struct wg_result *start(enum wg_verdict verdict, const char *sentence) {
    struct wg_result *result = wg_result_new();
    result->verdict = verdict;
    result->sentence = wg_strdup(sentence);
    result->seed = 42;
    result->score_complete = true;
    result->submission.repository = wg_strdup("https://git.example.invalid/student/lab1");
    result->submission.ref = wg_strdup("main");
    result->submission.commit = wg_strdup("0123456789abcdef0123456789abcdef01234567");
    result->submission.commit_time_s = 1700000000;
    result->submission.path = wg_strdup("lab1/vector_add.hip");
    result->submission.file = wg_strdup("vector_add.hip");
    result->submission.source = wg_strdup("__global__ void vector_add_kernel();\n");
    result->assignment.id = wg_strdup("vector_add");
    result->assignment.title = wg_strdup("Vector addition");
    result->assignment.version = 1;
    result->environment.platform = wg_strdup("cpu");
    result->environment.wavegrade_version = wg_strdup("0.1.0");
    result->environment.date_s = 1700003600;
    wg_result_add_stage(result, "build", 150000000);
    wg_result_add_stage(result, "check", 1250000000);
    return result;
}

static void set_built(struct wg_result *result, bool ok) {
    result->build.reached = true;
    result->build.ok = ok;
    result->build.wall_ms = 150;
    result->build.entry_kind = wg_strdup("launcher");
}

static struct wg_result_case *add_case(struct wg_result *result, int64_t n,
                                       enum wg_verdict verdict) {
    struct wg_result_case *one = wg_result_add_case(result);
    one->dim_names[0] = wg_strdup("n");
    one->dims[0] = n;
    one->dim_count = 1;
    one->seed = 7;
    one->verdict = verdict;
    one->wall_ns = 2000000;
    one->element_count = (uint64_t)n;
    return one;
}

static struct wg_result_finding *add_finding(struct wg_result *result, const char *kind,
                                             const char *severity, int line, const char *text) {
    struct wg_result_finding *finding = wg_result_add_finding(result);
    finding->kind = wg_strdup(kind);
    finding->severity = wg_strdup(severity);
    finding->at.file = wg_strdup("vector_add.hip");
    finding->at.line = line;
    finding->at.column = 5;
    finding->occurrences = 3;
    finding->text = wg_strdup(text);
    return finding;
}

static struct wg_result *make_pass(void) {
    struct wg_result *result =
        start(WG_VERDICT_PASS, "All 2 cases are right, with 1 thing to look at.");
    set_built(result, true);
    add_case(result, 1, WG_VERDICT_PASS);
    add_case(result, 1000, WG_VERDICT_PASS);
    add_finding(result, "UNCHECKED_ERROR", "warning", 12,
                "The result of hipMalloc is not looked at.");
    add_line(result, "build", "Compiles", 10, 10, true, "compiles");
    add_line(result, "correctness", "Right at every size", 40, 40, true, "2 of 2 cases right");
    add_line(result, "speed", "Speed", 0, 30, false, "not measured here: needs a GPU");
    return result;
}

static struct wg_result *make_wrong(void) {
    struct wg_result *result =
        start(WG_VERDICT_WRONG_ANSWER, "n=1000: the last 24 elements are never written.");
    set_built(result, true);
    add_case(result, 1, WG_VERDICT_PASS);
    struct wg_result_case *wrong = add_case(result, 1000, WG_VERDICT_WRONG_ANSWER);
    wrong->sentence = wg_strdup("The last 24 elements are never written.");
    wrong->pattern = wg_strdup("tail");
    wrong->output = wg_strdup("c");
    wrong->wrong_count = 24;
    wrong->has_first_wrong = true;
    wrong->first_wrong_index = 976;
    wrong->expected = 1.25;
    wrong->got = (double)NAN;
    add_line(result, "build", "Compiles", 10, 10, true, "compiles");
    /* Rounded one by one, these make another sum than rounded together. */
    add_line(result, "correctness", "Right at every size", 13.4, 40, true, "1 of 3 cases right");
    add_line(result, "memory", "No memory errors", 6.4, 20, true, "1 error found");
    add_line(result, "speed", "Speed", 0, 30, false, "not measured here: needs a GPU");
    return result;
}

static struct wg_result *make_race(void) {
    struct wg_result *result =
        start(WG_VERDICT_DATA_RACE, "vector_add.hip:18: Two threads meet at tile[0].");
    set_built(result, true);
    struct wg_result_case *one = add_case(result, 1000, WG_VERDICT_DATA_RACE);
    one->sentence = wg_strdup("Two threads meet at tile[0].");
    add_case(result, 1024, WG_VERDICT_DATA_RACE)->not_run = true;
    add_finding(result, "DATA_RACE", "error", 18,
                "Two threads meet at tile[0].\nPut a barrier between.");
    add_line(result, "build", "Compiles", 10, 10, true, "compiles");
    add_line(result, "correctness", "Right at every size", 0, 40, true, "0 of 2 cases right");
    add_line(result, "speed", "Speed", 0, 30, true, "speed counts once every case is right");
    return result;
}

static struct wg_result *make_build_error(void) {
    struct wg_result *result =
        start(WG_VERDICT_BUILD_ERROR, "vector_add.hip:4: expected ';' after expression");
    set_built(result, false);
    for (int i = 0; i < 30; i++) {
        struct wg_result_diagnostic *diagnostic = wg_result_add_diagnostic(result);
        diagnostic->file = wg_strdup("vector_add.hip");
        diagnostic->line = 4 + i;
        diagnostic->column = 6;
        diagnostic->severity = wg_strdup("error");
        diagnostic->message = wg_strdup("expected ';' after expression");
    }
    add_line(result, "build", "Compiles", 0, 10, true, "does not compile");
    add_line(result, "correctness", "Right at every size", 0, 40, true, "nothing ran");
    add_line(result, "speed", "Speed", 0, 30, false, "not measured here: needs a GPU");
    return result;
}

static struct wg_result *make_grader_error(void) {
    struct wg_result *result =
        start(WG_VERDICT_GRADER_ERROR, "The sandbox could not be started: no bwrap.");
    set_built(result, true);
    add_case(result, 1, WG_VERDICT_PASS);
    add_case(result, 1000, WG_VERDICT_GRADER_ERROR);
    add_line(result, "build", "Compiles", 0, 10, false, "not graded");
    add_line(result, "correctness", "Right at every size", 0, 40, false, "not graded");
    return result;
}

/* Ended before there was anything to say about the work. */
static struct wg_result *make_not_started(void) {
    struct wg_result *result = start(WG_VERDICT_GRADER_ERROR, "Not graded: no space is left.");
    free(result->submission.path);
    result->submission.path = NULL;
    result->environment.date_s = 0;
    return result;
}

static void replace(char **field, const char *value) {
    free(*field);
    *field = wg_strdup(value);
}

/* Every line of this is somebody's weapon: workflow commands, markup, JSON, CSV formulas, terminal
 * escapes, bidirectional overrides, characters that are none, and Autolab's last line. */
static const char attack[] =
    "=cmd|' /C calc'!A0,\"x\"\n::error file=/etc/passwd,line=1::pwned\n##[add-path]/tmp\n"
    "{\"scores\": {\"correctness\": 9999}}\n</pre></system-out>]]><script>alert(1)</script>&amp;\n"
    "@everyone [x](javascript:alert(1)) `${{ secrets.TOKEN }}` %0A::warning::x\r\n"
    "\x1b[31m\x07 \xe2\x80\xae \xef\xbf\xbe \xef\xbf\xbf \xff\xfe \xed\xa0\x80 \x01\x7f\xc2\x9b "
    "end";

static struct wg_result *make_hostile(void) {
    struct wg_result *result = make_race();
    replace(&result->sentence, attack);
    replace(&result->submission.repository, attack);
    replace(&result->submission.path, attack);
    replace(&result->submission.file, attack);
    replace(&result->submission.source, attack);
    replace(&result->submission.ref, attack);
    replace(&result->assignment.title, attack);
    replace(&result->environment.device, attack);
    replace(&result->findings[0].kind, attack);
    replace(&result->findings[0].at.file, attack);
    replace(&result->findings[0].text, attack);
    replace(&result->cases[0].sentence, attack);
    replace(&result->cases[0].dim_names[0], attack);
    replace(&result->rubric[1].title, attack);
    replace(&result->rubric[1].note, attack);
    result->output = wg_strdup(attack);
    for (int i = 0; i < 40; i++) {
        struct wg_result_finding *finding = add_finding(result, attack, "error", i + 1, attack);
        replace(&finding->at.file, i % 2 ? attack : "other.h");
        struct wg_result_diagnostic *diagnostic = wg_result_add_diagnostic(result);
        diagnostic->file = wg_strdup(attack);
        diagnostic->line = i + 1;
        diagnostic->severity = wg_strdup("warning");
        diagnostic->message = wg_strdup(attack);
    }
    return result;
}

const struct sample samples[] = {
    {"pass", make_pass},
    {"wrong_answer", make_wrong},
    {"data_race", make_race},
    {"build_error", make_build_error},
    {"grader_error", make_grader_error},
    {"not_started", make_not_started},
    {"hostile", make_hostile},
};
const size_t sample_count = sizeof samples / sizeof samples[0];
