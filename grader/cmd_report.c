/* wavegrade report: HTML pages from results that exist already.
 *
 * One result makes one page. Many (files, folders of them, a store) make a folder: index.html for
 * the class and students/NAME.html for each. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/text.h"
#include "grader/commands.h"
#include "grader/export/html.h"
#include "grader/store/class_rows.h"

#define RESULT_LIMIT_BYTES (64 << 20)
#define SOURCE_LIMIT_BYTES (4 << 20)

struct report_options {
    const char *output, *title, *source, *format, *store, *assignment;
    bool anonymous;
};

#define NAME(identifier, name, help) name,
static const char *const formats[] = {WG_FORMATS(NAME) NULL};
#undef NAME

static const struct wg_option options[] = {
#define AT(field) .offset = offsetof(struct report_options, field)
    {.name = "output",
     .letter = 'o',
     .kind = WG_OPTION_STRING,
     .argument = "PATH",
     AT(output),
     .help = "the page for one result, the folder for many"},
    {.name = "format",
     .kind = WG_OPTION_CHOICE,
     .argument = "NAME",
     AT(format),
     .choices = formats,
     .help = "html (default); for one result also those of check --format"},
    {.name = "store",
     .kind = WG_OPTION_STRING,
     .argument = "FILE",
     AT(store),
     .help = "everyone's latest result in this store of wavegrade batch"},
    {.name = "assignment",
     .kind = WG_OPTION_STRING,
     .argument = "NAME",
     AT(assignment),
     .help = "of the store, this assignment only"},
    {.name = "anonymous",
     .kind = WG_OPTION_FLAG,
     AT(anonymous),
     .help = "leave out names, ids, repositories and comments; shuffle the class"},
    {.name = "title",
     .kind = WG_OPTION_STRING,
     .argument = "TEXT",
     AT(title),
     .help = "what the class page is called"},
    {.name = "source",
     .kind = WG_OPTION_STRING,
     .argument = "FILE",
     AT(source),
     .help = "the graded file, for one result that came without it"},
#undef AT
    {0},
};

static const char *const examples[] = {
    "wavegrade report result.json -o result.html",
    "one student's page",
    "wavegrade report results/ -o report",
    "a class page and one page for each result in the folder",
    "wavegrade report --store course.db --assignment matmul -o report",
    "the same for a class that wavegrade batch graded",
    "wavegrade report result.json --format junit -o report.xml",
    "graded once, read by many",
    NULL,
};

/* ---- What is to be shown ---- */

struct entry {
    char *student, *name, *assignment;
    struct wg_result *result; /* NULL: none that can be read */
    char *page;               /* relative to the class page; NULL: no result, no page */
    uint32_t attempts, same_source;
    int64_t graded_s;
    bool is_late;
};

struct entries {
    struct entry *items;
    size_t count;
};

static void entries_done(struct entries *entries) {
    for (size_t i = 0; i < entries->count; i++) {
        struct entry *one = &entries->items[i];
        free(one->student);
        free(one->name);
        free(one->assignment);
        free(one->page);
        wg_result_free(one->result);
    }
    free(entries->items);
}

static void add_entry(struct entries *entries, struct entry entry) {
    entries->items = wg_realloc(entries->items, entries->count + 1, sizeof *entries->items);
    entries->items[entries->count++] = entry;
}

static char *copy_of(const char *text) {
    return text ? wg_strdup(text) : NULL;
}

static char *stem_of(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return wg_strf("%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

static enum wg_code add_file(struct entries *entries, const char *path, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    struct wg_result *result = NULL;
    enum wg_code code = wg_file_read(path, RESULT_LIMIT_BYTES, &text, err);
    if (code != WG_OK) {
        return code;
    }
    struct wg_err why = {0};
    code = wg_result_from_json(wg_buf_str(&text), text.len, &result, &why);
    if (code != WG_OK) {
        return wg_fail(err, code, "%.100s: %.140s", path, why.msg);
    }
    add_entry(entries, (struct entry){.student = stem_of(path),
                                      .assignment = copy_of(result->assignment.id),
                                      .result = result,
                                      .attempts = 1,
                                      .graded_s = result->environment.date_s});
    return WG_OK;
}

static int is_json(const struct dirent *file) {
    size_t len = strlen(file->d_name);
    return len > 5 && file->d_name[0] != '.' && strcmp(file->d_name + len - 5, ".json") == 0;
}

static enum wg_code add_folder(struct entries *entries, const char *path, struct wg_err *err) {
    struct dirent **files = NULL;
    int count = scandir(path, &files, is_json, alphasort);
    if (count < 0) {
        return wg_fail(err, WG_EIO, "list '%s'", path);
    }
    enum wg_code code = count ? WG_OK : wg_fail(err, WG_ENOTFOUND, "no *.json in '%s'", path);
    for (int i = 0; i < count; i++) {
        if (code == WG_OK) {
            WG_CLEANUP(wg_freep) char *file = wg_path_join(path, files[i]->d_name);
            code = add_file(entries, file, err);
        }
        free(files[i]);
    }
    free(files);
    return code;
}

static enum wg_code add_store(struct entries *entries, const struct report_options *values,
                              struct wg_err *err) {
    struct wg_store *store = NULL;
    WG_CLEANUP(wg_store_class_done) struct wg_store_class class = {0};
    struct wg_store_filter filter = {.assignment = values->assignment, .pick = WG_STORE_LATEST};
    enum wg_code code = wg_store_open(values->store, WG_STORE_READ, &store, err);
    if (code != WG_OK) {
        return code;
    }
    code = wg_store_class_load(store, &filter, &class, err);
    wg_store_close(store);
    if (code == WG_OK && class.class.row_count == 0) {
        return wg_fail(err, WG_ENOTFOUND, "no results in '%.100s'%s%.60s", values->store,
                       values->assignment ? " for assignment " : "",
                       values->assignment ? values->assignment : "");
    }
    for (size_t i = 0; code == WG_OK && i < class.class.row_count; i++) {
        const struct wg_class_row *row = &class.rows[i];
        add_entry(entries, (struct entry){.student = copy_of(row->student),
                                          .name = copy_of(row->name),
                                          .assignment = copy_of(row->assignment),
                                          .result = WG_TAKE(&class.results[i]),
                                          .attempts = row->attempts,
                                          .same_source = row->same_source,
                                          .graded_s = row->graded_s,
                                          .is_late = row->is_late});
    }
    return code;
}

/* The source of a result that came without it, if this is what was graded. */
static enum wg_code add_source(struct wg_result *result, const char *path, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf source = {0};
    enum wg_code code = wg_file_read(path, SOURCE_LIMIT_BYTES, &source, err);
    if (code != WG_OK) {
        return code;
    }
    char digest[65];
    wg_text_sha256_hex(wg_buf_str(&source), source.len, digest);
    if (strcmp(digest, result->submission.source_sha256) != 0) {
        return wg_fail(err, WG_EINVAL, "'%s' is not the file that was graded (its SHA-256 differs)",
                       path);
    }
    free(result->submission.source);
    result->submission.source = wg_text_clean(source.data, source.len, SOURCE_LIMIT_BYTES);
    return WG_OK;
}

/* ---- Many ---- */

static bool is_taken(const struct entries *entries, size_t before, const char *page) {
    for (size_t i = 0; i < before; i++) {
        if (entries->items[i].page && strcmp(entries->items[i].page, page) == 0) {
            return true;
        }
    }
    return false;
}

/* Student ids are file names here: everything unusual becomes "_", and a second one gets a
 * number. */
static void name_pages(struct entries *entries, bool anonymous) {
    for (size_t i = 0; i < entries->count; i++) {
        struct entry *one = &entries->items[i];
        if (!one->result) {
            continue;
        }
        WG_CLEANUP(wg_freep)
        char *name = anonymous ? wg_strf("%03zu", i + 1) : wg_strf("%.100s", one->student);
        for (char *c = name; *c; c++) {
            bool is_usual = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                            (*c >= '0' && *c <= '9') || *c == '-' || (*c == '.' && c > name);
            *c = is_usual ? *c : '_';
        }
        one->page = wg_strf("students/%s.html", name);
        for (size_t n = 2; is_taken(entries, i, one->page); n++) {
            free(one->page);
            one->page = wg_strf("students/%s-%zu.html", name, n);
        }
    }
}

static enum wg_code write_page(const char *folder, const char *name, const struct wg_buf *page,
                               struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(folder, name);
    return wg_file_write(path, page->data, page->len, 0666, err);
}

static enum wg_code write_students(const struct wg_html_frame *frame, struct entries *entries,
                                   const struct report_options *values, struct wg_err *err) {
    struct wg_cmd_progress progress = wg_cmd_progress_start(true);
    enum wg_code code = WG_OK;
    for (size_t i = 0; i < entries->count && code == WG_OK; i++) {
        struct entry *one = &entries->items[i];
        if (!one->result) {
            continue;
        }
        WG_CLEANUP(wg_buf_done) struct wg_buf page = {0};
        WG_CLEANUP(wg_freep) char *number = wg_strf("student %zu", i + 1);
        struct wg_html_about about = {.student = values->anonymous ? number : one->student,
                                      .name = values->anonymous ? NULL : one->name,
                                      .class_page = "../index.html"};
        wg_cmd_progress_show(&progress, "pages", i, entries->count);
        if (values->anonymous) {
            wg_html_anonymize(one->result);
        }
        wg_export_html(frame, one->result, &about, &page);
        code = write_page(values->output, one->page, &page, err);
    }
    wg_cmd_progress_end(&progress);
    return code;
}

static char *title_of(const struct entries *entries) {
    const char *title = NULL;
    for (size_t i = 0; i < entries->count; i++) {
        const struct wg_result *result = entries->items[i].result;
        const char *one = result ? result->assignment.title : NULL;
        if (one && title && strcmp(one, title) != 0) {
            return wg_strdup("The class");
        }
        title = one ? one : title;
    }
    return wg_strdup(title ? title : "The class");
}

static enum wg_code write_class(const struct wg_html_frame *frame, const struct entries *entries,
                                const struct report_options *values, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf page = {0};
    WG_CLEANUP(wg_freep) char *title = values->title ? wg_strdup(values->title) : title_of(entries);
    WG_CLEANUP(wg_freep)
    struct wg_class_row *rows = wg_calloc(entries->count, sizeof *rows);
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *one = &entries->items[i];
        rows[i] = (struct wg_class_row){.student = one->student,
                                        .name = one->name,
                                        .assignment = one->assignment,
                                        .result = one->result,
                                        .attempts = one->attempts,
                                        .graded_s = values->anonymous ? 0 : one->graded_s,
                                        .is_late = one->is_late,
                                        .same_source = one->same_source,
                                        .page = one->page};
    }
    struct wg_class class = {
        .title = title, .rows = rows, .row_count = entries->count, .anonymous = values->anonymous};
    wg_export_html_class(frame, &class, &page);
    return write_page(values->output, "index.html", &page, err);
}

static enum wg_code write_folder(const struct wg_html_frame *frame, struct entries *entries,
                                 const struct report_options *values, struct wg_err *err) {
    if (!values->output) {
        return wg_fail(err, WG_EINVAL, "say where the pages go: -o FOLDER");
    }
    WG_CLEANUP(wg_freep) char *students = wg_path_join(values->output, "students");
    enum wg_code code = wg_folder_make(students, 0777, err);
    code = code || !values->anonymous
               ? code
               : wg_cmd_mix(entries->items, entries->count, sizeof *entries->items, err);
    if (code != WG_OK) {
        return code;
    }
    name_pages(entries, values->anonymous);
    code = write_students(frame, entries, values, err);
    code = code ? code : write_class(frame, entries, values, err);
    if (code != WG_OK) {
        return code;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf told = {0};
    wg_buf_printf(&told, "open %s/index.html: %zu students\n", values->output, entries->count);
    return wg_cmd_print(&told, err);
}

/* ---- One ---- */

static enum wg_code write_out(const char *output, const struct wg_buf *text, struct wg_err *err) {
    if (output && strcmp(output, "-") != 0) {
        return wg_file_write(output, text->data, text->len, 0666, err);
    }
    return wg_cmd_print(text, err);
}

static enum wg_code write_single(const struct wg_html_frame *frame, struct entry *one,
                                 const struct report_options *values, struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf page = {0};
    if (values->anonymous) {
        wg_html_anonymize(one->result);
    }
    wg_export_html(frame, one->result, NULL, &page);
    return write_out(values->output, &page, err);
}

/* A result as it would have been written by check or grade. */
static enum wg_code write_format(const struct wg_line *line, const struct report_options *values,
                                 struct wg_err *err) {
    WG_CLEANUP(entries_done) struct entries entries = {0};
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    if (line->operand_count != 1 || wg_file_is_folder(line->operands[0])) {
        return wg_fail(err, WG_EINVAL, "--format %s goes with one result", values->format);
    }
    enum wg_code code = add_file(&entries, line->operands[0], err);
    if (code == WG_OK && values->source) {
        code = add_source(entries.items[0].result, values->source, err);
    }
    if (code == WG_OK && values->anonymous) {
        wg_html_anonymize(entries.items[0].result);
    }
    struct wg_format_settings settings = {.style = wg_cmd_style(STDOUT_FILENO),
                                          .with_source = true};
    settings.style.color = settings.style.color && !values->output;
    code =
        code ? code : wg_cmd_write(values->format, entries.items[0].result, &settings, &text, err);
    return code ? code : write_out(values->output, &text, err);
}

static enum wg_code report(const struct wg_line *line, const struct report_options *values,
                           struct wg_err *err) {
    WG_CLEANUP(entries_done) struct entries entries = {0};
    WG_CLEANUP(wg_html_frame_done) struct wg_html_frame frame = {0};
    if ((values->store == NULL) == (line->operand_count == 0)) {
        return wg_fail(err, WG_EINVAL, "name results, folders of them, or a --store");
    }
    if (strcmp(values->format, "html") != 0) {
        return write_format(line, values, err);
    }
    bool is_class = line->operand_count > 1 || values->store;
    enum wg_code code = wg_html_frame_load(&frame, err);
    if (code == WG_OK && values->store) {
        code = add_store(&entries, values, err);
    }
    for (size_t i = 0; i < line->operand_count && code == WG_OK; i++) {
        bool is_folder = wg_file_is_folder(line->operands[i]);
        code = (is_folder ? add_folder : add_file)(&entries, line->operands[i], err);
        is_class |= is_folder;
    }
    if (code == WG_OK && values->source) {
        code = is_class ? wg_fail(err, WG_EINVAL, "--source goes with one result")
                        : add_source(entries.items[0].result, values->source, err);
    }
    if (code != WG_OK) {
        return code;
    }
    return is_class ? write_folder(&frame, &entries, values, err)
                    : write_single(&frame, &entries.items[0], values, err);
}

static int run(const struct wg_line *line) {
    struct wg_err err = {0};
    return report(line, line->values, &err) == WG_OK ? WG_EXIT_PASS : wg_cmd_fail(&err);
}

static const struct report_options defaults = {.format = "html"};

const struct wg_command wg_cmd_pages = {
    .name = "report",
    .summary = "HTML pages from results: a student's or a class's",
    .operands = "[RESULT_OR_FOLDER...]",
    .about = "Each page is one file that works offline. Results are those of --format json.",
    .options = options,
    .examples = examples,
    .max_operands = SIZE_MAX,
    .defaults = &defaults,
    .values_bytes = sizeof(struct report_options),
    .run = run,
};
