#include <criterion/criterion.h>
#include <string.h>

#include "grader/export/export.h"
#include "tests/unit/sample_result.h"

static struct wg_text_style style;
static struct wg_result *result;
static struct wg_buf text;

static void setup(void) {
    style = (struct wg_text_style){.columns = 100};
    result = sample_result();
    text = (struct wg_buf){0};
}
static void teardown(void) {
    wg_result_free(result);
    wg_buf_done(&text);
}
TestSuite(export_text, .init = setup, .fini = teardown);

static void write_text(void) {
    wg_buf_clear(&text);
    wg_export_text(result, &style, &text);
}
#define assert_says(words)   cr_assert(strstr(text.data, words), "no '%s' in:\n%s", words, text.data)
#define assert_silent(words) cr_assert(!strstr(text.data, words), "'%s' in:\n%s", words, text.data)

static void replace(char **field, const char *value) {
    free(*field);
    *field = wg_strdup(value);
}

Test(export_text, shows_the_line_with_the_finding_beside_it) {
    write_text();
    assert_says("  >   5 |     c[i] = a[i];\n"
                "       |     ^~~~ writes c[1000]: thread (232,0,0) of block (3,0,0)\n");
    assert_says("Test i < n first.");
    assert_says("24 times, first at n=1000");
}

Test(export_text, shows_first_wrong_element_and_summarises_passes) {
    write_text();
    assert_says("The kernel leaves its buffers.");
    free(result->cases[0].sentence);
    result->cases[0].sentence = NULL;
    write_text();
    assert_says("first wrong element: c[976], expected 1.25, got -3; 24 of 1000 wrong");
    assert_says("1 of 2 right");
    assert_says("right: n=1024");
}

Test(export_text, says_a_sentence_once) {
    replace(&result->cases[0].sentence,
            "line 5: c[1000] is one past the end of c. Test i < n first.");
    write_text();
    const char *first = strstr(text.data, "Test i < n first.");
    cr_assert_not_null(first);
    cr_assert_null(strstr(first + 1, "Test i < n first."));
}

Test(export_text, names_cases_that_could_not_run) {
    result->cases[1].verdict = WG_VERDICT_OUT_OF_BOUNDS;
    result->cases[1].not_run = true;
    write_text();
    assert_says("not run after that: n=1024");
}

Test(export_text, compares_work_in_words) {
    write_text();
    assert_silent("Memory traffic"); /* a wrong kernel's work teaches nothing */
    result->verdict = WG_VERDICT_PASS;
    write_text();
    assert_says("reads 2 times less global memory than naive; the tuned one reads 4 times less");
}

Test(export_text, says_what_was_not_measured) {
    write_text();
    assert_says("25 of 50 points, 20 more not measured here");
    assert_says("not measured here: needs a GPU");
    assert_says("emulated");
}

Test(export_text, a_fault_of_ours_is_no_grade) {
    result->verdict = WG_VERDICT_GRADER_ERROR;
    result->max_points = 0;
    write_text();
    assert_says("GRADER_ERROR (not graded)");
}

Test(export_text, nothing_from_a_student_reaches_the_terminal_raw) {
    const char *evil = "\x1b[31mred\x1b]0;title\x07 \r \xff \xe2\x80\xae end";
    replace(&result->sentence, evil);
    replace(&result->submission.source, "\x1b[2Jwiped\n\n\n\n\x1b[2J c[i] = \x9b;\n");
    replace(&result->submission.repository, evil);
    replace(&result->findings[0].text, evil);
    replace(&result->findings[0].object, evil);
    replace(&result->findings[0].kernel, evil);
    replace(&result->findings[1].at.file, evil);
    replace(&result->cases[0].sentence, evil);
    replace(&result->cases[0].output, evil);
    replace(&result->build.diagnostics[0].message, evil);
    result->output = wg_strdup(evil);
    style.unicode = true;
    style.verbose = true;
    write_text();
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        cr_assert((c >= 0x20 && c != 0x7f) || c == '\n', "byte %u at %zu", c, i);
    }
    assert_silent("\xe2\x80\xae");
    assert_says("\\x1b[31mred");
}

Test(export_text, names_of_stages_are_quoted_too) {
    wg_result_add_stage(result, "\tfetch\x1b[2J", 1000000);
    style.verbose = true;
    write_text();
    assert_says("fetch");
    cr_assert_null(strpbrk(text.data, "\t\x1b"), "%s", text.data);
}

Test(export_text, without_unicode_everything_is_ascii) {
    replace(&result->sentence, "caf\xc3\xa9");
    write_text();
    for (size_t i = 0; i < text.len; i++) {
        cr_assert_lt((unsigned char)text.data[i], 0x80);
    }
    assert_says("caf?");
}

Test(export_text, colour_only_when_welcome) {
    write_text();
    assert_silent("\x1b");
    style.color = true;
    write_text();
    assert_says("\x1b[1;31m");
}

Test(export_text, keeps_to_the_width) {
    replace(&result->findings[0].text,
            "a sentence that goes on for longer than any narrow terminal is wide, with words");
    style.columns = 60;
    write_text();
    for (const char *row = strstr(text.data, "Findings"); *row && strncmp(row, "Cases", 5) != 0;) {
        size_t len = strcspn(row, "\n");
        cr_assert_leq(len, 72, "%.*s", (int)len, row); /* heads of findings are never cut */
        row += len + (row[len] == '\n');
    }
    assert_silent("than any narrow terminal is wide, with words");
}

Test(export_text, brief_is_the_verdict) {
    style.brief = true;
    write_text();
    assert_says("OUT_OF_BOUNDS");
    assert_silent("Findings");
}

Test(export_text, an_empty_result_prints) {
    wg_result_free(result);
    result = wg_result_new();
    style.verbose = true;
    write_text();
    assert_says("PASS");
}

Test(export_text, marks_outside_the_source_are_no_trouble) {
    result->findings[0].at.line = 100000;
    write_text();
    result->findings[0].at.line = 5;
    result->findings[0].at.column = 100000;
    write_text();
    result->findings[0].at.line = 2; /* an empty line */
    write_text();
    replace(&result->submission.source, "");
    write_text();
    replace(&result->submission.source, "no newline at the end");
    result->findings[0].at.line = 1;
    result->findings[0].at.column = 4;
    write_text();
    assert_says("no newline at the end");
}

Test(export_text, tells_what_kernels_take_once_a_kernel_and_arch) {
    result->verdict = WG_VERDICT_PASS;
    struct wg_result_resources *other = wg_result_add_resources(result);
    *other = (struct wg_result_resources){.platform = wg_strdup("amd"),
                                          .arch = wg_strdup("gfx1100"),
                                          .kernel = wg_strdup("add"),
                                          .line = 3,
                                          .registers = 33,
                                          .scalar_registers = 20,
                                          .spilled_registers = 5,
                                          .scratch_bytes = 20,
                                          .occupancy_waves = 8,
                                          .occupancy_waves_limit = 16,
                                          .words = wg_strdup("33 VGPRs, five spilled")};
    write_text();
    assert_says("VGPRs   SGPRs  spilled  scratch B     LDS B     waves\n");
    assert_says("gfx90a          36      14        0          0      2048    8 of 8\n");
    assert_says("gfx1100         33      20        5         20         0   8 of 16\n");
    assert_says("add (vector_add.hip:3) on gfx90a: 36 VGPRs, no spills");
    assert_says("add on gfx1100: 33 VGPRs, five spilled"); /* goes worse there */
    other->spilled_registers = 0;
    write_text();
    assert_silent("on gfx1100");
    style.verbose = true;
    write_text();
    assert_says("on gfx1100");
}
