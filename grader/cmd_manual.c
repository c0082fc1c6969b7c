/* wavegrade manual: a manual page, for man to show or a package to install. */
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/commands.h"
#include "grader/manual.h"

struct values {
    const char *all;
};
static const struct values defaults;

static const struct wg_option options[] = {
    {.name = "all",
     .kind = WG_OPTION_STRING,
     .argument = "FOLDER",
     .offset = offsetof(struct values, all),
     .help = "write every page to FOLDER, for a package to install"},
    {0},
};

static const char *const examples[] = {
    "wavegrade manual check | man -l -",
    "read about check without installing anything",
    "wavegrade manual > wavegrade.1",
    "the page of the whole program",
    NULL,
};

static enum wg_code write_page(const char *folder, const struct wg_command *command,
                               struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf page = {0};
    if (command) {
        wg_manual_command(command, &page);
    } else {
        wg_manual_program(wg_commands, wg_command_count, &page);
    }
    WG_CLEANUP(wg_freep)
    char *path =
        wg_strf("%s/wavegrade%s%s.1", folder, command ? "-" : "", command ? command->name : "");
    return wg_file_write(path, page.data, page.len, 0644, err);
}

static int write_all(const char *folder) {
    struct wg_err err = {0};
    enum wg_code code = wg_folder_make(folder, 0755, &err);
    code = code ? code : write_page(folder, NULL, &err);
    for (size_t i = 0; code == WG_OK && i < wg_command_count; i++) {
        code = write_page(folder, wg_commands[i], &err);
    }
    return code ? wg_cmd_fail(&err) : WG_EXIT_PASS;
}

static int run(const struct wg_line *line) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf page = {0};
    const struct values *values = line->values;
    if (values->all) {
        return write_all(values->all);
    }
    if (line->operand_count == 0) {
        wg_manual_program(wg_commands, wg_command_count, &page);
    } else {
        const struct wg_command *command = wg_command_find(line->operands[0]);
        if (!command) {
            wg_fail(&err, WG_EINVAL, "there is no command '%.60s'", line->operands[0]);
            wg_cmd_fail(&err);
            return WG_EXIT_USAGE;
        }
        wg_manual_command(command, &page);
    }
    return wg_cmd_print(&page, &err) == WG_OK ? WG_EXIT_PASS : wg_cmd_fail(&err);
}

const struct wg_command wg_cmd_manual = {
    .name = "manual",
    .summary = "the manual page of a command, for man",
    .operands = "[COMMAND]",
    .options = options,
    .examples = examples,
    .max_operands = 1,
    .defaults = &defaults,
    .values_bytes = sizeof defaults,
    .run = run,
};
