#include "grader/manual.h"

#include <string.h>

/* Text as troff takes it: a backslash and a minus would be typography, a dot or quote that starts a
 * line a request. */
static void put_text(const char *text, struct wg_buf *out) {
    if (*text == '.' || *text == '\'') {
        wg_buf_puts(out, "\\&");
    }
    for (; *text; text++) {
        switch (*text) {
        case '\\':
            wg_buf_puts(out, "\\e");
            break;
        case '-':
            wg_buf_puts(out, "\\-");
            break;
        case '`':
            wg_buf_puts(out, "\\(ga");
            break;
        case '\'':
            wg_buf_puts(out, "\\(aq");
            break;
        default:
            wg_buf_add(out, text, 1);
        }
    }
}

static void put_line(const char *text, struct wg_buf *out) {
    put_text(text, out);
    wg_buf_puts(out, "\n");
}

static void put_heading(const char *name, const char *command, const char *summary,
                        struct wg_buf *out) {
    wg_buf_printf(out, ".TH wavegrade%s%s 1 \"\" \"wavegrade " WG_VERSION "\" \"User Commands\"\n",
                  *command ? "-" : "", command);
    wg_buf_puts(out, ".SH NAME\n");
    put_text(name, out);
    wg_buf_puts(out, " \\- ");
    put_line(summary, out);
}

static void put_option(const struct wg_option *option, struct wg_buf *out) {
    wg_buf_puts(out, ".TP\n");
    if (option->letter) {
        wg_buf_printf(out, "\\fB\\-%c\\fR, ", option->letter);
    }
    wg_buf_puts(out, "\\fB\\-\\-");
    put_text(option->name, out);
    wg_buf_puts(out, "\\fR");
    if (option->argument) {
        wg_buf_puts(out, " \\fI");
        put_text(option->argument, out);
        wg_buf_puts(out, "\\fR");
    }
    wg_buf_puts(out, "\n");
    put_text(option->help, out);
    wg_buf_puts(out, ".\n");
}

static void put_examples(const char *const *examples, struct wg_buf *out) {
    wg_buf_puts(out, ".SH EXAMPLES\n");
    for (size_t i = 0; examples[i]; i += 2) {
        wg_buf_puts(out, ".TP\n\\fB");
        put_text(examples[i], out);
        wg_buf_puts(out, "\\fR\n");
        put_text(examples[i + 1], out);
        wg_buf_puts(out, ".\n");
    }
}

void wg_manual_command(const struct wg_command *command, struct wg_buf *out) {
    struct wg_buf name = {0};
    wg_buf_printf(&name, "wavegrade-%s", command->name);
    put_heading(wg_buf_str(&name), command->name, command->summary, out);
    wg_buf_done(&name);
    wg_buf_puts(out, ".SH SYNOPSIS\n\\fBwavegrade ");
    put_text(command->name, out);
    wg_buf_puts(out, "\\fR [\\fIOPTIONS\\fR]");
    if (*command->operands) {
        wg_buf_puts(out, " ");
        put_text(command->operands, out);
    }
    wg_buf_puts(out, "\n");
    if (command->about) {
        wg_buf_puts(out, ".SH DESCRIPTION\n");
        put_line(command->about, out);
    }
    wg_buf_puts(out, ".SH OPTIONS\n");
    for (const struct wg_option *option = command->options; option->name; option++) {
        put_option(option, out);
    }
    put_option(&wg_option_help, out);
    put_examples(command->examples, out);
    if (command->epilogue) {
        wg_buf_puts(out, ".SH NOTES\n");
        put_line(command->epilogue, out);
    }
    wg_buf_puts(out, ".SH SEE ALSO\n.BR wavegrade (1)\n");
}

void wg_manual_program(const struct wg_command *const *commands, size_t count, struct wg_buf *out) {
    put_heading("wavegrade", "", "tests and grades HIP coursework", out);
    wg_buf_puts(out, ".SH SYNOPSIS\n\\fBwavegrade\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...\n"
                     ".SH DESCRIPTION\n");
    put_line("Takes GPU kernels that students wrote in HIP, decides whether they are right at "
             "every size, finds memory errors and data races and names the line, times the kernel "
             "against a naive one, and writes the result for people and programs. It needs no GPU.",
             out);
    wg_buf_puts(out, ".SH COMMANDS\n");
    for (size_t i = 0; i < count; i++) {
        wg_buf_puts(out, ".TP\n\\fBwavegrade\\-");
        put_text(commands[i]->name, out);
        wg_buf_puts(out, "\\fR(1)\n");
        put_line(commands[i]->summary, out);
    }
    wg_buf_puts(out, ".SH EXIT STATUS\n"
                     ".TP\n0\nEverything passed.\n"
                     ".TP\n1\nThe submission fell short.\n"
                     ".TP\n2\nA fault of the grader or the machine, never the submission's.\n"
                     ".TP\n64\nA mistake on the command line.\n"
                     ".SH ENVIRONMENT\n"
                     ".TP\nNO_COLOR\nNo colours, when set to anything.\n"
                     ".TP\nXDG_CACHE_HOME\nWhere compiled references are kept.\n"
                     ".TP\nWAVEGRADE_GIT_TOKEN, WAVEGRADE_GIT_HOST\n"
                     "The token for private repositories over https, and the one host that it is "
                     "shown to.\n");
}
