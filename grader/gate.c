/* How a grading leaves the program: in which format, to which place, with which exit status. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/commands.h"
#include "grader/export/html.h"

const char *const wg_plain_format_choices[] = {"text", "json", NULL};
const char *const wg_fail_on_choices[] = {"verdict", "warning", "never", NULL};

/* ---- The gate ---- */

static bool meets_score(const struct wg_grading_options *options, const struct wg_result *result) {
    if (!options->has_min_score) {
        return true;
    }
    if (result->max_points <= 0) {
        return result->verdict == WG_VERDICT_PASS; /* nothing was worth points, or nothing ran */
    }
    /* A hair of slack: 80% of the points is met by four fifths summed in floating point. */
    return result->points / result->max_points * 100 >= options->min_score - 1e-9;
}

static bool is_warning(const char *severity) {
    return severity && strcmp(severity, "note") != 0;
}

/* Things that cost nothing but should not be there: a finding, or the compiler's word about the
 * graded file. */
static size_t count_warnings(const struct wg_result *result) {
    size_t count = 0;
    for (size_t i = 0; i < result->finding_count; i++) {
        count += is_warning(result->findings[i].severity);
    }
    for (size_t i = 0; i < result->build.diagnostic_count; i++) {
        const struct wg_result_diagnostic *diagnostic = &result->build.diagnostics[i];
        bool is_theirs = diagnostic->file && result->submission.file &&
                         strcmp(diagnostic->file, result->submission.file) == 0;
        count += is_theirs && is_warning(diagnostic->severity);
    }
    return count;
}

int wg_cmd_gate(const struct wg_grading_options *options, const struct wg_result *result) {
    const char *fail_on = options->fail_on ? options->fail_on : "verdict";
    bool gated = strcmp(fail_on, "never") != 0;
    if (result->verdict == WG_VERDICT_GRADER_ERROR) {
        return WG_EXIT_FAULT;
    }
    if (result->verdict != WG_VERDICT_PASS && gated) {
        return WG_EXIT_SHORT;
    }
    size_t warnings = strcmp(fail_on, "warning") == 0 ? count_warnings(result) : 0;
    if (warnings) {
        fprintf(stderr, "wavegrade: %zu warning%s, and --fail-on warning\n", warnings,
                warnings == 1 ? "" : "s");
        return WG_EXIT_SHORT;
    }
    if (!meets_score(options, result)) {
        fprintf(stderr, "wavegrade: %.4g of %.4g points is less than --min-score %g asks\n",
                result->points, result->max_points, options->min_score);
        return WG_EXIT_SHORT;
    }
    return WG_EXIT_PASS;
}

/* ---- The report ---- */

static const char *variable(const char *name) {
    return getenv(name);
}

/* Where a working folder is in the checked out repository; NULL when that is not known. */
static char *folder_in_workspace(const struct wg_result *result) {
    const char *workspace = getenv("GITHUB_WORKSPACE");
    if (!workspace || !result->submission.is_folder || !result->submission.repository) {
        return NULL;
    }
    char root[PATH_MAX], folder[PATH_MAX];
    if (!realpath(workspace, root) || !realpath(result->submission.repository, folder)) {
        return NULL;
    }
    size_t len = strlen(root);
    bool is_below = strncmp(folder, root, len) == 0 && folder[len] == '/';
    return is_below ? wg_strdup(folder + len + 1) : NULL;
}

/* Other steps may have written to it, so it is only appended to. */
static enum wg_code append(const char *path, const struct wg_buf *text, struct wg_err *err) {
    WG_CLEANUP(wg_closep) int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        return wg_fail(err, WG_EIO, "open '%s'", path);
    }
    for (size_t done = 0; done < text->len;) {
        ssize_t part = write(fd, text->data + done, text->len - done);
        if (part < 0 && errno != EINTR) {
            return wg_fail(err, WG_EIO, "write '%s'", path);
        }
        done += part > 0 ? (size_t)part : 0;
    }
    return WG_OK;
}

static enum wg_code write_summary(const struct wg_result *result, struct wg_err *err) {
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    if (!path || !*path) {
        return WG_OK;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf summary = {0};
    wg_export_github_summary(result, &summary);
    return append(path, &summary, err);
}

enum wg_code wg_cmd_write(const char *format_name, const struct wg_result *result,
                          struct wg_format_settings *settings, struct wg_buf *out,
                          struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *folder = folder_in_workspace(result);
    const struct wg_format *format = wg_format_find(format_name);
    WG_CLEANUP(wg_html_frame_done) struct wg_html_frame frame = {0};
    if (format == &wg_formats[WG_FORMAT_html] && wg_html_frame_load(&frame, err) != WG_OK) {
        return err->code;
    }
    settings->frame = &frame;
    settings->folder = folder;
    settings->variable = variable;
    format->write(result, settings, out);
    settings->folder = NULL;
    settings->frame = NULL;
    bool is_github = format == &wg_formats[WG_FORMAT_github];
    return is_github ? write_summary(result, err) : WG_OK;
}

enum wg_code wg_cmd_report(const struct wg_grading_options *options, const struct wg_result *result,
                           struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf report = {0};
    struct wg_format_settings settings = {.style = wg_cmd_style(STDOUT_FILENO),
                                          .with_source = options->with_source};
    if (options->output) {
        settings.style.color = false;
        settings.style.columns = 100;
    }
    settings.style.verbose = options->verbose;
    settings.style.brief = options->quiet;
    enum wg_code code = wg_cmd_write(options->format, result, &settings, &report, err);
    if (code != WG_OK) {
        return code;
    }
    if (options->output && strcmp(options->output, "-") != 0) {
        return wg_file_write(options->output, report.data, report.len, 0666, err);
    }
    return wg_cmd_print(&report, err);
}
