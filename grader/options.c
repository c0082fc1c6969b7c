#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/options.h"

#define HELP_COLUMNS 80
#define MAX_OPTIONS  32

const struct wg_option wg_option_help = {
    .name = "help", .letter = 'h', .kind = WG_OPTION_FLAG, .help = "show this text"};

static const struct wg_option *find_long(const struct wg_command *command, const char *name,
                                         size_t len) {
    for (const struct wg_option *option = command->options; option->name; option++) {
        if (strlen(option->name) == len && strncmp(option->name, name, len) == 0) {
            return option;
        }
    }
    return len == 4 && strncmp(name, "help", 4) == 0 ? &wg_option_help : NULL;
}

static const struct wg_option *find_letter(const struct wg_command *command, char letter) {
    for (const struct wg_option *option = command->options; option->name; option++) {
        if (option->letter == letter) {
            return option;
        }
    }
    return letter == 'h' ? &wg_option_help : NULL;
}

static enum wg_parse usage(struct wg_err *err, const char *message) {
    wg_fail(err, WG_EINVAL, "%s", message);
    return WG_PARSE_USAGE;
}

/* What the user typed goes back to a terminal: escaped, and cut so that it fits the message. */
static const char *quoted(const char *word, size_t len, struct wg_buf *out) {
    wg_buf_clear(out);
    wg_text_terminal(out, word, len > 60 ? 60 : len, false);
    return wg_buf_str(out);
}

static enum wg_parse unknown_option(const struct wg_command *command, const char *word, size_t len,
                                    struct wg_err *err) {
    struct wg_buf shown = {0};
    struct wg_buf name = {0};
    const char *names[MAX_OPTIONS] = {"help"};
    size_t count = 1;
    for (const struct wg_option *o = command->options; o->name && count < MAX_OPTIONS; o++) {
        names[count++] = o->name;
    }
    wg_buf_add(&name, word, len);
    size_t dashes = strspn(wg_buf_str(&name), "-");
    const char *nearest = wg_text_nearest(wg_buf_str(&name) + dashes, names, count);
    quoted(word, len, &shown);
    if (nearest && len > 2) {
        wg_fail(err, WG_EINVAL, "unknown option %s; did you mean --%s?", wg_buf_str(&shown),
                nearest);
    } else {
        wg_fail(err, WG_EINVAL, "unknown option %s", wg_buf_str(&shown));
    }
    wg_buf_done(&shown);
    wg_buf_done(&name);
    return WG_PARSE_USAGE;
}

static bool parse_seed(const char *text, uint64_t *out) {
    char *end = NULL;
    /* strtoull takes "-1" and leading blanks; a seed is digits only. */
    if (*text < '0' || *text > '9') {
        return false;
    }
    errno = 0;
    unsigned long long value = strtoull(text, &end, text[1] == 'x' ? 16 : 10);
    *out = value;
    return errno == 0 && *end == '\0';
}

static bool parse_percent(const char *text, double *out) {
    char *end = NULL;
    if (*text < '0' || *text > '9') {
        return false;
    }
    *out = strtod(text, &end);
    if (*end == '%') {
        end++;
    }
    return *end == '\0' && *out >= 0 && *out <= 100;
}

static bool is_choice(const struct wg_option *option, const char *value) {
    for (size_t i = 0; option->choices[i]; i++) {
        if (strcmp(option->choices[i], value) == 0) {
            return true;
        }
    }
    return false;
}

static enum wg_parse bad_value(const struct wg_option *option, const char *value,
                               struct wg_err *err) {
    struct wg_buf shown = {0};
    struct wg_buf wanted = {0};
    if (option->kind == WG_OPTION_CHOICE) {
        for (size_t i = 0; option->choices[i]; i++) {
            wg_buf_printf(&wanted, "%s%s", i ? ", " : "one of ", option->choices[i]);
        }
    } else if (option->kind == WG_OPTION_SEED) {
        wg_buf_puts(&wanted, "a whole number below 2^64");
    } else {
        wg_buf_puts(&wanted, "a percentage from 0 to 100");
    }
    quoted(value, strlen(value), &shown);
    wg_fail(err, WG_EINVAL, "--%s takes %s, not '%s'", option->name, wg_buf_str(&wanted),
            wg_buf_str(&shown));
    wg_buf_done(&shown);
    wg_buf_done(&wanted);
    return WG_PARSE_USAGE;
}

static enum wg_parse empty_value(const struct wg_option *option, struct wg_err *err) {
    wg_fail(err, WG_EINVAL, "the %s of --%s is empty: is a variable unset?", option->argument,
            option->name);
    return WG_PARSE_USAGE;
}

static enum wg_parse store(const struct wg_option *option, const char *value, char *values,
                           struct wg_err *err) {
    void *slot = values + option->offset;
    bool good = true;
    switch (option->kind) {
    case WG_OPTION_FLAG:
        *(bool *)slot = true;
        break;
    case WG_OPTION_STRING:
        if (value[0] == '\0') {
            return empty_value(option, err);
        }
        *(const char **)slot = value;
        break;
    case WG_OPTION_SEED:
        good = parse_seed(value, slot);
        break;
    case WG_OPTION_PERCENT:
        good = parse_percent(value, slot);
        break;
    case WG_OPTION_CHOICE:
        good = is_choice(option, value);
        *(const char **)slot = value;
        break;
    }
    if (!good) {
        return bad_value(option, value, err);
    }
    if (option->kind == WG_OPTION_SEED || option->kind == WG_OPTION_PERCENT) {
        *(bool *)(values + option->given_offset) = true;
    }
    return WG_PARSE_OK;
}

struct cursor {
    int argc;
    char **argv;
    int at; /* the next word */
};

/* --name, --name=value, --name value */
static enum wg_parse parse_long(const struct wg_command *command, struct cursor *cursor,
                                void *values, struct wg_err *err) {
    const char *word = cursor->argv[cursor->at++];
    const char *equals = strchr(word, '=');
    size_t len = equals ? (size_t)(equals - word) : strlen(word);
    const struct wg_option *option = find_long(command, word + 2, len - 2);
    if (!option) {
        return unknown_option(command, word, len, err);
    }
    if (option->kind == WG_OPTION_FLAG) {
        if (equals) {
            wg_fail(err, WG_EINVAL, "--%s takes no value", option->name);
            return WG_PARSE_USAGE;
        }
        return option == &wg_option_help ? WG_PARSE_HELP : store(option, NULL, values, err);
    }
    if (equals) {
        return store(option, equals + 1, values, err);
    }
    if (cursor->at == cursor->argc) {
        wg_fail(err, WG_EINVAL, "--%s needs a value: --%s %s", option->name, option->name,
                option->argument);
        return WG_PARSE_USAGE;
    }
    return store(option, cursor->argv[cursor->at++], values, err);
}

/* -v, -vq, -oFILE, -o FILE */
static enum wg_parse parse_letters(const struct wg_command *command, struct cursor *cursor,
                                   void *values, struct wg_err *err) {
    const char *word = cursor->argv[cursor->at++];
    for (const char *letter = word + 1; *letter; letter++) {
        const struct wg_option *option = find_letter(command, *letter);
        if (!option) {
            return unknown_option(command, word, strlen(word), err);
        }
        if (option == &wg_option_help) {
            return WG_PARSE_HELP;
        }
        if (option->kind == WG_OPTION_FLAG) {
            store(option, NULL, values, err);
            continue;
        }
        const char *value = letter[1]                   ? letter + 1
                            : cursor->at < cursor->argc ? cursor->argv[cursor->at++]
                                                        : NULL;
        if (!value) {
            wg_fail(err, WG_EINVAL, "-%c needs a value: -%c %s", *letter, *letter,
                    option->argument);
            return WG_PARSE_USAGE;
        }
        return store(option, value, values, err);
    }
    return WG_PARSE_OK;
}

static enum wg_parse check_operands(const struct wg_line *line, struct wg_err *err) {
    const struct wg_command *command = line->command;
    if (line->operand_count < command->min_operands) {
        wg_fail(err, WG_EINVAL, "%s needs %s", command->name, command->operands);
        return WG_PARSE_USAGE;
    }
    if (line->operand_count > command->max_operands) {
        struct wg_buf shown = {0};
        const char *word = line->operands[command->max_operands];
        quoted(word, strlen(word), &shown);
        wg_fail(err, WG_EINVAL, "%s does not take '%s'%s", command->name, wg_buf_str(&shown),
                command->takes_rest ? "; arguments for the program follow --" : "");
        wg_buf_done(&shown);
        return WG_PARSE_USAGE;
    }
    return WG_PARSE_OK;
}

enum wg_parse wg_options_parse(const struct wg_command *command, int argc, char **argv,
                               void *values, const char **operands, struct wg_line *out,
                               struct wg_err *err) {
    struct cursor cursor = {.argc = argc, .argv = argv};
    *out = (struct wg_line){.command = command, .values = values, .operands = operands};
    memcpy(values, command->defaults, command->values_bytes);
    while (cursor.at < argc) {
        const char *word = argv[cursor.at];
        enum wg_parse parsed = WG_PARSE_OK;
        if (strcmp(word, "--") == 0) {
            cursor.at++;
            break;
        }
        if (strncmp(word, "--", 2) == 0) {
            parsed = parse_long(command, &cursor, values, err);
        } else if (word[0] == '-' && word[1] != '\0') {
            parsed = parse_letters(command, &cursor, values, err);
        } else if (*word == '\0') {
            parsed = usage(err, "an argument is empty: is a variable unset?");
        } else {
            operands[out->operand_count++] = argv[cursor.at++];
        }
        if (parsed != WG_PARSE_OK) {
            return parsed;
        }
    }
    if (command->takes_rest) {
        out->rest = (const char *const *)argv + cursor.at;
        out->rest_count = (size_t)(argc - cursor.at);
    } else {
        while (cursor.at < argc) {
            operands[out->operand_count++] = argv[cursor.at++];
        }
    }
    return check_operands(out, err);
}

/* ---- --help ---- */

/* Appends text, broken between words so that no line passes HELP_COLUMNS; the cursor stands at
 * column `at`, and further lines start at column `indent`. */
static void put_wrapped(struct wg_buf *out, const char *text, size_t at, size_t indent) {
    bool first = true;
    while (*text) {
        size_t word = strcspn(text, " ");
        if (!first && at + 1 + word > HELP_COLUMNS) {
            wg_buf_printf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            wg_buf_puts(out, " ");
            at++;
        }
        wg_buf_add(out, text, word);
        at += word;
        first = false;
        text += word;
        text += strspn(text, " ");
    }
    wg_buf_puts(out, "\n");
}

static void option_left(const struct wg_option *option, struct wg_buf *out) {
    if (option->letter) {
        wg_buf_printf(out, "  -%c, --%s", option->letter, option->name);
    } else {
        wg_buf_printf(out, "      --%s", option->name);
    }
    if (option->argument) {
        wg_buf_printf(out, " %s", option->argument);
    }
}

static void put_option(const struct wg_option *option, size_t column, struct wg_buf *out) {
    struct wg_buf left = {0};
    option_left(option, &left);
    wg_buf_puts(out, wg_buf_str(&left));
    if (left.len + 2 > column) {
        wg_buf_printf(out, "\n%*s", (int)column, "");
    } else {
        wg_buf_printf(out, "%*s", (int)(column - left.len), "");
    }
    put_wrapped(out, option->help, column, column);
    wg_buf_done(&left);
}

void wg_options_help(const struct wg_command *command, struct wg_buf *out) {
    const size_t column = 25;
    wg_buf_printf(out, "wavegrade %s: %s\n\n", command->name, command->summary);
    wg_buf_printf(out, "Usage: wavegrade %s [OPTIONS]%s%s\n", command->name,
                  *command->operands ? " " : "", command->operands);
    if (command->about) {
        wg_buf_puts(out, "\n");
        put_wrapped(out, command->about, 0, 0);
    }
    wg_buf_puts(out, "\nOptions:\n");
    for (const struct wg_option *option = command->options; option->name; option++) {
        put_option(option, column, out);
    }
    put_option(&wg_option_help, column, out);
    wg_buf_puts(out, "\nExamples:\n");
    for (size_t i = 0; command->examples[i]; i += 2) {
        wg_buf_printf(out, "  %s\n      ", command->examples[i]);
        put_wrapped(out, command->examples[i + 1], 6, 6);
    }
    if (command->epilogue) {
        wg_buf_puts(out, "\n");
        put_wrapped(out, command->epilogue, 0, 0);
    }
}
