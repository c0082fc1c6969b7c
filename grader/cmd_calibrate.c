/* Measures a device for an assignment: what a launch costs, the ceilings, the naive and the tuned
 * reference at each timed size. An instructor with another GPU sees what its thresholds mean there.
 *
 * tuned.hip is graded like a submission: what is measured here is what gradings measure, and a
 * device on which the reference does not pass is not fit for grading. The record that is kept is
 * that result. */
#include <stdio.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/commands.h"
#include "grader/manifest/manifest.h"

#define SOURCE_LIMIT_BYTES ((size_t)1 << 20)

static const struct wg_option options[] = {
    {.name = "platform",
     .kind = WG_OPTION_CHOICE,
     .argument = "NAME",
     WG_OPTION_AT(platform),
     .choices = wg_platform_choices,
     .help = "auto, cpu, amd or nvidia; times of cpu are emulated and no GPU's"},
    {.name = "device",
     .kind = WG_OPTION_STRING,
     .argument = "GPU",
     WG_OPTION_AT(device),
     .help = "which of several GPUs: index, UUID or PCI address"},
    {.name = "output",
     .letter = 'o',
     .kind = WG_OPTION_STRING,
     .argument = "FILE",
     WG_OPTION_AT(output),
     .help = "keep the record in FILE; otherwise in the user's cache"},
    {.name = "quiet",
     .letter = 'q',
     .kind = WG_OPTION_FLAG,
     WG_OPTION_AT(quiet),
     .help = "no progress"},
    {0},
};

static const char *const examples[] = {
    "wavegrade calibrate matmul",
    "what are naive and tuned worth on this GPU?",
    "wavegrade calibrate assignments/transpose --device 1 -o mi300x.json",
    "an assignment of one's own on the second GPU",
    NULL,
};

static enum wg_code measure(const struct wg_grading_options *values,
                            const struct wg_manifest *manifest, struct wg_result **out,
                            struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf source = {0};
    WG_CLEANUP(wg_freep) char *folder = NULL;
    WG_CLEANUP(wg_freep) char *path = wg_path_join(manifest->reference_folder, "tuned.hip");
    if (!wg_file_exists(path)) {
        return wg_fail(err, WG_EINVAL, "assignment %s has no tuned.hip to measure", manifest->id);
    }
    enum wg_code code = wg_file_read(path, SOURCE_LIMIT_BYTES, &source, err);
    code = code ? code : wg_folder_make_temp("wavegrade-calibrate", &folder, err);
    if (code != WG_OK) {
        return code;
    }
    WG_CLEANUP(wg_freep) char *copy = wg_path_join(folder, manifest->file);
    code = wg_file_write(copy, source.data, source.len, 0600, err);
    struct wg_cmd_progress progress = wg_cmd_progress_start(!values->quiet);
    const struct wg_grade_request request = {
        .location = folder,
        .is_folder = true,
        .assignment = manifest->folder,
        .platform = values->platform,
        .timing = true,
        .progress = wg_cmd_progress_show,
        .progress_ctx = &progress,
    };
    code = code ? code : wg_grade(&request, out, err);
    wg_cmd_progress_end(&progress);
    wg_folder_remove(folder, NULL);
    return code;
}

/* CACHE/calibration/ASSIGNMENT-DEVICE.json; heap. */
static enum wg_code record_path(const struct wg_result *result, char **out, struct wg_err *err) {
    const char *cache = NULL;
    enum wg_code code = wg_paths_cache(&cache, err);
    if (code != WG_OK) {
        return code;
    }
    WG_CLEANUP(wg_freep) char *folder = wg_path_join(cache, "calibration");
    code = wg_folder_make(folder, 0700, err);
    if (code != WG_OK) {
        return code;
    }
    const char *device = result->environment.device ? result->environment.device : "device";
    *out = wg_strf("%s/%s-%s.json", folder, result->assignment.id, device);
    for (char *c = *out + strlen(folder) + 1; *c; c++) {
        *c = *c == '/' || *c == ' ' ? '-' : *c;
    }
    return WG_OK;
}

static void put_size(const struct wg_result_timing *timing, struct wg_buf *out) {
    WG_CLEANUP(wg_buf_done) struct wg_buf dims = {0};
    for (size_t i = 0; i < timing->dim_count; i++) {
        wg_buf_printf(&dims, "%s%s=%lld", i ? " " : "", timing->dim_names[i],
                      (long long)timing->dims[i]);
    }
    wg_buf_printf(out, "  %-24s %10.4f %10.4f %8.2f %5.2f-%-5.2f", wg_buf_str(&dims),
                  timing->baseline.median_ms, timing->student.median_ms, timing->speedup,
                  timing->speedup_low, timing->speedup_high);
    if (timing->ceiling_ms > 0) {
        wg_buf_printf(out, " %10.4f %6.0f%%", timing->ceiling_ms, timing->ceiling_share * 100);
    }
    wg_buf_printf(out, "\n");
    if (timing->note) {
        wg_buf_printf(out, "      %s\n", timing->note);
    }
}

static void put_ceilings(const struct wg_result *result, struct wg_buf *out) {
    double copy_gb_s = 0;
    double blas_gflops = 0;
    const char *blas = NULL;
    for (size_t i = 0; i < result->timing_count; i++) {
        const struct wg_result_timing *timing = &result->timings[i];
        copy_gb_s = timing->copy_gb_s > copy_gb_s ? timing->copy_gb_s : copy_gb_s;
        blas_gflops = timing->blas_gflops > blas_gflops ? timing->blas_gflops : blas_gflops;
        blas = timing->blas ? timing->blas : blas;
    }
    if (result->timing_count > 0 && result->timings[0].floor_ms > 0) {
        wg_buf_printf(out, "  an empty launch  %.2f us\n", result->timings[0].floor_ms * 1e3);
    }
    if (copy_gb_s > 0) {
        wg_buf_printf(out, "  a copy           %.0f GB/s at best\n", copy_gb_s);
    }
    if (blas_gflops > 0) {
        wg_buf_printf(out, "  the vendor's     %.0f GFLOPS at best (%s, float32)\n", blas_gflops,
                      blas);
    } else if (blas) {
        wg_buf_printf(out, "  the vendor's     %s\n", blas);
    }
}

static void put_record(const struct wg_result *result, const char *path, struct wg_buf *out) {
    wg_buf_printf(out, "%s on %s\n", result->assignment.id,
                  result->environment.device ? result->environment.device
                                             : result->environment.platform);
    put_ceilings(result, out);
    wg_buf_printf(out, "\n  %-24s %10s %10s %8s %-11s %10s %7s\n", "median, ms", "naive", "tuned",
                  "speedup", "(95%)", "ceiling", "share");
    for (size_t i = 0; i < result->timing_count; i++) {
        put_size(&result->timings[i], out);
    }
    wg_buf_printf(out, "\n  kept in %s\n", path);
}

static enum wg_code calibrate(const struct wg_grading_options *values, const char *name,
                              struct wg_buf *report, struct wg_err *err) {
    struct wg_manifest *manifest = NULL;
    struct wg_result *result = NULL;
    WG_CLEANUP(wg_freep) char *path = values->output ? wg_strdup(values->output) : NULL;
    WG_CLEANUP(wg_buf_done) struct wg_buf record = {0};
    enum wg_code code = wg_cmd_choose_device(values, err);
    code = code ? code : wg_manifest_find(name, &manifest, err);
    code = code ? code : measure(values, manifest, &result, err);
    /* analyzer: with WG_OK there is a result. */
    if (code == WG_OK && result->verdict != WG_VERDICT_PASS) {
        code = wg_fail(err, WG_EINTERNAL, "tuned.hip of %s does not pass here: %.160s",
                       manifest->id, result->sentence ? result->sentence : "");
    }
    code = code || path ? code : record_path(result, &path, err);
    if (code == WG_OK) {
        wg_result_to_json(result, &record);
        code = wg_file_write(path, record.data, record.len, 0666, err);
    }
    if (code == WG_OK) {
        put_record(result, path, report);
    }
    wg_result_free(result);
    wg_manifest_free(manifest);
    return code;
}

static int run(const struct wg_line *line) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf report = {0};
    enum wg_code code = calibrate(line->values, line->operands[0], &report, &err);
    code = code ? code : wg_cmd_print(&report, &err);
    return code ? wg_cmd_fail(&err) : WG_EXIT_PASS;
}

const struct wg_command wg_cmd_calibrate = {
    .name = "calibrate",
    .summary = "measure a GPU for an assignment",
    .operands = "ASSIGNMENT",
    .about =
        "Measures what an empty launch costs, how fast memory is copied, how fast the vendor's "
        "library is, and the naive and the tuned reference at each timed size. Gradings do "
        "not need it: they measure all of that again, in the same minute and on the same "
        "device. It is for setting the thresholds of an assignment. The record is a result like "
        "any other: `wavegrade report` shows it again; nothing else reads it.",
    .options = options,
    .examples = examples,
    .epilogue = "Exit codes: 0 measured; 2 a fault of the grader or the machine; 64 a mistake on "
                "the command line.",
    .min_operands = 1,
    .max_operands = 1,
    .defaults = &wg_grading_defaults,
    .values_bytes = sizeof(struct wg_grading_options),
    .run = run,
};
