/* wavegrade completion: the script that makes a shell complete wavegrade's commands. */
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/commands.h"
#include "grader/manual.h"

struct values {
    bool unused;
};
static const struct values defaults;

static const struct wg_option options[] = {{0}};

static const char *const examples[] = {
    "source <(wavegrade completion bash)",
    "in ~/.bashrc: completion in every new shell",
    "wavegrade completion zsh > ~/.zfunc/_wavegrade",
    "for zsh, where ~/.zfunc is in $fpath",
    NULL,
};

static int run(const struct wg_line *line) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf script = {0};
    const char *shell = line->operands[0];
    if (strcmp(shell, "bash") == 0) {
        wg_completion_bash(wg_commands, wg_command_count, &script);
    } else if (strcmp(shell, "zsh") == 0) {
        wg_completion_zsh(wg_commands, wg_command_count, &script);
    } else {
        wg_fail(&err, WG_EINVAL, "there is completion for bash and zsh, not for '%.60s'", shell);
        wg_cmd_fail(&err);
        return WG_EXIT_USAGE;
    }
    return wg_cmd_print(&script, &err) == WG_OK ? WG_EXIT_PASS : wg_cmd_fail(&err);
}

const struct wg_command wg_cmd_completion = {
    .name = "completion",
    .summary = "completion of commands and options for a shell",
    .operands = "bash|zsh",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .defaults = &defaults,
    .values_bytes = sizeof defaults,
    .run = run,
};
