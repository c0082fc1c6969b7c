#include <criterion/criterion.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/export/html.h"
#include "tests/unit/sample_result.h"

static const struct wg_html_frame bare = {0};
static const char hostile[] =
    "\"'><script>alert(1)</script><img src=x onerror=alert(1)>&amp;\x1b[2J";

static char *page_of(const struct wg_result *result) {
    struct wg_buf page = {0};
    wg_export_html(&bare, result, NULL, &page);
    return page.data;
}

static bool has(const char *page, const char *text) {
    return strstr(page, text) != NULL;
}

Test(export_html, a_finding_stands_below_its_line) {
    struct wg_result *result = sample_result();
    WG_CLEANUP(wg_freep) char *page = page_of(result);
    const char *line = strstr(page, "<li id=\"L5\" class=\"marked tone-bad\">");
    cr_assert_not_null(line);
    const char *note = strstr(line, "c[1000] is one past the end of c");
    const char *next = strstr(line, "<li id=\"L6\"");
    cr_assert(note && next && note < next);
    cr_assert(has(line, "<mark>c[i]</mark>"));
    cr_assert(has(page, "class=\"sentence\"><a href=\"#L5\">vector_add.hip:5</a>"));
    wg_result_free(result);
}

Test(export_html, the_map_and_its_words_go_together) {
    struct wg_result *result = sample_result();
    WG_CLEANUP(wg_freep) char *page = page_of(result);
    cr_assert(has(page, "data-chart=\"map\" data-case=\"0\""));
    cr_assert(has(page, "\"wrong_map\":{\"tile_rows\":1,\"tile_columns\":2"));
    wg_result_free(result);
}

Test(export_html, what_students_write_is_text) {
    struct wg_result *result = sample_result();
    char **fields[] = {&result->sentence,
                       &result->submission.repository,
                       &result->submission.path,
                       &result->submission.source,
                       &result->assignment.id,
                       &result->findings[0].text,
                       &result->findings[0].object,
                       &result->findings[1].kind,
                       &result->findings[1].text,
                       &result->findings[1].at.file,
                       &result->build.diagnostics[0].message,
                       &result->cases[0].sentence,
                       &result->cases[0].output,
                       &result->rubric[0].title,
                       &result->resources[0].kernel,
                       &result->environment.isolation,
                       &result->output};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        free(*fields[i]);
        *fields[i] = wg_strdup(hostile);
    }
    WG_CLEANUP(wg_freep) char *page = page_of(result);
    cr_assert(!has(page, "<script>"));
    cr_assert(!has(page, "<img"));
    cr_assert(!has(page, "\x1b"));
    cr_assert(has(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    cr_assert(has(page, "\\u003cscript>alert(1)\\u003c/script>")); /* in the JSON */
    cr_assert(has(page, "&amp;amp;\\x1b"));
    /* The one script element is data. */
    const char *script = strstr(page, "<script");
    cr_assert(script && strncmp(script, "<script type=\"application/json\"", 31) == 0);
    cr_assert_null(strstr(script + 1, "<script"));
    wg_result_free(result);
}

Test(export_html, a_grader_error_is_no_zero) {
    struct wg_result *result = sample_result();
    result->verdict = WG_VERDICT_GRADER_ERROR;
    WG_CLEANUP(wg_freep) char *page = page_of(result);
    cr_assert(has(page, "<strong>not graded</strong> costs no points"));
    wg_result_free(result);
}

Test(export_html, an_empty_result_is_still_a_page) {
    struct wg_result *result = wg_result_new();
    WG_CLEANUP(wg_freep) char *page = page_of(result);
    cr_assert(has(page, "<h1 id=\"verdict\">") && has(page, "</html>"));
    wg_result_free(result);
}

Test(export_html, anonymous_results_say_nothing_about_whose_they_are) {
    struct wg_result *result = sample_result();
    free(result->submission.source);
    result->submission.source =
        wg_strdup("// Ada L.\nint x = 1'000; // Ada\n"
                  "const char* s = \"// no comment\"; /* Ada\nL. */ int y;\n"
                  "char q = '\"'; // Ada \\\n Ada too\nint z;\n");
    wg_html_anonymize(result);
    cr_assert_str_eq(result->submission.source,
                     "//       \nint x = 1'000; //    \n"
                     "const char* s = \"// no comment\"; /*    \n   */ int y;\n"
                     "char q = '\"'; //      \n        \nint z;\n");
    WG_CLEANUP(wg_freep) char *page = page_of(result);
    cr_assert(!has(page, "git.example"));
    cr_assert(!has(page, "0123456789abcdef0123"));
    wg_result_free(result);
}

Test(export_html, a_class_counts_and_escapes) {
    struct wg_result *result = sample_result();
    struct wg_class_row rows[] = {
        {.student = hostile,
         .assignment = "vector_add",
         .result = result,
         .attempts = 3,
         .is_late = true,
         .same_source = 2,
         .page = "students/x.html"},
        {.student = "s2", .name = "B", .assignment = "vector_add"},
    };
    struct wg_class class = {.title = hostile, .rows = rows, .row_count = 2};
    WG_CLEANUP(wg_buf_done) struct wg_buf page = {0};
    wg_export_html_class(&bare, &class, &page);
    const char *text = wg_buf_str(&page);
    cr_assert(!has(text, "<script>") && !has(text, "<img"));
    cr_assert(has(text, "not graded yet"));
    cr_assert(has(text, "same source as 2 others") && has(text, ">late<"));
    cr_assert(has(text, "<dt>Graded</dt><dd>1</dd>"));
    class.anonymous = true;
    wg_buf_clear(&page);
    wg_export_html_class(&bare, &class, &page);
    cr_assert(!has(wg_buf_str(&page), "s2") && !has(wg_buf_str(&page), ">B<"));
    wg_result_free(result);
}
