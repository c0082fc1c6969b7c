/* What a store holds: a table, JSON, or a file for a gradebook. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "grader/commands.h"
#include "grader/export/class.h"
#include "grader/results_write.h"
#include "grader/store/class_rows.h"

#define GRADEBOOK_LIMIT_BYTES ((size_t)16 << 20)

struct results_options {
    const char *student, *assignment, *verdict, *since, *format, *output, *gradebook, *column,
        *match, *out_of;
    bool best, all, full, anonymous;
};
static const struct results_options defaults = {.format = "text"};
static const char *const formats[] = {"text", "report", "json", "csv", "canvas", "moodle", NULL};

/* clang-format off */
static const struct wg_option options[] = {
#define AT(field) .offset = offsetof(struct results_options, field)
#define TEXT(option, word, field, words)                                                           \
    {.name = option, .kind = WG_OPTION_STRING, .argument = word, AT(field), .help = words}
#define FLAG(option, field, words)                                                                 \
    {.name = option, .kind = WG_OPTION_FLAG, AT(field), .help = words}
    TEXT("student", "ID", student, "this student only"),
    TEXT("assignment", "NAME", assignment, "this assignment only"),
    TEXT("verdict", "NAME", verdict, "those with this verdict, such as GRADER_ERROR"),
    TEXT("since", "TIME", since, "graded at or after 2026-11-30T18:00"),
    FLAG("best", best, "everybody's best grading; otherwise the latest"),
    FLAG("all", all, "every grading"),
    {.name = "format", .kind = WG_OPTION_CHOICE, .argument = "NAME", AT(format), .choices = formats,
     .help = "text (a table), report (all that is known), json, csv, canvas, moodle"},
    FLAG("full", full, "json: with each whole result"),
    TEXT("gradebook", "FILE", gradebook, "canvas, moodle: the exported gradebook, to be filled in"),
    TEXT("column", "NAME", column, "canvas: the gradebook's column for the grade"),
    TEXT("match", "NAME", match, "the gradebook's column that holds the roster's ids"),
    TEXT("out-of", "POINTS", out_of, "scale grades to so many points"),
    FLAG("anonymous", anonymous, "csv: neither ids nor names"),
    {.name = "output", .letter = 'o', .kind = WG_OPTION_STRING, .argument = "FILE", AT(output),
     .help = "write to FILE"},
#undef AT
    {0},
};
/* clang-format on */

static const char *const examples[] = {
    "wavegrade results class.db --assignment matmul --best",
    "a table of everybody's best",
    "wavegrade results class.db --verdict GRADER_ERROR",
    "what is not graded, and why",
    "wavegrade results class.db --student s17 --format report",
    "all that is known about one student's latest hand-in",
    NULL,
};

static enum wg_code make_filter(const struct results_options *wanted, struct wg_store_filter *out,
                                struct wg_err *err) {
    *out = (struct wg_store_filter){.student = wanted->student,
                                    .assignment = wanted->assignment,
                                    .verdict = wanted->verdict,
                                    .pick = wanted->all    ? WG_STORE_ALL
                                            : wanted->best ? WG_STORE_BEST
                                                           : WG_STORE_LATEST};
    enum wg_verdict verdict;
    if (wanted->verdict != NULL && !wg_verdict_parse(wanted->verdict, &verdict)) {
        const char *names[WG_VERDICT_COUNT];
        for (size_t v = 0; v < WG_VERDICT_COUNT; v++) {
            names[v] = wg_verdict_name(v);
        }
        const char *nearest = wg_text_nearest(wanted->verdict, names, WG_VERDICT_COUNT);
        return wg_fail(err, WG_EINVAL, "there is no verdict '%.40s'%s%s%s", wanted->verdict,
                       nearest != NULL ? "; did you mean " : "", nearest != NULL ? nearest : "",
                       nearest != NULL ? "?" : "");
    }
    if (wanted->since != NULL && !wg_clock_parse(wanted->since, false, &out->since_s)) {
        return wg_fail(err, WG_EINVAL, "--since takes a time like 2026-11-30T18:00, not '%.40s'",
                       wanted->since);
    }
    return WG_OK;
}

/* What one format has and the others would pass over. */
static enum wg_code check_companions(const struct results_options *wanted, struct wg_err *err) {
    const char *format = wanted->format;
    bool is_book = strcmp(format, "canvas") == 0 || strcmp(format, "moodle") == 0;
    bool names_nobody = strcmp(format, "csv") == 0 || is_book; /* a gradebook refuses by itself */
    const struct {
        const char *name, *formats;
        bool is_given, fits;
    } uses[] = {
        {"anonymous", "csv; wavegrade report has it, too", wanted->anonymous, names_nobody},
        {"full", "json", wanted->full, strcmp(format, "json") == 0},
        {"gradebook", "canvas or moodle", wanted->gradebook != NULL, is_book},
        {"column", "canvas or moodle", wanted->column != NULL, is_book},
        {"match", "canvas or moodle", wanted->match != NULL, is_book},
        {"out-of", "canvas or moodle", wanted->out_of != NULL, is_book},
    };
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        if (uses[i].is_given && !uses[i].fits) {
            return wg_fail(err, WG_EINVAL, "--%s goes with --format %s", uses[i].name,
                           uses[i].formats);
        }
    }
    bool is_new_column = strcmp(format, "canvas") == 0; /* of the file that is made */
    if (wanted->gradebook == NULL && (wanted->match || (wanted->column && !is_new_column))) {
        return wg_fail(err, WG_EINVAL, "--%s names a column of --gradebook FILE",
                       wanted->match ? "match" : "column");
    }
    return WG_OK;
}

static enum wg_code parse_out_of(const char *text, double *out, struct wg_err *err) {
    char *end = NULL;
    *out = text != NULL ? strtod(text, &end) : 0;
    if (text != NULL && (*end != '\0' || !(*out > 0 && *out < 1e6))) {
        return wg_fail(err, WG_EINVAL, "--out-of takes points, such as 20, not '%.40s'", text);
    }
    return WG_OK;
}

/* ---- Formats that are made from whole results ---- */

static void put_reports(const struct wg_store_class *class, const struct wg_text_style *style,
                        struct wg_buf *out) {
    for (size_t i = 0; i < class->class.row_count; i++) {
        wg_buf_puts(out, i > 0 ? "\n" : "");
        wg_text_terminal(out, class->rows[i].student, strlen(class->rows[i].student), false);
        wg_buf_puts(out, "\n");
        if (class->rows[i].result != NULL) {
            wg_export_text(class->rows[i].result, style, out);
        } else {
            wg_buf_puts(out, "its result cannot be read any more\n");
        }
    }
}

static enum wg_code put_gradebook(const struct results_options *wanted,
                                  const struct wg_class *class, struct wg_buf *out,
                                  struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    struct wg_gradebook book = {.column = wanted->column, .match = wanted->match};
    enum wg_code code = parse_out_of(wanted->out_of, &book.out_of, err);
    if (code == WG_OK && wanted->gradebook != NULL) {
        code = wg_file_read(wanted->gradebook, GRADEBOOK_LIMIT_BYTES, &text, err);
        book.text = wg_buf_str(&text);
        book.bytes = text.len;
    }
    if (code != WG_OK) {
        return code;
    }
    size_t missing = 0;
    code = strcmp(wanted->format, "canvas") == 0
               ? wg_export_canvas_csv(class, &book, out, &missing, err)
               : wg_export_moodle_csv(class, &book, out, &missing, err);
    if (code == WG_EPARSE && wanted->gradebook != NULL) {
        return wg_fail(err, WG_EINVAL, "%.60s: %.180s", wanted->gradebook, err->msg);
    }
    if (code == WG_OK && missing > 0) {
        fprintf(stderr, "wavegrade: the gradebook lacks %zu student%s of the store\n", missing,
                missing == 1 ? "" : "s");
    }
    return code;
}

static enum wg_code put_class(const struct results_options *wanted, struct wg_store *store,
                              const struct wg_store_filter *filter, struct wg_buf *out,
                              struct wg_err *err) {
    WG_CLEANUP(wg_store_class_done) struct wg_store_class class = {0};
    enum wg_code code = wg_store_class_load(store, filter, &class, err);
    if (code != WG_OK) {
        return code;
    }
    class.class.anonymous = wanted->anonymous;
    if (wanted->anonymous) {
        code = wg_cmd_mix(class.rows, class.class.row_count, sizeof *class.rows, err);
        if (code != WG_OK) {
            return code;
        }
    }
    if (strcmp(wanted->format, "csv") == 0) {
        wg_export_csv(&class.class, out);
    } else if (strcmp(wanted->format, "report") == 0) {
        struct wg_text_style style = wg_cmd_style(STDOUT_FILENO);
        style.color = style.color && wanted->output == NULL;
        style.verbose = true;
        put_reports(&class, &style, out);
    } else {
        code = put_gradebook(wanted, &class.class, out, err);
    }
    return code;
}

/* ---- Formats that columns are enough for ---- */

static enum wg_code put_rows(const struct results_options *wanted, struct wg_store *store,
                             const struct wg_store_filter *filter, struct wg_buf *out,
                             struct wg_err *err) {
    WG_CLEANUP(wg_store_attempts_done) struct wg_store_attempts attempts = {0};
    enum wg_code code = wg_store_list(store, filter, &attempts, err);
    if (code != WG_OK) {
        return code;
    }
    if (strcmp(wanted->format, "json") == 0) {
        return wg_results_put_json(store, &attempts, wanted->full, out, err);
    }
    struct wg_text_style style = wg_cmd_style(STDOUT_FILENO);
    style.color = style.color && wanted->output == NULL;
    wg_results_put_text(&attempts, &style, out);
    return WG_OK;
}

static int run(const struct wg_line *line) {
    const struct results_options *wanted = line->values;
    struct wg_store_filter filter;
    struct wg_store *store = NULL;
    struct wg_err err = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf out = {0};
    double out_of;
    enum wg_code code = check_companions(wanted, &err);
    code = code != WG_OK ? code : parse_out_of(wanted->out_of, &out_of, &err);
    code = code != WG_OK ? code : make_filter(wanted, &filter, &err);
    code = code != WG_OK ? code : wg_store_open(line->operands[0], WG_STORE_READ, &store, &err);
    if (code == WG_OK) {
        bool is_plain = strcmp(wanted->format, "text") == 0 || strcmp(wanted->format, "json") == 0;
        code = is_plain ? put_rows(wanted, store, &filter, &out, &err)
                        : put_class(wanted, store, &filter, &out, &err);
    }
    wg_store_close(store);
    if (code == WG_OK) {
        code = wanted->output != NULL && strcmp(wanted->output, "-") != 0
                   ? wg_file_write(wanted->output, out.data, out.len, 0666, &err)
                   : wg_cmd_print(&out, &err);
    }
    return code == WG_OK ? WG_EXIT_PASS : wg_cmd_fail(&err);
}

const struct wg_command wg_cmd_results = {
    .name = "results",
    .summary = "list and export what a store holds",
    .operands = "STORE",
    .options = options,
    .examples = examples,
    .min_operands = 1,
    .max_operands = 1,
    .defaults = &defaults,
    .values_bytes = sizeof(struct results_options),
    .run = run,
};
