/* Compiles and tells what became of it: diagnostics, and for GPUs what each kernel takes. Nothing
 * is run, so neither a GPU nor trust in the file is needed. */
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "grader/build/build.h"
#include "grader/commands.h"
#include "grader/grade/environment.h"
#include "grader/manifest/manifest.h"
#include "grader/repo/repo.h"

#define FILE_LIMIT_BYTES ((int64_t)1 << 20)

/* What AMD machines in teaching have: Instinct MI200 and MI300, Radeon 7000 and 9000. */
#define AMD_ARCHES "gfx90a,gfx942,gfx1100,gfx1201"

static const struct wg_option options[] = {
    {.name = "assignment",
     .kind = WG_OPTION_STRING,
     .argument = "NAME",
     WG_OPTION_AT(assignment),
     .help = "name or folder of the assignment; otherwise recognized from the file's name; a file "
             "of no assignment is compiled for its kernels' sake"},
    {.name = "platform",
     .kind = WG_OPTION_CHOICE,
     .argument = "NAME",
     WG_OPTION_AT(platform),
     .choices = wg_platform_choices,
     .help = "amd, nvidia or cpu; auto is the first of them that this installation compiles for"},
    {.name = "arch",
     .kind = WG_OPTION_STRING,
     .argument = "LIST",
     WG_OPTION_AT(arch),
     .help =
         "GPUs to compile for, such as gfx90a,gfx1100 or sm_90 (amd: " AMD_ARCHES " if not given)"},
    {.name = "format",
     .kind = WG_OPTION_CHOICE,
     .argument = "NAME",
     WG_OPTION_AT(format),
     .choices = wg_plain_format_choices,
     .help = "text (default) or json"},
    {.name = "output",
     .letter = 'o',
     .kind = WG_OPTION_STRING,
     .argument = "FILE",
     WG_OPTION_AT(output),
     .help = "write the report to FILE"},
    {.name = "verbose",
     .letter = 'v',
     .kind = WG_OPTION_FLAG,
     WG_OPTION_AT(verbose),
     .help = "every arch in words, warnings, the command"},
    {.name = "quiet",
     .letter = 'q',
     .kind = WG_OPTION_FLAG,
     WG_OPTION_AT(quiet),
     .help = "the verdict only, no progress"},
    {0},
};

static const char *const examples[] = {
    "wavegrade build matmul.hip",
    "does it compile, and how many registers does it take?",
    "wavegrade build . --platform amd --arch gfx90a,gfx942,gfx1100,gfx1201 --format json",
    "the same for four GPUs, for programs",
    NULL,
};

struct building {
    const struct wg_grading_options *options;
    const char *location;
    const struct wg_platform *platform;
    struct wg_manifest **manifests; /* manifest_count of them */
    size_t manifest_count;
    const struct wg_manifest *manifest; /* NULL: a file of no assignment */
    struct wg_buf source;
    char *file; /* its name, without folders */
    struct wg_result *result;
};

static void building_done(struct building *building) {
    for (size_t i = 0; i < building->manifest_count; i++) {
        wg_manifest_free(building->manifests[i]);
    }
    free((void *)building->manifests);
    wg_buf_done(&building->source);
    free(building->file);
    wg_result_free(building->result);
}

/* ---- What is compiled ---- */

static enum wg_code pick_platform(struct building *building, struct wg_err *err) {
    const char *name = building->options->platform;
    size_t count = 0;
    const struct wg_platform *all = wg_platform_list(&count);
    for (size_t i = 0; i < count && !building->platform; i++) {
        bool wanted = strcmp(name, "auto") == 0 ? wg_build_has_platform(all[i].name)
                                                : strcmp(name, all[i].name) == 0;
        building->platform = wanted ? &all[i] : NULL;
    }
    return building->platform ? WG_OK
                              : wg_fail(err, WG_EUNSUPPORTED,
                                        "this installation of wavegrade compiles for no platform");
}

static enum wg_code check_arch(const struct building *building, struct wg_err *err) {
    if (!building->options->arch || strcmp(building->platform->name, "cpu") != 0) {
        return WG_OK;
    }
    return wg_fail(err, WG_EINVAL,
                   "--arch names GPUs to compile for: the cpu platform has none; --platform amd "
                   "or nvidia goes with it");
}

static enum wg_code find_manifests(struct building *building, struct wg_err *err) {
    const char *name = building->options->assignment;
    if (!name) {
        return wg_manifest_load_all(&building->manifests, &building->manifest_count, err);
    }
    building->manifests = wg_calloc(1, sizeof *building->manifests);
    enum wg_code code = wg_manifest_find(name, &building->manifests[0], err);
    building->manifest_count = code == WG_OK ? 1 : 0;
    return code;
}

static enum wg_code take_file(struct building *building, struct wg_err *err) {
    const char *slash = strrchr(building->location, '/');
    building->file = wg_strdup(slash ? slash + 1 : building->location);
    for (size_t i = 0; i < building->manifest_count && !building->manifest; i++) {
        bool fits = building->options->assignment ||
                    strcmp(building->manifests[i]->file, building->file) == 0;
        building->manifest = fits ? building->manifests[i] : NULL;
    }
    return wg_file_read(building->location, (size_t)FILE_LIMIT_BYTES, &building->source, err);
}

static enum wg_code take_folder(struct building *building, struct wg_err *err) {
    WG_CLEANUP(wg_submission_done) struct wg_submission found = {0};
    WG_CLEANUP(wg_freep)
    const char **files = wg_calloc(building->manifest_count + 1, sizeof *files);
    for (size_t i = 0; i < building->manifest_count; i++) {
        files[i] = building->manifests[i]->file;
    }
    const struct wg_repo_request wanted = {
        .location = building->location,
        .files = files,
        .file_count = building->manifest_count,
        .limit_file_bytes = FILE_LIMIT_BYTES,
    };
    enum wg_code code = wg_repo_read_folder(&wanted, &found, err);
    if (code != WG_OK) {
        return code;
    }
    building->result->verdict = found.verdict;
    building->result->sentence = WG_TAKE(&found.sentence);
    building->result->submission.is_folder = true;
    building->result->submission.path = WG_TAKE(&found.path);
    if (found.verdict == WG_VERDICT_PASS && found.file_index >= 0) {
        building->manifest = building->manifests[found.file_index];
        building->file = wg_strdup(building->manifest->file);
        wg_buf_add(&building->source, wg_buf_str(&found.source), found.source.len);
    }
    return WG_OK;
}

static void describe_source(struct building *building) {
    struct wg_result *result = building->result;
    if (!building->file) {
        return;
    }
    result->submission.file = wg_strdup(building->file);
    wg_text_sha256_hex(wg_buf_str(&building->source), building->source.len,
                       result->submission.source_sha256);
    struct wg_buf clean = {0};
    wg_text_utf8(&clean, wg_buf_str(&building->source), building->source.len);
    result->submission.source = clean.data;
    if (building->manifest) {
        result->assignment.id = wg_strdup(building->manifest->id);
        result->assignment.title = wg_strdup(building->manifest->title);
        result->assignment.version = building->manifest->version;
        memcpy(result->assignment.digest, building->manifest->digest,
               sizeof result->assignment.digest);
    }
}

/* ---- Compiling ---- */

static char *success_in_words(const struct building *building, const struct wg_build *build) {
    struct wg_buf text = {0};
    wg_buf_printf(&text, "It compiles for %s", building->platform->name);
    if (build->entry_name) {
        wg_buf_printf(&text, ", and its %s is there",
                      build->entry_kind == WG_ENTRY_KERNEL ? "kernel" : "launcher");
    }
    wg_buf_puts(&text, ". Nothing was run: `wavegrade check` tells whether it is right.");
    return text.data;
}

static enum wg_code compile(struct building *building, struct wg_err *err) {
    const char *platform = building->platform->name;
    const char *arches = building->options->arch;
    if (!building->manifest && strcmp(platform, "cpu") == 0) {
        return wg_fail(err, WG_EINVAL,
                       "%.100s is no file of an assignment: say which one with --assignment",
                       building->file);
    }
    if (!arches && strcmp(platform, "amd") == 0) {
        arches = AMD_ARCHES;
    }
    const struct wg_build_target target = {
        .platform = platform,
        .arches = arches,
        .facts_only = !building->manifest,
    };
    WG_CLEANUP(wg_build_done) struct wg_build build = {0};
    enum wg_code code =
        wg_build_source(&target, building->manifest, building->file, wg_buf_str(&building->source),
                        building->source.len, &build, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_result *result = building->result;
    wg_build_describe(&build, platform, result);
    wg_result_add_stage(result, "build", build.wall_ns);
    result->verdict = build.verdict;
    free(result->sentence);
    result->sentence =
        build.sentence ? wg_strdup(build.sentence) : success_in_words(building, &build);
    if (arches) {
        result->environment.arch = wg_strdup(arches);
    }
    return WG_OK;
}

static enum wg_code build(struct building *building, struct wg_err *err) {
    enum wg_code code = pick_platform(building, err);
    code = code ? code : check_arch(building, err);
    code = code ? code : find_manifests(building, err);
    if (code != WG_OK) {
        return code;
    }
    code = wg_file_is_folder(building->location) ? take_folder(building, err)
                                                 : take_file(building, err);
    if (code != WG_OK) {
        return code;
    }
    describe_source(building);
    if (building->result->verdict == WG_VERDICT_PASS) {
        code = compile(building, err);
    }
    wg_environment_fill(building->platform, building->result);
    building->result->environment.warp_size = 0; /* each kernel's own says */
    return code;
}

static int run(const struct wg_line *line) {
    struct wg_err err = {0};
    wg_cmd_choose_jail(line->values, WG_JAIL_AUTO);
    WG_CLEANUP(building_done)
    struct building building = {
        .options = line->values,
        .location = line->operand_count ? line->operands[0] : ".",
        .result = wg_result_new(),
    };
    struct wg_cmd_progress progress = wg_cmd_progress_start(!building.options->quiet);
    wg_cmd_progress_show(&progress, "compiling", 0, 0);
    enum wg_code code = build(&building, &err);
    wg_cmd_progress_end(&progress);
    code = code ? code : wg_cmd_report(building.options, building.result, &err);
    if (code != WG_OK) {
        return wg_cmd_fail(&err);
    }
    return building.result->verdict == WG_VERDICT_PASS ? WG_EXIT_PASS : WG_EXIT_SHORT;
}

const struct wg_command wg_cmd_build = {
    .name = "build",
    .summary = "compile only, and tell what each kernel takes of a GPU",
    .operands = "[FILE_OR_FOLDER]",
    .about = "Compiles for a platform, in isolation and without running anything, and tells "
             "registers, spills, shared memory and waves of each kernel, on a machine with no GPU.",
    .options = options,
    .examples = examples,
    .epilogue = "Exit codes: 0 it compiles; 1 it does not; 2 a fault of the grader or the machine; "
                "64 a mistake on the command line.",
    .max_operands = 1,
    .defaults = &wg_grading_defaults,
    .values_bytes = sizeof(struct wg_grading_options),
    .run = run,
};
