#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/build/diagnostics.h"

static struct wg_diagnostic *list;
static size_t count;

static void parse(const char *log) {
    wg_diagnostics_free(list, count);
    wg_diagnostics_parse(log, strlen(log), "vector_add.hip", &list, &count);
}

static void drop(void) {
    wg_diagnostics_free(list, count);
    list = NULL;
    count = 0;
}

TestSuite(diagnostics, .fini = drop);

Test(diagnostics, place_severity_and_message) {
    parse("vector_add.hip:12:7: error: use of undeclared identifier 'x'\n"
          "   12 |     x = 1;\n"
          "      |     ^\n"
          "1 error generated when compiling for host.\n");
    cr_assert_eq(count, 1);
    cr_assert_str_eq(list[0].file, "vector_add.hip");
    cr_assert_eq(list[0].line, 12);
    cr_assert_eq(list[0].column, 7);
    cr_assert_str_eq(list[0].severity, "error");
    cr_assert_str_eq(list[0].message, "use of undeclared identifier 'x'");
}

Test(diagnostics, errors_first_and_both_passes_once) {
    parse("vector_add.hip:3:1: warning: w\n"
          "vector_add.hip:4:1: error: e\n"
          "vector_add.hip:3:1: warning: w\n"
          "vector_add.hip:4:1: error: e\n"
          "vector_add.hip:9:2: fatal error: 'a.h' file not found\n");
    cr_assert_eq(count, 3);
    cr_assert_str_eq(list[0].message, "e");
    cr_assert_str_eq(list[1].message, "'a.h' file not found");
    cr_assert_str_eq(list[1].severity, "error");
    cr_assert_str_eq(list[2].severity, "warning");
    cr_assert_eq(wg_diagnostics_first_error(list, count), &list[0]);
}

Test(diagnostics, without_a_place) {
    parse("ld.lld: error: undefined symbol: foo\nerror: no entry\n");
    cr_assert_eq(count, 2);
    cr_assert_null(list[0].file);
    cr_assert_eq(list[0].line, 0);
    cr_assert_str_eq(list[1].message, "no entry");
}

Test(diagnostics, source_excerpts_are_not_diagnostics) {
    parse("   12 | puts(\"a.c:1:2: error: forged\");\n"
          "x error: not one\n");
    /* The first is text of the student's that looks like one: it may count, but not as a place. */
    for (size_t i = 0; i < count; i++) {
        cr_assert(list[i].file == NULL || strstr(list[i].file, "vector_add.hip") == NULL);
    }
}

Test(diagnostics, an_error_in_a_header_is_moved_to_the_line_that_caused_it) {
    parse("/wg/share/cpu/include/hip/warp.h:40:5: error: static assertion failed: 64-bit\n"
          "vector_add.hip:15:30: note: in instantiation of function template here\n");
    cr_assert_eq(count, 2);
    cr_assert_str_eq(list[0].file, "vector_add.hip");
    cr_assert_eq(list[0].line, 15);
    parse("/wg/share/cpu/include/hip/warp.h:40:5: error: broken\n");
    cr_assert_str_eq(list[0].file, "hip/warp.h");
}

Test(diagnostics, two_hundred_thousand_errors_are_bounded) {
    size_t len = 0;
    char *log = malloc(200000 * 48);
    for (int i = 1; i <= 200000; i++) {
        len += (size_t)sprintf(log + len, "vector_add.hip:%d:1: error: e%d\n", i, i);
    }
    wg_diagnostics_parse(log, len, "vector_add.hip", &list, &count);
    free(log);
    cr_assert_eq(count, WG_DIAGNOSTICS_MAX);
    cr_assert_eq(list[49].line, 50);
}

Test(diagnostics, hostile_bytes) {
    const char log[] =
        "a\0b:1:2: error: \xff\x1b[31m\0x\nvector_add.hip:99999999999999:1: error: e\n"
        ":::: error: \n: error: x\nerror: ";
    wg_diagnostics_parse(log, sizeof log - 1, "vector_add.hip", &list, &count);
    for (size_t i = 0; i < count; i++) {
        cr_assert_null(memchr(list[i].message, '\xff', strlen(list[i].message)));
        cr_assert_geq(list[i].line, 0);
    }
}
