/* write_exports FOLDER: every sample in every format as FOLDER/FORMAT/SAMPLE, GitHub's summaries as
 * FOLDER/github-summary/SAMPLE, and all samples as a class in FOLDER/class/. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/export/class.h"
#include "grader/export/formats.h"
#include "tests/export/samples.h"

#define MOST_SAMPLES 16

static const char *runner_variable(const char *name) {
    static const char *const values[][2] = {
        {"CLASSROOM", "gpu-2026"},
        {"ASSIGNMENT", "lab1"},
        {"ASSIGNMENT_TYPE", "individual"},
        {"OWNER", "student"},
        {"SUBMISSION_TAG", "submit/2026-11-30T18-00-00Z-0123456"},
        {"COMMIT_URL", "https://git.example.invalid/x/commit/0123456"},
        {"RELEASE_URL", "https://git.example.invalid/x/releases/tag/submit"},
        {"REVIEW_URL", ""},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(values[i][0], name) == 0) {
            return values[i][1];
        }
    }
    return NULL;
}

static void save(const char *folder, const char *kind, const char *name,
                 const struct wg_buf *text) {
    struct wg_err err = {0};
    WG_CLEANUP(wg_freep) char *sub = wg_path_join(folder, kind);
    WG_CLEANUP(wg_freep) char *path = wg_path_join(sub, name);
    enum wg_code code = wg_folder_make(sub, 0777, &err);
    code = code ? code : wg_file_write(path, wg_buf_str(text), text->len, 0666, &err);
    if (code != WG_OK) {
        fprintf(stderr, "%s\n", err.msg);
        exit(2);
    }
}

static void save_formats(const char *folder, const char *name, const struct wg_result *result) {
    struct wg_format_settings settings = {
        .style = {.columns = 100, .unicode = true}, .folder = "week1", .variable = runner_variable};
    for (size_t i = 0; i < WG_FORMAT_COUNT; i++) {
        WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
        wg_formats[i].write(result, &settings, &text);
        save(folder, wg_formats[i].name, name, &text);
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf summary = {0};
    wg_export_github_summary(result, &summary);
    save(folder, "github-summary", name, &summary);
}

typedef enum wg_code exporter(const struct wg_class *, const struct wg_gradebook *, struct wg_buf *,
                              size_t *, struct wg_err *);

/* What went wrong is part of what is checked. */
static void save_class(const char *folder, const char *name, exporter *write,
                       const struct wg_class *class, const struct wg_gradebook *book) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    struct wg_err err = {0};
    size_t missing = 0;
    if (write(class, book, &text, &missing, &err) != WG_OK) {
        wg_buf_clear(&text);
        wg_buf_printf(&text, "error: %s\n", err.msg);
    }
    WG_CLEANUP(wg_freep) char *count_name = wg_strf("%s.missing", name);
    WG_CLEANUP(wg_buf_done) struct wg_buf count = {0};
    wg_buf_printf(&count, "%zu\n", missing);
    save(folder, "class", name, &text);
    save(folder, "class", count_name, &count);
}

static const char canvas_export[] = "\xef\xbb\xbfStudent,ID,SIS User ID,SIS Login ID,Section,Essay "
                                    "(17),Vector addition (4711),Final "
                                    "Score\r\n"
                                    "    Points Possible,,,,,100,80,(read only)\r\n"
                                    "\"Beta, B\",12,s2,wrong_answer,\"Lab; A\",-5,12,3\r\n"
                                    "\"Alpha, A\",11,s1,pass,Lab A,,,\r\n"
                                    "\"Gamma, C\",13,s3,grader_error,Lab A,70,33,\r\n"
                                    "\"Student, Test\",99,,deadbeef,Lab A,,,\r\n";
static const char moodle_export[] =
    "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,Last "
    "modified (submission),Last modified (grade),Feedback comments\n"
    "Participant 301,A Alpha,pass,Submitted,-,80,Yes,\"Monday, 30 November 2026, 6:00 PM\",-,\n"
    "Participant 302,B Beta,wrong_answer,Submitted,12,80,Yes,-,\"Monday, 30 November 2026\",old\n"
    "Participant 303,C Gamma,grader_error,Submitted,33,80,Yes,-,-,kept\n";

static void save_classes(const char *folder, struct wg_result *const *results) {
    struct wg_class_row rows[MOST_SAMPLES + 1] = {0};
    for (size_t i = 0; i < sample_count; i++) {
        rows[i] = (struct wg_class_row){.student = samples[i].name,
                                        .assignment = "vector_add",
                                        .result = results[i],
                                        .attempts = 2,
                                        .graded_s = 1700003600,
                                        .is_late = i == 1};
    }
    rows[sample_count - 1].name = "=HYPERLINK(\"http://x.invalid\",\"A, \"\"B\"\"\")";
    rows[sample_count] = (struct wg_class_row){.student = "@never", .assignment = "vector_add"};
    struct wg_class class = {.rows = rows, .row_count = sample_count + 1};
    struct wg_gradebook none = {0};
    struct wg_gradebook scaled = {.out_of = 10, .column = "Vector addition (4711)"};
    struct wg_gradebook canvas = {.text = canvas_export, .bytes = sizeof canvas_export - 1};
    struct wg_gradebook moodle = {.text = moodle_export, .bytes = sizeof moodle_export - 1};
    struct wg_gradebook absent = canvas;
    absent.column = "Homework 9";
    save_class(folder, "canvas", wg_export_canvas_csv, &class, &none);
    save_class(folder, "canvas-scaled", wg_export_canvas_csv, &class, &scaled);
    save_class(folder, "canvas-filled", wg_export_canvas_csv, &class, &canvas);
    save_class(folder, "canvas-no-column", wg_export_canvas_csv, &class, &absent);
    static const char latin_1[] = "Student,ID,SIS User ID,SIS Login ID,Section,Essay (17),Vector "
                                  "addition (4711)\n    Points Possible,,,,,100,80\n"
                                  "\"M\xfcller, \xc5\",12,s2,wrong_answer,Lab A,,\n";
    static const char utf_16[] = "\xff\xfeS\0t\0u\0d\0e\0n\0t\0,\0I\0D\0\n";
    struct wg_gradebook windows = {.text = latin_1, .bytes = sizeof latin_1 - 1};
    struct wg_gradebook wide = {.text = utf_16, .bytes = sizeof utf_16};
    save_class(folder, "canvas-latin-1", wg_export_canvas_csv, &class, &windows);
    save_class(folder, "canvas-utf-16", wg_export_canvas_csv, &class, &wide);
    save_class(folder, "canvas-of-moodle", wg_export_canvas_csv, &class, &moodle);
    save_class(folder, "moodle-needs-worksheet", wg_export_moodle_csv, &class, &none);
    save_class(folder, "moodle-filled", wg_export_moodle_csv, &class, &moodle);
    struct wg_class_row numbered = rows[0];
    numbered.student = "301";
    struct wg_class small = {.rows = &numbered, .row_count = 1};
    save_class(folder, "moodle", wg_export_moodle_csv, &small, &none);
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    wg_export_csv(&class, &text);
    save(folder, "class", "csv", &text);
    wg_buf_clear(&text);
    class.anonymous = true;
    wg_export_csv(&class, &text);
    save(folder, "class", "csv-anonymous", &text);
    save_class(folder, "canvas-anonymous", wg_export_canvas_csv, &class, &canvas);
}

int main(int argc, char **argv) {
    if (argc != 2 || sample_count > MOST_SAMPLES) {
        return 64;
    }
    struct wg_result *results[MOST_SAMPLES] = {0};
    for (size_t i = 0; i < sample_count; i++) {
        results[i] = samples[i].make();
        save_formats(argv[1], samples[i].name, results[i]);
    }
    save_classes(argv[1], results);
    for (size_t i = 0; i < sample_count; i++) {
        wg_result_free(results[i]);
    }
    return 0;
}
