#include <criterion/criterion.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/manifest/expr.h"

static const char *const names[] = {"m", "n", "tile_count"};
static const int64_t values[] = {7, 1000, 12};

static int64_t value_of(const char *text) {
    struct wg_expr *expr = NULL;
    struct wg_err err = {0};
    int64_t out = 0;
    cr_assert_eq(wg_expr_parse(text, names, 3, &expr, &err), WG_OK, "%s: %s", text, err.msg);
    cr_assert_eq(wg_expr_eval(expr, values, &out, &err), WG_OK, "%s: %s", text, err.msg);
    cr_assert_str_eq(wg_expr_text(expr), text);
    wg_expr_free(expr);
    return out;
}

Test(expr, follows_precedence_and_associates_to_the_left) {
    cr_assert_eq(value_of("1 + 2*3"), 7);
    cr_assert_eq(value_of("(1 + 2)*3"), 9);
    cr_assert_eq(value_of("100 - 10 - 1"), 89);
    cr_assert_eq(value_of("100 / 10 / 5"), 2);
    cr_assert_eq(value_of("17 % 5 * 2"), 4);
    cr_assert_eq(value_of("-m + --n"), 993);
    cr_assert_eq(value_of("2 - -3"), 5);
    cr_assert_eq(value_of("4*(m*n + n)"), 32000);
}

Test(expr, knows_names_and_functions) {
    cr_assert_eq(value_of("tile_count"), 12);
    cr_assert_eq(value_of("ceil_div(n, 256)"), 4);
    cr_assert_eq(value_of("ceil_div(1024, 256)"), 4);
    cr_assert_eq(value_of("ceil_div(-7, 2)"), -3);
    cr_assert_eq(value_of("min(m, n) + max(m, min(3, n))"), 14);
    cr_assert_eq(value_of("-7 / 2"), -3);
    cr_assert_eq(value_of("9223372036854775807"), INT64_MAX);
}

static void expect_parse_error(const char *text, const char *part) {
    struct wg_expr *expr = NULL;
    struct wg_err err = {0};
    cr_assert_eq(wg_expr_parse(text, names, 3, &expr, &err), WG_EPARSE, "%s", text);
    cr_assert_not_null(strstr(err.msg, part), "'%s' lacks '%s'", err.msg, part);
    cr_assert_null(expr);
}

Test(expr, says_where_and_what_was_expected) {
    expect_parse_error("", "column 1");
    expect_parse_error("n +", "column 4");
    expect_parse_error("n n", "column 3: expected an operator");
    expect_parse_error("(n", "expected ')'");
    expect_parse_error("min(n)", "expected ','");
    expect_parse_error("pow(n, 2)", "ceil_div, min and max");
    expect_parse_error("tile_cuont", "did you mean 'tile_count'");
    expect_parse_error("2*q", "known are m n tile_count");
    expect_parse_error("9223372036854775808", "64 bits");
    expect_parse_error("n & 1", "operator");
}

static void expect_eval_error(const char *text, const char *part) {
    struct wg_expr *expr = NULL;
    struct wg_err err = {0};
    int64_t out = 42;
    cr_assert_eq(wg_expr_parse(text, names, 3, &expr, &err), WG_OK, "%s", err.msg);
    cr_assert_eq(wg_expr_eval(expr, values, &out, &err), WG_EINVAL, "%s", text);
    cr_assert_not_null(strstr(err.msg, part), "'%s' lacks '%s'", err.msg, part);
    cr_assert_eq(out, 42);
    wg_expr_free(expr);
}

Test(expr, refuses_overflow_and_division_by_zero) {
    expect_eval_error("9223372036854775807 + 1", "overflows");
    expect_eval_error("9223372036854775807 * m", "overflows");
    expect_eval_error("-9223372036854775807 - 2", "overflows");
    expect_eval_error("-(0 - 9223372036854775807 - 1)", "overflows");
    expect_eval_error("(0 - 9223372036854775807 - 1) / -1", "overflows");
    expect_eval_error("n / (m - 7)", "divides by zero");
    expect_eval_error("n % (m - 7)", "divides by zero");
    expect_eval_error("ceil_div(n, m - 7)", "divides by zero");
}

Test(expr, bounds_nesting_and_length) {
    struct wg_buf deep = {0};
    for (int i = 0; i < 31; i++) {
        wg_buf_puts(&deep, "1+2*(");
    }
    wg_buf_puts(&deep, "1+2*3");
    for (int i = 0; i < 31; i++) {
        wg_buf_puts(&deep, ")");
    }
    cr_assert_eq(value_of(wg_buf_str(&deep)), ((int64_t)1 << 32) * 4 - 1);
    wg_buf_clear(&deep);
    for (int i = 0; i < 100; i++) {
        wg_buf_puts(&deep, "(");
    }
    expect_parse_error(wg_buf_str(&deep), "nested too deeply");
    for (int i = 0; i < 200; i++) {
        wg_buf_puts(&deep, "1");
    }
    expect_parse_error(wg_buf_str(&deep), "longer than");
    wg_buf_done(&deep);
}
