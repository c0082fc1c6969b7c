/* Checks an assignment as its students will meet it: the manifest must load, naive and tuned must
 * pass as if they had been handed in, and the starter must compile without being the answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/commands.h"
#include "grader/manifest/manifest.h"

#define SOURCE_LIMIT_BYTES ((size_t)1 << 20)

static const struct wg_option options[] = {
    {.name = "platform",
     .kind = WG_OPTION_CHOICE,
     .argument = "NAME",
     WG_OPTION_AT(platform),
     .choices = wg_platform_choices,
     .help = "auto, cpu, amd or nvidia"},
    {.name = "device",
     .kind = WG_OPTION_STRING,
     .argument = "GPU",
     WG_OPTION_AT(device),
     .help = "which of several GPUs: index, UUID or PCI address"},
    {.name = "no-timing",
     .kind = WG_OPTION_FLAG,
     WG_OPTION_AT(no_timing),
     .help = "skip the timed sizes"},
    {.name = "seed",
     .kind = WG_OPTION_SEED,
     .argument = "N",
     WG_OPTION_AT(seed),
     .given_offset = offsetof(struct wg_grading_options, has_seed),
     .help = "make the inputs of an earlier run again"},
    {.name = "verbose",
     .letter = 'v',
     .kind = WG_OPTION_FLAG,
     WG_OPTION_AT(verbose),
     .help = "the report of each reference, also where all is well"},
    {.name = "quiet",
     .letter = 'q',
     .kind = WG_OPTION_FLAG,
     WG_OPTION_AT(quiet),
     .help = "no progress"},
    {0},
};

static const char *const examples[] = {
    "wavegrade lint assignments/transpose",
    "before a new or changed assignment goes to students",
    NULL,
};

struct lint {
    const struct wg_grading_options *options;
    const struct wg_manifest *manifest;
    struct wg_buf report;
    size_t faults;
    bool machine_fault;
};

enum outcome { FINE, REMARK, FAULT };

static void say(struct lint *lint, enum outcome outcome, const char *what, const char *text) {
    static const char *const words[] = {[FINE] = "ok", [REMARK] = "note", [FAULT] = "FAULT"};
    wg_buf_printf(&lint->report, "  %-6s %-15s %s\n", words[outcome], what, text);
    lint->faults += outcome == FAULT;
}

/* Grades one source file as if a student had handed it in. *out stays NULL when that failed. */
static enum wg_code grade_as_student(const struct lint *lint, const char *source_path,
                                     bool with_timing, struct wg_result **out, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf source = {0};
    WG_CLEANUP(wg_freep) char *folder = NULL;
    enum wg_code code = wg_file_read(source_path, SOURCE_LIMIT_BYTES, &source, err);
    if (code == WG_OK) {
        code = wg_folder_make_temp("wavegrade-lint", &folder, err);
    }
    if (code != WG_OK) {
        return code;
    }
    WG_CLEANUP(wg_freep) char *copy = wg_path_join(folder, lint->manifest->file);
    code = wg_file_write(copy, source.data, source.len, 0600, err);
    struct wg_cmd_progress progress = wg_cmd_progress_start(!lint->options->quiet);
    struct wg_grade_request request = {
        .location = folder,
        .is_folder = true,
        .assignment = lint->manifest->folder,
        .platform = lint->options->platform,
        .has_seed = lint->options->has_seed,
        .seed = lint->options->seed,
        .timing = with_timing && !lint->options->no_timing,
        .checked = true,
        .progress = wg_cmd_progress_show,
        .progress_ctx = &progress,
    };
    if (code == WG_OK) {
        code = wg_grade(&request, out, err);
    }
    wg_cmd_progress_end(&progress);
    wg_folder_remove(folder, NULL);
    return code;
}

static void append_report(struct lint *lint, const struct wg_result *result) {
    struct wg_text_style style = wg_cmd_style(STDOUT_FILENO);
    style.verbose = lint->options->verbose;
    wg_buf_puts(&lint->report, "\n");
    wg_export_text(result, &style, &lint->report);
    wg_buf_puts(&lint->report, "\n");
}

static double slowest_speedup(const struct wg_result *result) {
    double least = 0;
    for (size_t i = 0; i < result->timing_count; i++) {
        double speedup = result->timings[i].speedup;
        least = i == 0 || speedup < least ? speedup : least;
    }
    return least;
}

/* Notes are no faults: that atomic additions come in any order, for instance. */
static size_t faults_found(const struct wg_result *result) {
    size_t faults = 0;
    for (size_t i = 0; i < result->finding_count; i++) {
        faults += strcmp(result->findings[i].severity, "note") != 0;
    }
    return faults;
}

static char *praise(const struct wg_result *result) {
    const char *findings = result->finding_count > 0 ? "with notes only" : "without a finding";
    if (result->timing_count == 0) {
        return wg_strf("passes all %zu cases %s", result->case_count, findings);
    }
    return wg_strf("passes all %zu cases %s; %.2f times as fast as naive at least%s",
                   result->case_count, findings, slowest_speedup(result),
                   result->timings[0].emulated ? " (emulated)" : "");
}

static void lint_reference(struct lint *lint, const char *name, bool required) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(lint->manifest->reference_folder, name);
    if (!wg_file_exists(path)) {
        say(lint, required ? FAULT : REMARK, name, "is missing");
        return;
    }
    struct wg_err err = {0};
    struct wg_result *result = NULL;
    if (grade_as_student(lint, path, true, &result, &err) != WG_OK) {
        say(lint, FAULT, name, err.msg);
        lint->machine_fault = true;
        return;
    }
    size_t faults = faults_found(result);
    bool good = result->verdict == WG_VERDICT_PASS && faults == 0;
    WG_CLEANUP(wg_freep)
    char *text = good ? praise(result)
                      : wg_strf("%s, %zu finding%s: a reference must pass without any",
                                wg_verdict_name(result->verdict), faults, faults == 1 ? "" : "s");
    say(lint, good ? FINE : FAULT, name, text);
    lint->machine_fault = lint->machine_fault || result->verdict == WG_VERDICT_GRADER_ERROR;
    if (!good || lint->options->verbose) {
        append_report(lint, result);
    }
    wg_result_free(result);
}

static void lint_starter(struct lint *lint) {
    WG_CLEANUP(wg_freep)
    char *path = wg_strf("%s/starter/%s", lint->manifest->folder, lint->manifest->file);
    if (!wg_file_exists(path)) {
        say(lint, REMARK, "starter", "is missing: students would start from nothing");
        return;
    }
    struct wg_err err = {0};
    struct wg_result *result = NULL;
    if (grade_as_student(lint, path, false, &result, &err) != WG_OK) {
        say(lint, FAULT, "starter", err.msg);
        lint->machine_fault = true;
        return;
    }
    if (result->verdict == WG_VERDICT_GRADER_ERROR) {
        say(lint, FAULT, "starter", result->sentence);
        lint->machine_fault = true;
    } else if (!result->build.ok) {
        say(lint, FAULT, "starter", "does not compile: students would start with an error");
        append_report(lint, result);
    } else if (result->verdict == WG_VERDICT_PASS) {
        say(lint, FAULT, "starter", "passes: it gives the answer away");
    } else {
        WG_CLEANUP(wg_freep)
        char *text =
            wg_strf("compiles and does not pass yet (%s)", wg_verdict_name(result->verdict));
        say(lint, FINE, "starter", text);
    }
    wg_result_free(result);
}

static void lint_manifest(struct lint *lint) {
    const struct wg_manifest *manifest = lint->manifest;
    size_t timed = 0;
    double points = 0;
    for (size_t i = 0; i < manifest->case_count; i++) {
        timed += manifest->cases[i].timed;
    }
    for (size_t i = 0; i < manifest->rubric_count; i++) {
        points += manifest->rubric[i].points;
    }
    WG_CLEANUP(wg_freep)
    char *text = wg_strf("%zu cases, %zu timed sizes, %g points", manifest->case_count - timed,
                         timed, points);
    say(lint, FINE, "assignment.json", text);
    WG_CLEANUP(wg_freep) char *handout = wg_path_join(manifest->folder, "HANDOUT.md");
    bool there = wg_file_exists(handout);
    say(lint, there ? FINE : REMARK, "HANDOUT.md", there ? "is there" : "is missing");
}

/* Points that go by tuned.hip need one. */
static bool needs_tuned(const struct wg_manifest *manifest) {
    for (size_t i = 0; i < manifest->rubric_count; i++) {
        if (manifest->rubric[i].curve_kind == WG_CURVE_TUNED) {
            return true;
        }
    }
    return false;
}

static int run(const struct wg_line *line) {
    struct wg_err err = {0};
    wg_cmd_choose_jail(line->values, WG_JAIL_AUTO);
    struct wg_manifest *manifest = NULL;
    /* A folder that is called like a bundled assignment is the one that is checked. */
    WG_CLEANUP(wg_freep) char *folder = realpath(line->operands[0], NULL);
    enum wg_code code = folder ? wg_manifest_load(folder, &manifest, &err)
                               : wg_manifest_find(line->operands[0], &manifest, &err);
    code = code ? code : wg_cmd_choose_device(line->values, &err);
    if (code != WG_OK) {
        wg_cmd_fail(&err);
        return err.code == WG_EPARSE ? WG_EXIT_SHORT : WG_EXIT_USAGE;
    }
    struct lint lint = {.options = line->values, .manifest = manifest};
    wg_buf_printf(&lint.report, "%s, version %d: %s\n", manifest->id, manifest->version,
                  manifest->title);
    lint_manifest(&lint);
    lint_reference(&lint, "naive.hip", true);
    lint_reference(&lint, "tuned.hip", needs_tuned(manifest));
    lint_starter(&lint);
    if (lint.faults) {
        wg_buf_printf(&lint.report, "%zu fault%s to mend before students see it.\n", lint.faults,
                      lint.faults == 1 ? "" : "s");
    } else {
        wg_buf_puts(&lint.report, "Ready for students.\n");
    }
    int status = lint.machine_fault ? WG_EXIT_FAULT : lint.faults ? WG_EXIT_SHORT : WG_EXIT_PASS;
    if (wg_cmd_print(&lint.report, &err) != WG_OK) {
        status = WG_EXIT_FAULT;
        wg_cmd_fail(&err);
    }
    wg_buf_done(&lint.report);
    wg_manifest_free(manifest);
    return status;
}

const struct wg_command wg_cmd_lint = {
    .name = "lint",
    .summary = "check an assignment and its references against each other",
    .operands = "ASSIGNMENT",
    .options = options,
    .examples = examples,
    .epilogue = "Exit codes: 0 ready for students; 1 the assignment has faults; 2 a fault of the "
                "grader or the machine; 64 a mistake on the command line.",
    .min_operands = 1,
    .max_operands = 1,
    .defaults = &wg_grading_defaults,
    .values_bytes = sizeof(struct wg_grading_options),
    .run = run,
};
