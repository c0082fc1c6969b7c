/* Completion scripts. Words in the tables are ours: names are letters, digits and dashes; only help
 * texts need quoting. */
#include <ctype.h>
#include <string.h>

#include "grader/manual.h"

static bool names_files(const char *argument) {
    return argument != NULL &&
           (strstr(argument, "FILE") != NULL || strstr(argument, "PATH") != NULL ||
            strstr(argument, "FOLDER") != NULL || strstr(argument, "STORE") != NULL);
}

/* ---- bash ---- */

static void put_bash_values(const struct wg_option *option, struct wg_buf *out) {
    if (option->kind == WG_OPTION_FLAG) {
        return;
    }
    wg_buf_puts(out, "      ");
    if (option->letter) {
        wg_buf_printf(out, "-%c|", option->letter);
    }
    wg_buf_printf(out, "--%s) ", option->name);
    if (option->choices) {
        wg_buf_puts(out, "COMPREPLY=($(compgen -W '");
        for (size_t i = 0; option->choices[i]; i++) {
            wg_buf_printf(out, "%s%s", i ? " " : "", option->choices[i]);
        }
        wg_buf_puts(out, "' -- \"$word\")) ;;\n");
    } else if (names_files(option->argument)) {
        wg_buf_puts(out, "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\")) ;;\n");
    } else {
        wg_buf_puts(out, "COMPREPLY=() ;;\n");
    }
}

static void put_bash_command(const struct wg_command *command, struct wg_buf *out) {
    wg_buf_printf(out, "  %s)\n    case $before in\n", command->name);
    for (const struct wg_option *option = command->options; option->name; option++) {
        put_bash_values(option, out);
    }
    wg_buf_puts(out, "      *) if [[ $word == -* ]]; then\n           COMPREPLY=($(compgen -W '");
    for (const struct wg_option *option = command->options; option->name; option++) {
        wg_buf_printf(out, "--%s ", option->name);
    }
    wg_buf_puts(out, "--help' -- \"$word\"))\n         else\n"
                     "           compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\"))\n"
                     "         fi ;;\n    esac ;;\n");
}

void wg_completion_bash(const struct wg_command *const *commands, size_t count,
                        struct wg_buf *out) {
    wg_buf_puts(out, "# bash completion of wavegrade " WG_VERSION "\n"
                     "_wavegrade() {\n"
                     "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                     "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                     "    COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < count; i++) {
        wg_buf_printf(out, "%s ", commands[i]->name);
    }
    wg_buf_puts(out, "help --help --version' -- \"$word\"))\n    return\n  fi\n"
                     "  case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < count; i++) {
        put_bash_command(commands[i], out);
    }
    wg_buf_puts(out, "  help) COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < count; i++) {
        wg_buf_printf(out, "%s%s", i ? " " : "", commands[i]->name);
    }
    wg_buf_puts(out, "' -- \"$word\")) ;;\n  esac\n}\ncomplete -F _wavegrade wavegrade\n");
}

/* ---- zsh ---- */

/* Inside '...' and inside [...] and before a colon of an _arguments specification. */
static void put_zsh_text(const char *text, struct wg_buf *out) {
    for (; *text; text++) {
        if (*text == '\'') {
            wg_buf_puts(out, "'\\''");
        } else if (strchr("[]:\\", *text) != NULL) {
            wg_buf_printf(out, "\\%c", *text);
        } else {
            wg_buf_add(out, text, 1);
        }
    }
}

static void put_zsh_option(const struct wg_option *option, struct wg_buf *out) {
    wg_buf_puts(out, "      ");
    if (option->letter) {
        wg_buf_printf(out, "'(-%c --%s)'{-%c,--%s}", option->letter, option->name, option->letter,
                      option->name);
    } else {
        wg_buf_printf(out, "--%s", option->name);
    }
    wg_buf_puts(out, "'[");
    put_zsh_text(option->help, out);
    wg_buf_puts(out, "]");
    if (option->kind != WG_OPTION_FLAG) {
        wg_buf_printf(out, ":%s:", option->argument);
        if (option->choices) {
            wg_buf_puts(out, "(");
            for (size_t i = 0; option->choices[i]; i++) {
                wg_buf_printf(out, "%s%s", i ? " " : "", option->choices[i]);
            }
            wg_buf_puts(out, ")");
        } else if (names_files(option->argument)) {
            wg_buf_puts(out, "_files");
        }
    }
    wg_buf_puts(out, "' \\\n");
}

void wg_completion_zsh(const struct wg_command *const *commands, size_t count, struct wg_buf *out) {
    wg_buf_puts(out, "#compdef wavegrade\n"
                     "# zsh completion of wavegrade " WG_VERSION "\n"
                     "_wavegrade() {\n"
                     "  local -a commands\n  commands=(\n");
    for (size_t i = 0; i < count; i++) {
        wg_buf_printf(out, "    '%s:", commands[i]->name);
        put_zsh_text(commands[i]->summary, out);
        wg_buf_puts(out, "'\n");
    }
    wg_buf_puts(out, "  )\n"
                     "  if (( CURRENT == 2 )); then\n"
                     "    _describe command commands\n    return\n  fi\n"
                     "  local command=$words[2]\n"
                     "  shift words\n  (( CURRENT-- ))\n"
                     "  case $command in\n");
    for (size_t i = 0; i < count; i++) {
        wg_buf_printf(out, "  %s)\n    _arguments \\\n", commands[i]->name);
        for (const struct wg_option *option = commands[i]->options; option->name; option++) {
            put_zsh_option(option, out);
        }
        wg_buf_puts(out, "      --help'[show this text]' \\\n      '*:file:_files' ;;\n");
    }
    wg_buf_puts(out, "  esac\n}\n_wavegrade \"$@\"\n");
}
