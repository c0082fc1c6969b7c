#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/paths.h"
#include "grader/base/temp.h"
#include "grader/base/text.h"
#include "grader/commands.h"
#include "grader/interrupt.h"

const struct wg_command *const wg_commands[] = {
    &wg_cmd_grade,    &wg_cmd_check,  &wg_cmd_batch,      &wg_cmd_results, &wg_cmd_build,
    &wg_cmd_memcheck, &wg_cmd_lint,   &wg_cmd_calibrate,  &wg_cmd_pages,   &wg_cmd_kit,
    &wg_cmd_new,      &wg_cmd_doctor, &wg_cmd_completion, &wg_cmd_manual,
};
enum { command_count = sizeof wg_commands / sizeof wg_commands[0] };
const size_t wg_command_count = command_count;

static void put_help(struct wg_buf *out) {
    wg_buf_puts(out, "wavegrade: tests and grades HIP coursework\n\n"
                     "Usage: wavegrade COMMAND [OPTIONS] [...]\n\nCommands:\n");
    for (size_t i = 0; i < command_count; i++) {
        wg_buf_printf(out, "  %-11s %s\n", wg_commands[i]->name, wg_commands[i]->summary);
    }
    wg_buf_puts(out, "\nOptions:\n"
                     "  -h, --help     show this text; after a command, that command's\n"
                     "      --version  show the version\n"
                     "\nExamples:\n"
                     "  wavegrade check\n"
                     "      check the kernel in this folder before you push it\n"
                     "  wavegrade grade https://git.example.edu/ada/hip-lab1 --format json\n"
                     "      grade a student's repository, result as JSON\n"
                     "  wavegrade doctor\n"
                     "      what this machine can do, and what is missing\n");
}

static int print(const struct wg_buf *text) {
    struct wg_err err = {0};
    return wg_cmd_print(text, &err) == WG_OK ? WG_EXIT_PASS : wg_cmd_fail(&err);
}

static int usage(const struct wg_command *command, const struct wg_err *err) {
    wg_cmd_fail(err);
    fprintf(stderr, "Try: wavegrade %s%s--help\n", command ? command->name : "",
            command ? " " : "");
    return WG_EXIT_USAGE;
}

static int unknown_word(const char *word) {
    const char *names[command_count + 2];
    size_t count = 0;
    if (*word == '-') {
        names[count++] = "--help";
        names[count++] = "--version";
    }
    for (size_t i = 0; i < command_count && *word != '-'; i++) {
        names[count++] = wg_commands[i]->name;
    }
    struct wg_err err = {0};
    const char *nearest = wg_text_nearest(word, names, count);
    const char *kind = *word == '-' ? "option" : "command";
    if (nearest) {
        wg_fail(&err, WG_EINVAL, "unknown %s '%.60s'; did you mean %s?", kind, word, nearest);
    } else if (*word == '-') {
        wg_fail(&err, WG_EINVAL, "unknown option '%.60s'; options follow the command", word);
    } else {
        wg_fail(&err, WG_EINVAL, "unknown command '%.60s'", word);
    }
    return usage(NULL, &err);
}

const struct wg_command *wg_command_find(const char *name) {
    for (size_t i = 0; i < command_count; i++) {
        if (strcmp(wg_commands[i]->name, name) == 0) {
            return wg_commands[i];
        }
    }
    return NULL;
}

static const struct wg_command *find_command(const char *word) {
    /* Not for people, and so in no list. */
    bool is_hidden = strcmp(word, wg_cmd_slurm_task.name) == 0;
    return is_hidden ? &wg_cmd_slurm_task : wg_command_find(word);
}

static int run_command(const struct wg_command *command, int argc, char **argv) {
    struct wg_err err = {0};
    struct wg_line line;
    WG_CLEANUP(wg_freep) void *values = wg_calloc(1, command->values_bytes);
    WG_CLEANUP(wg_freep) const char **operands = wg_calloc((size_t)argc + 1, sizeof *operands);
    switch (wg_options_parse(command, argc, argv, values, operands, &line, &err)) {
    case WG_PARSE_HELP: {
        WG_CLEANUP(wg_buf_done) struct wg_buf help = {0};
        wg_options_help(command, &help);
        return print(&help);
    }
    case WG_PARSE_USAGE:
        return usage(command, &err);
    case WG_PARSE_OK:
        break;
    }
    if (wg_paths_init(&err) != WG_OK) {
        wg_cmd_fail(&err);
        return WG_EXIT_FAULT; /* a broken installation, whatever the code says */
    }
    wg_interrupt_init();
    wg_temp_sweep();
    return command->run(&line);
}

static int show_help(const char *topic) {
    WG_CLEANUP(wg_buf_done) struct wg_buf help = {0};
    if (!topic) {
        put_help(&help);
        return print(&help);
    }
    const struct wg_command *command = find_command(topic);
    if (!command) {
        return unknown_word(topic);
    }
    wg_options_help(command, &help);
    return print(&help);
}

int main(int argc, char **argv) {
    setlocale(LC_CTYPE, "");
    /* Writing to a closed pipe, or to a jail that has just died, is an error and not the end. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* likewise to a file that has reached the limit of its size */
    if (argc < 2) {
        struct wg_err err = {0};
        wg_fail(&err, WG_EINVAL, "what shall be done? For instance: wavegrade check");
        return usage(NULL, &err);
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return show_help(NULL);
    }
    if (strcmp(word, "help") == 0) {
        return show_help(argc > 2 ? argv[2] : NULL);
    }
    if (strcmp(word, "--version") == 0) {
        WG_CLEANUP(wg_buf_done) struct wg_buf version = {0};
        wg_buf_puts(&version, "wavegrade " WG_VERSION "\n");
        return print(&version);
    }
    const struct wg_command *command = find_command(word);
    return command ? run_command(command, argc - 2, argv + 2) : unknown_word(word);
}
