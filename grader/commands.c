/* What the commands share: messages, the terminal, and the run of one grading. */
#include <inttypes.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "grader/commands.h"
#include "grader/repo/location.h"
#include "sandbox/platform/needs.h"

#define PROGRESS_EVERY_NS 50000000

const char *const wg_platform_choices[] = {"auto", "cpu", "amd", "nvidia", NULL};
const char *const wg_warp_choices[] = {"32", "64", NULL};
const char *const wg_jail_choices[] = {"auto", "strong", "landlock", NULL};
const struct wg_grading_options wg_grading_defaults = {.platform = "auto", .format = "text"};

int wg_cmd_fail(const struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0};
    wg_text_terminal(&clean, err->msg, strlen(err->msg), true);
    fprintf(stderr, "wavegrade: %s\n", wg_buf_str(&clean));
    return err->code == WG_EINVAL || err->code == WG_ENOTFOUND ? WG_EXIT_USAGE : WG_EXIT_FAULT;
}

enum wg_code wg_cmd_print(const struct wg_buf *text, struct wg_err *err) {
    if ((text->len && fwrite(text->data, text->len, 1, stdout) != 1) || fflush(stdout)) {
        return wg_fail(err, WG_EIO, "write the report to standard output");
    }
    return WG_OK;
}

static void swap(char *a, char *b, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        char kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

enum wg_code wg_cmd_mix(void *items, size_t count, size_t bytes, struct wg_err *err) {
    for (size_t i = count; i > 1; i--) {
        uint64_t random = 0;
        if (getrandom(&random, sizeof random, 0) != sizeof random) {
            return wg_fail(err, WG_EIO, "get random numbers");
        }
        swap((char *)items + (i - 1) * bytes, (char *)items + random % i * bytes, bytes);
    }
    return WG_OK;
}

static int columns_of(int fd) {
    struct winsize size = {0};
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    return 100;
}

static bool is_terminal(int fd) {
    const char *term = getenv("TERM");
    return isatty(fd) && term && strcmp(term, "dumb") != 0;
}

struct wg_text_style wg_cmd_style(int fd) {
    const char *no_color = getenv("NO_COLOR");
    return (struct wg_text_style){.columns = columns_of(fd),
                                  .color = is_terminal(fd) && !(no_color && *no_color),
                                  .unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0};
}

struct wg_cmd_progress wg_cmd_progress_start(bool wanted) {
    return (struct wg_cmd_progress){.shown = wanted && is_terminal(STDERR_FILENO),
                                    .columns = columns_of(STDERR_FILENO)};
}

void wg_cmd_progress_show(void *ctx, const char *what, size_t done, size_t total) {
    struct wg_cmd_progress *progress = ctx;
    int64_t now_ns = wg_clock_mono_ns();
    bool too_soon = total && now_ns - progress->shown_ns < PROGRESS_EVERY_NS;
    if (!progress->shown || too_soon) {
        return;
    }
    progress->shown_ns = now_ns;
    char line[160];
    if (total) {
        snprintf(line, sizeof line, "%.120s %zu/%zu", what, done, total);
    } else {
        snprintf(line, sizeof line, "%s", what);
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf clean = {0}; /* it may name a student */
    wg_text_terminal(&clean, line, strlen(line), false);
    fprintf(stderr, "\r\x1b[K%.*s", progress->columns - 1, wg_buf_str(&clean));
    progress->dirty = true;
}

void wg_cmd_progress_end(struct wg_cmd_progress *progress) {
    if (progress->dirty) {
        fputs("\r\x1b[K", stderr);
        progress->dirty = false;
    }
}

enum wg_code wg_cmd_choose_device(const struct wg_grading_options *options, struct wg_err *err) {
    if (!options->device) {
        return WG_OK;
    }
    if (strcmp(options->platform, "cpu") == 0) {
        return wg_fail(err, WG_EINVAL, "--device chooses a GPU: the cpu platform has none");
    }
    return wg_needs_choose_device(options->platform, options->device, err);
}

void wg_cmd_choose_jail(const struct wg_grading_options *options, enum wg_jail_kind fallback) {
    static const enum wg_jail_kind kinds[] = {WG_JAIL_AUTO, WG_JAIL_STRONG, WG_JAIL_LANDLOCK};
    wg_jail_choose(fallback);
    for (size_t i = 0; options->jail && wg_jail_choices[i]; i++) {
        if (strcmp(options->jail, wg_jail_choices[i]) == 0) {
            wg_jail_choose(kinds[i]);
        }
    }
}

static void hint_at_jails(const struct wg_result *result) {
    if (result->verdict == WG_VERDICT_GRADER_ERROR && wg_jail_chosen() == WG_JAIL_STRONG &&
        wg_jail_probe()->missing && wg_jail_probe()->landlock) {
        fputs("wavegrade: the strong jail does not work here; --jail auto allows the weaker one\n",
              stderr);
    }
}

/* Known before the minutes that a grading takes. */
static enum wg_code check_output(const struct wg_grading_options *options, struct wg_err *err) {
    return options->output && wg_file_is_folder(options->output)
               ? wg_fail(err, WG_EINVAL, "--output: '%.150s' is a folder; a file is wanted",
                         options->output)
               : WG_OK;
}

static enum wg_code check_place(const struct wg_grading_options *options, const char *location,
                                struct wg_err *err) {
    enum wg_code code = options->is_folder ? WG_OK : wg_location_check(location, err);
    code = code ? code : wg_location_check_ref(options->ref, err);
    return code ? code : wg_location_check_folder(options->folder, err);
}

int wg_grading_run(const struct wg_grading_options *options, const char *location) {
    struct wg_err err = {0};
    struct wg_cmd_progress progress = wg_cmd_progress_start(!options->quiet);
    struct wg_grade_request request = {
        .location = location,
        .is_folder = options->is_folder,
        .ref = options->ref,
        .folder = options->folder,
        .assignment = options->assignment,
        .platform = options->platform,
        .ssh_key = options->ssh_key,
        .has_seed = options->has_seed,
        .seed = options->seed,
        .timing = !options->no_timing,
        .checked = !options->no_checked,
        .facts = options->facts,
        .warp_size = options->warp_size ? atoi(options->warp_size) : 0,
        .progress = wg_cmd_progress_show,
        .progress_ctx = &progress,
    };
    struct wg_result *result = NULL;
    enum wg_code code = check_output(options, &err);
    code = code ? code : check_place(options, location, &err);
    code = code ? code : wg_cmd_choose_device(options, &err);
    code = code ? code : wg_grade(&request, &result, &err);
    wg_cmd_progress_end(&progress);
    if (code != WG_OK) {
        return wg_cmd_fail(&err);
    }
    hint_at_jails(result);
    int status = wg_cmd_gate(options, result);
    if (wg_cmd_report(options, result, &err) != WG_OK) {
        status = WG_EXIT_FAULT;
        wg_cmd_fail(&err);
    }
    wg_result_free(result);
    return status;
}
