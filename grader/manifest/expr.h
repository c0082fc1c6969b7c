/* Integer expressions over named dimensions: "2*m*n*k", "ceil_div(n, 256)", "max(m, n)".
 *
 * Grammar: + - * / % with the usual precedence, parentheses, unary minus, decimal literals, names,
 * and the functions ceil_div, min, max. Division truncates; dividing by zero and overflow of 64
 * bits are errors of evaluation. A parsed expression is a heap object freed by wg_expr_free. */
#ifndef WG_MANIFEST_EXPR_H
#define WG_MANIFEST_EXPR_H

#include <stddef.h>
#include <stdint.h>

#include "grader/base/err.h"

struct wg_expr;

/* names: the dimensions that may occur. Errors: WG_EPARSE with the column. */
enum wg_code wg_expr_parse(const char *text, const char *const *names, size_t name_count,
                           struct wg_expr **out, struct wg_err *err);
void wg_expr_free(struct wg_expr *expr);

/* values in the order of names. Errors: WG_EINVAL (overflow, division by zero). */
enum wg_code wg_expr_eval(const struct wg_expr *expr, const int64_t *values, int64_t *out,
                          struct wg_err *err);

/* The text it was parsed from. */
const char *wg_expr_text(const struct wg_expr *expr);

#endif
