#include "grader/commands.h"

static const struct wg_option options[] = {
    {.name = "ref",
     .kind = WG_OPTION_STRING,
     .argument = "REF",
     WG_OPTION_AT(ref),
     .help = "branch, tag or commit; otherwise the default branch"},
    {.name = "dir",
     .kind = WG_OPTION_FLAG,
     WG_OPTION_AT(is_folder),
     .help = "URL_OR_PATH is a plain folder, not a repository"},
    {.name = "ssh-key",
     .kind = WG_OPTION_STRING,
     .argument = "FILE",
     WG_OPTION_AT(ssh_key),
     .help = "private key for ssh URLs; otherwise the agent's"},
    WG_GRADING_OPTIONS,
    {0},
};

static const char *const examples[] = {
    "wavegrade grade https://git.example.edu/ada/hip-lab1",
    "the default branch; the assignment is recognized from the file",
    "wavegrade grade git@git.example.edu:ada/lab1 --ref v2 --format json -o ada.json",
    "a tag, as JSON into a file",
    NULL,
};

static int run(const struct wg_line *line) {
    struct wg_grading_options values = *(const struct wg_grading_options *)line->values;
    values.facts = true;
    wg_cmd_choose_jail(&values, WG_JAIL_STRONG);
    if (values.is_folder && values.ref) {
        struct wg_err err = {0};
        wg_fail(&err, WG_EINVAL, "--dir and --ref exclude each other: a plain folder has no refs");
        return wg_cmd_fail(&err);
    }
    return wg_grading_run(&values, line->operands[0]);
}

const struct wg_command wg_cmd_grade = {
    .name = "grade",
    .summary = "grade a student's repository",
    .operands = "URL_OR_PATH",
    .options = options,
    .examples = examples,
    .epilogue = "The strong jail is required unless --jail says otherwise. " WG_GRADING_EXIT_CODES,
    .min_operands = 1,
    .max_operands = 1,
    .defaults = &wg_grading_defaults,
    .values_bytes = sizeof(struct wg_grading_options),
    .run = run,
};
