#include <criterion/criterion.h>
#include <string.h>

#include "grader/options.h"

struct values {
    const char *name, *kind;
    bool loud, has_seed, has_share;
    uint64_t seed;
    double share;
};

static const char *const kinds[] = {"red", "green", NULL};
static const struct values defaults = {.kind = "red"};
static const char *const examples[] = {"wavegrade toy x", "an example", NULL};
static const struct wg_option options[] = {
    {.name = "name",
     .letter = 'n',
     .kind = WG_OPTION_STRING,
     .argument = "TEXT",
     .help = "a name",
     .offset = offsetof(struct values, name)},
    {.name = "kind",
     .kind = WG_OPTION_CHOICE,
     .argument = "KIND",
     .choices = kinds,
     .help = "red or green",
     .offset = offsetof(struct values, kind)},
    {.name = "loud",
     .letter = 'l',
     .kind = WG_OPTION_FLAG,
     .help = "a help text that is so long that it has to be broken into more than one line",
     .offset = offsetof(struct values, loud)},
    {.name = "seed",
     .kind = WG_OPTION_SEED,
     .argument = "N",
     .help = "a seed",
     .offset = offsetof(struct values, seed),
     .given_offset = offsetof(struct values, has_seed)},
    {.name = "share",
     .kind = WG_OPTION_PERCENT,
     .argument = "P",
     .help = "a percentage",
     .offset = offsetof(struct values, share),
     .given_offset = offsetof(struct values, has_share)},
    {0},
};
static struct wg_command command = {
    .name = "toy",
    .summary = "a command for tests",
    .operands = "THING [OTHER]",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 2,
    .defaults = &defaults,
    .values_bytes = sizeof(struct values),
};

static struct values values;
static const char *operands[16];
static struct wg_line line;
static struct wg_err err;

/* A copy that lives on: a parsed line points into it. */
static char *words[16];

static enum wg_parse parse(int argc, const char *const *argv) {
    err = (struct wg_err){0};
    memcpy((void *)words, (const void *)argv, (size_t)argc * sizeof *argv);
    return wg_options_parse(&command, argc, words, &values, operands, &line, &err);
}
#define PARSE(...)                                                                                 \
    parse((int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)),                           \
          (const char *[]){__VA_ARGS__})
#define assert_usage(text, ...)                                                                    \
    do {                                                                                           \
        cr_assert_eq(PARSE(__VA_ARGS__), WG_PARSE_USAGE);                                          \
        cr_assert(strstr(err.msg, text), "'%s' lacks '%s'", err.msg, text);                        \
    } while (0)

Test(options, both_spellings_of_a_value) {
    cr_assert_eq(PARSE("--name=ada", "x"), WG_PARSE_OK);
    cr_assert_str_eq(values.name, "ada");
    cr_assert_eq(PARSE("x", "--name", "bob"), WG_PARSE_OK);
    cr_assert_str_eq(values.name, "bob");
    cr_assert_eq(PARSE("-n", "eve", "x"), WG_PARSE_OK);
    cr_assert_str_eq(values.name, "eve");
    cr_assert_eq(PARSE("-lneve", "x"), WG_PARSE_OK);
    cr_assert_str_eq(values.name, "eve");
    cr_assert(values.loud);
    cr_assert_eq(PARSE("--name", "--loud", "x"), WG_PARSE_OK);
    cr_assert_str_eq(values.name, "--loud");
}

Test(options, defaults_hold_where_nothing_is_said) {
    cr_assert_eq(PARSE("x"), WG_PARSE_OK);
    cr_assert_str_eq(values.kind, "red");
    cr_assert_null(values.name);
    cr_assert(!values.has_seed && !values.loud);
    cr_assert_eq(line.operand_count, 1);
    cr_assert_str_eq(line.operands[0], "x");
}

Test(options, the_nearest_option_is_named) {
    assert_usage("did you mean --name?", "--nmae", "ada", "x");
    assert_usage("did you mean --seed?", "--sed=1", "x");
    assert_usage("unknown option --zzzzzzzz", "--zzzzzzzz", "x");
    assert_usage("unknown option -z", "-z", "x");
}

Test(options, values_are_checked) {
    assert_usage("one of red, green", "--kind", "blue", "x");
    assert_usage("below 2^64", "--seed", "-1", "x");
    assert_usage("below 2^64", "--seed=18446744073709551616", "x");
    assert_usage("below 2^64", "--seed=7x", "x");
    assert_usage("0 to 100", "--share=101", "x");
    assert_usage("0 to 100", "--share=nan", "x");
    assert_usage("needs a value", "x", "--name");
    assert_usage("needs a value", "x", "-n");
    assert_usage("takes no value", "x", "--loud=yes");
    assert_usage("the TEXT of --name is empty: is a variable unset?", "--name=", "x");
    assert_usage("the TEXT of --name is empty", "--name", "", "x");
    assert_usage("the TEXT of --name is empty", "x", "-n", "");
    cr_assert_eq(PARSE("--seed=18446744073709551615", "--share", "80%", "x"), WG_PARSE_OK);
    cr_assert_eq(values.seed, UINT64_MAX);
    cr_assert(values.has_seed && values.has_share);
    cr_assert_float_eq(values.share, 80, 1e-12);
    cr_assert_eq(PARSE("--seed=0x10", "x"), WG_PARSE_OK);
    cr_assert_eq(values.seed, 16);
}

Test(options, operands_are_counted) {
    assert_usage("needs THING", "--loud");
    assert_usage("does not take 'c'", "a", "b", "c");
    assert_usage("empty", "");
    cr_assert_eq(PARSE("-", "b"), WG_PARSE_OK);
    cr_assert_str_eq(line.operands[0], "-");
}

Test(options, two_dashes_end_the_options) {
    cr_assert_eq(PARSE("--loud", "--", "--name"), WG_PARSE_OK);
    cr_assert_eq(line.operand_count, 1);
    cr_assert_str_eq(line.operands[0], "--name");
    command.takes_rest = true;
    cr_assert_eq(PARSE("x", "--", "--name", "-h"), WG_PARSE_OK);
    cr_assert_eq(line.operand_count, 1);
    cr_assert_eq(line.rest_count, 2);
    cr_assert_str_eq(line.rest[1], "-h");
}

Test(options, what_was_typed_comes_back_harmless) {
    assert_usage("\\x1b", "--\x1b[31mred", "x");
    assert_usage("\\x1b", "--kind=\x1b]0;title\x07", "x");
}

Test(options, help_fits_and_names_everything) {
    cr_assert_eq(PARSE("x", "-h"), WG_PARSE_HELP);
    cr_assert_eq(PARSE("--help"), WG_PARSE_HELP);
    struct wg_buf help = {0};
    wg_options_help(&command, &help);
    for (const char *row = help.data; *row;) {
        size_t len = strcspn(row, "\n");
        cr_assert_leq(len, 80, "%.*s", (int)len, row);
        row += len + (row[len] == '\n');
    }
    for (const struct wg_option *option = options; option->name; option++) {
        cr_assert(strstr(help.data, option->name));
    }
    cr_assert(strstr(help.data, "--help"));
    cr_assert(strstr(help.data, "wavegrade toy x"));
    wg_buf_done(&help);
}
