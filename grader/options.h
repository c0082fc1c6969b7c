/* Command lines as data: each command declares its options, operands and examples in one table,
 * and parsing, --help and "did you mean" are made from it.
 *
 * Tables are constant and live for ever. Parsed strings point into argv. */
#ifndef WG_OPTIONS_H
#define WG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"

#define WG_EXIT_PASS  0
#define WG_EXIT_SHORT 1 /* the submission fell short */
#define WG_EXIT_FAULT 2 /* the grader's fault or the machine's */
#define WG_EXIT_USAGE 64

enum wg_option_kind {
    WG_OPTION_FLAG,    /* bool */
    WG_OPTION_STRING,  /* const char * */
    WG_OPTION_SEED,    /* uint64_t, decimal or 0x...; sets the bool at given_offset */
    WG_OPTION_PERCENT, /* double, 0 to 100; sets the bool at given_offset */
    WG_OPTION_CHOICE,  /* const char *, one of choices */
};

struct wg_option {
    const char *name; /* without dashes */
    char letter;      /* or 0 */
    enum wg_option_kind kind;
    const char *argument;       /* how the help calls it; NULL for flags */
    const char *const *choices; /* NULL-terminated; WG_OPTION_CHOICE */
    const char *help;
    size_t offset;       /* of the value in the command's struct */
    size_t given_offset; /* of a bool that is set when the option came; numbers only */
};

extern const struct wg_option wg_option_help; /* -h, --help: every command has it */

struct wg_line; /* a parsed command line */

struct wg_command {
    const char *name;
    const char *summary;             /* one line */
    const char *operands;            /* "URL_OR_PATH", "[FOLDER]" */
    const char *about;               /* a paragraph, NULL-able */
    const struct wg_option *options; /* ends with name == NULL */
    const char *const *examples;     /* command, explanation, ..., NULL */
    const char *epilogue;            /* NULL-able */
    size_t min_operands, max_operands;
    bool takes_rest;      /* what follows "--" is handed through */
    const void *defaults; /* the command's struct before parsing, values_bytes long */
    size_t values_bytes;
    int (*run)(const struct wg_line *line);
};

struct wg_line {
    const struct wg_command *command;
    const void *values;          /* the command's struct, filled */
    const char *const *operands; /* operand_count of them */
    size_t operand_count;
    const char *const *rest; /* after "--", where the command takes it */
    size_t rest_count;
};

enum wg_parse { WG_PARSE_OK, WG_PARSE_HELP, WG_PARSE_USAGE };

/* Parses argv (without the command's name). values: values_bytes of storage; operands: room for
 * argc strings; both must outlive *out. WG_PARSE_USAGE: err->msg says what is wrong and, where it
 * can, what was meant. */
enum wg_parse wg_options_parse(const struct wg_command *command, int argc, char **argv,
                               void *values, const char **operands, struct wg_line *out,
                               struct wg_err *err);

/* The text of COMMAND --help; at most 80 columns wide. */
void wg_options_help(const struct wg_command *command, struct wg_buf *out);

#endif
