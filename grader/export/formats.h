/* The formats that one result can be written in: a table that --format, its help and the manual are
 * made from. One exporter a file; class-wide formats are in class.h, HTML pages in html.h.
 *
 * An exporter appends to a buffer that the caller owns and escapes what students wrote for its
 * consumer. A result that was not graded (GRADER_ERROR, nothing scored) never becomes zero points:
 * each format says so in the way that its consumer understands. */
#ifndef WG_EXPORT_FORMATS_H
#define WG_EXPORT_FORMATS_H

#include <stdbool.h>

#include "grader/export/export.h"

struct wg_html_frame; /* html.h */

struct wg_format_settings {
    struct wg_text_style style;        /* text */
    bool with_source;                  /* json: submission.source, too */
    const struct wg_html_frame *frame; /* html; NULL: a bare page without charts */
    const char *folder; /* github: of the submission, from the root of its repository; or NULL */
    /* classroom50: what its runner calls things, getenv's way; NULL: nothing is known. */
    const char *(*variable)(const char *name);
};

struct wg_format {
    const char *name;
    const char *help; /* whose it is, what it holds */
    void (*write)(const struct wg_result *result, const struct wg_format_settings *settings,
                  struct wg_buf *out);
};

/* One entry a format: identifier, name, help. */
#define WG_FORMATS(X)                                                                              \
    X(text, "text", "the report for people")                                                       \
    WG_OTHER_FORMATS(X)
#define WG_OTHER_FORMATS(X)                                                                        \
    X(json, "json", "everything, wavegrade/result/v1")                                             \
    X(html, "html", "a page for a browser: charts, the source with findings beside its lines")     \
    X(junit, "junit", "JUnit XML: GitLab, Jenkins and other CI")                                   \
    X(github, "github", "GitHub Actions: annotations, and a step summary")                         \
    X(gradescope, "gradescope", "Gradescope's results.json")                                       \
    X(autolab, "autolab", "Autolab: the report, then lines of JSON")                               \
    X(prairielearn, "prairielearn", "PrairieLearn's results.json")                                 \
    X(classroom50, "classroom50", "Classroom 50's result.json")                                    \
    X(github_classroom, "github-classroom", "GitHub Classroom: a result for its reporter")

/* wg_format_text, wg_format_json, ...: indexes into wg_formats. */
enum wg_format_index {
#define WG_FORMAT_INDEX(identifier, name, help) WG_FORMAT_##identifier,
    WG_FORMATS(WG_FORMAT_INDEX)
#undef WG_FORMAT_INDEX
        WG_FORMAT_COUNT
};
extern const struct wg_format wg_formats[WG_FORMAT_COUNT];

/* The names, NULL-terminated. */
extern const char *const wg_format_choices[WG_FORMAT_COUNT + 1];

/* NULL when there is no such format. */
const struct wg_format *wg_format_find(const char *name);

/* What GitHub shows on the page of a run: Markdown, at most 64 KiB, for the end of the file named
 * by GITHUB_STEP_SUMMARY. */
void wg_export_github_summary(const struct wg_result *result, struct wg_buf *out);

#endif
