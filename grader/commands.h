/* The commands of the program, one cmd_*.c each, and the few things they share. */
#ifndef WG_COMMANDS_H
#define WG_COMMANDS_H

#include "grader/base/err.h"
#include "grader/export/formats.h"
#include "grader/grade/grade.h"
#include "grader/options.h"
#include "sandbox/jail/jail.h"

extern const struct wg_command wg_cmd_grade;
extern const struct wg_command wg_cmd_check;
extern const struct wg_command wg_cmd_batch;
extern const struct wg_command wg_cmd_results;
extern const struct wg_command wg_cmd_build;
extern const struct wg_command wg_cmd_lint;
extern const struct wg_command wg_cmd_kit;
extern const struct wg_command wg_cmd_new;
extern const struct wg_command wg_cmd_doctor;
extern const struct wg_command wg_cmd_memcheck;
extern const struct wg_command wg_cmd_calibrate;
extern const struct wg_command wg_cmd_pages;
extern const struct wg_command wg_cmd_completion;
extern const struct wg_command wg_cmd_manual;
extern const struct wg_command wg_cmd_slurm_task;

/* All of them, in the order of the help. */
extern const struct wg_command *const wg_commands[];
extern const size_t wg_command_count;
const struct wg_command *wg_command_find(const char *name); /* NULL: there is none */

/* Prints "wavegrade: MESSAGE" to standard error, escaped. Returns the exit code that fits the
 * error: usage for what the caller asked, fault for the rest. */
int wg_cmd_fail(const struct wg_err *err);

/* Standard output in full, or a sentence on standard error: a full disk must not look like a
 * pass. */
enum wg_code wg_cmd_print(const struct wg_buf *text, struct wg_err *err);

/* Puts count items of `bytes` each into an order that nobody can know, for lists without names: any
 * order that follows from names or times could be undone by who knows those. Errors: WG_EIO. */
enum wg_code wg_cmd_mix(void *items, size_t count, size_t bytes, struct wg_err *err);

/* How the report looks best on this file descriptor: its width, its colours, its locale. */
struct wg_text_style wg_cmd_style(int fd);

/* One line on a terminal's standard error, replaced as work goes on and erased at the end. Used as
 * the progress callback of the pipeline; ctx is a struct wg_cmd_progress. */
struct wg_cmd_progress {
    bool shown; /* standard error is a terminal and the user wants to see it */
    int columns;
    bool dirty; /* a line is there and must go */
    int64_t shown_ns;
};
struct wg_cmd_progress wg_cmd_progress_start(bool wanted);
void wg_cmd_progress_show(void *ctx, const char *what, size_t done, size_t total);
void wg_cmd_progress_end(struct wg_cmd_progress *progress);

/* What `grade` and `check` have in common. */
struct wg_grading_options {
    const char *ref, *folder, *assignment, *platform, *format, *output, *ssh_key, *warp_size, *arch,
        *device, *fail_on, *jail;
    bool is_folder, no_timing, no_checked, facts, verbose, quiet, with_source;
    bool has_seed, has_min_score;
    uint64_t seed;
    double min_score;
};
extern const struct wg_grading_options wg_grading_defaults;
extern const char *const wg_platform_choices[];
extern const char *const wg_plain_format_choices[]; /* text and json */
extern const char *const wg_fail_on_choices[];
extern const char *const wg_warp_choices[];
extern const char *const wg_jail_choices[];
/* The exit status that a result deserves, with a word on standard error where it is not obvious. */
int wg_cmd_gate(const struct wg_grading_options *options, const struct wg_result *result);
/* One of wg_formats into out; what the environment knows (CI variables) is filled in, and GitHub's
 * step summary is appended where there is one. */
enum wg_code wg_cmd_write(const char *format_name, const struct wg_result *result,
                          struct wg_format_settings *settings, struct wg_buf *out,
                          struct wg_err *err);
/* Writes the report in the format and to the place that were asked for. */
enum wg_code wg_cmd_report(const struct wg_grading_options *options, const struct wg_result *result,
                           struct wg_err *err);
/* Applies --device, before anything asks for a device. */
enum wg_code wg_cmd_choose_device(const struct wg_grading_options *options, struct wg_err *err);
/* Applies --jail, before anything runs in one; fallback where it was not given. */
void wg_cmd_choose_jail(const struct wg_grading_options *options, enum wg_jail_kind fallback);
int wg_grading_run(const struct wg_grading_options *options, const char *location);

/* clang-format off */
#define WG_FORMAT_IN_HELP(identifier, name, help) ", " name
#define WG_OPTION_AT(field) .offset = offsetof(struct wg_grading_options, field)
#define WG_GRADING_OPTIONS                                                                         \
    {.name = "folder", .kind = WG_OPTION_STRING, .argument = "FOLDER", WG_OPTION_AT(folder),       \
     .help = "where the file is, inside the repository or folder"},                                \
    {.name = "assignment", .kind = WG_OPTION_STRING, .argument = "NAME", WG_OPTION_AT(assignment), \
     .help = "name or folder of the assignment; otherwise recognized from the file"},              \
    {.name = "platform", .kind = WG_OPTION_CHOICE, .argument = "NAME", WG_OPTION_AT(platform),     \
     .choices = wg_platform_choices, .help = "auto, cpu, amd or nvidia"},                          \
    {.name = "device", .kind = WG_OPTION_STRING, .argument = "GPU", WG_OPTION_AT(device),          \
     .help = "which of several GPUs: index, UUID or PCI address"},                                 \
    {.name = "warp-size", .kind = WG_OPTION_CHOICE, .argument = "LANES", WG_OPTION_AT(warp_size),  \
     .choices = wg_warp_choices, .help = "32 or 64 lanes a wave (cpu platform; 64 if not given)"}, \
    {.name = "jail", .kind = WG_OPTION_CHOICE, .argument = "NAME", WG_OPTION_AT(jail),             \
     .choices = wg_jail_choices,                                                                   \
     .help = "strong (namespaces), landlock (weaker, needs none), auto (the best there is)"},      \
    {.name = "seed", .kind = WG_OPTION_SEED, .argument = "N", WG_OPTION_AT(seed),                  \
     .given_offset = offsetof(struct wg_grading_options, has_seed),                                \
     .help = "make the inputs of an earlier run again"},                                           \
    {.name = "no-timing", .kind = WG_OPTION_FLAG, WG_OPTION_AT(no_timing),                         \
     .help = "skip the timed sizes"},                                                              \
    {.name = "no-checked", .kind = WG_OPTION_FLAG, WG_OPTION_AT(no_checked),                       \
     .help = "skip the search for memory errors and races"},                                       \
    {.name = "min-score", .kind = WG_OPTION_PERCENT, .argument = "P", WG_OPTION_AT(min_score),     \
     .given_offset = offsetof(struct wg_grading_options, has_min_score),                           \
     .help = "exit 1 below P percent of the points that count here"},                              \
    {.name = "fail-on", .kind = WG_OPTION_CHOICE, .argument = "WHAT", WG_OPTION_AT(fail_on),       \
     .choices = wg_fail_on_choices,                                                                \
     .help = "exit 1 by verdict (default), by warning as well, or never"},                         \
    {.name = "format", .kind = WG_OPTION_CHOICE, .argument = "NAME", WG_OPTION_AT(format),         \
     .choices = wg_format_choices, .help = "text (default)" WG_OTHER_FORMATS(WG_FORMAT_IN_HELP)},  \
    {.name = "with-source", .kind = WG_OPTION_FLAG, WG_OPTION_AT(with_source),                     \
     .help = "json: the graded source, too, for reports"},                                         \
    {.name = "output", .letter = 'o', .kind = WG_OPTION_STRING, .argument = "FILE",                \
     WG_OPTION_AT(output), .help = "write the report to FILE"},                                    \
    {.name = "verbose", .letter = 'v', .kind = WG_OPTION_FLAG, WG_OPTION_AT(verbose),              \
     .help = "every case, finding and measurement"},                                               \
    {.name = "quiet", .letter = 'q', .kind = WG_OPTION_FLAG, WG_OPTION_AT(quiet),                  \
     .help = "the verdict only, no progress"}
/* clang-format on */
#define WG_GRADING_EXIT_CODES                                                                      \
    "Exit codes: 0 everything passed; 1 the submission fell short; 2 a fault of the grader or "    \
    "the machine; 64 a mistake on the command line."

#endif
