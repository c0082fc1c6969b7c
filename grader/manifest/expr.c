/* Recursive descent into postfix code; evaluation is a small stack machine with checked arithmetic.
 *
 * Text, nesting and code are bounded, so that neither parsing nor evaluation can exhaust a stack,
 * whatever the manifest says. Operands are pushed left to right, and a parser that nests at most
 * MAX_DEPTH levels leaves at most STACK values waiting. */
#include "grader/manifest/expr.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/text.h"

#define MAX_TEXT  256
#define MAX_DEPTH 32
/* One level of nesting holds at most three values: a sum, a product and the operand in work. */
#define STACK (3 * (MAX_DEPTH + 1) + 1)

enum opcode {
    OP_CONST,
    OP_NAME,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_NEG,
    OP_CEIL_DIV,
    OP_MIN,
    OP_MAX
};

struct instruction {
    enum opcode op;
    int64_t value; /* OP_CONST: the literal; OP_NAME: the index */
};

struct wg_expr {
    char *text;
    struct instruction *code;
    size_t count;
};

struct parser {
    const char *text;
    size_t at;
    int depth;
    const char *const *names;
    size_t name_count;
    struct wg_expr *expr;
    struct wg_err *err;
};

static const char *const function_names[] = {"ceil_div", "min", "max"};
static const enum opcode function_ops[] = {OP_CEIL_DIV, OP_MIN, OP_MAX};
#define FUNCTION_COUNT (sizeof function_names / sizeof function_names[0])

static void wg_expr_freep(struct wg_expr **expr) {
    wg_expr_free(*expr);
    *expr = NULL;
}

void wg_expr_free(struct wg_expr *expr) {
    if (expr == NULL) {
        return;
    }
    free(expr->text);
    free(expr->code);
    free(expr);
}

const char *wg_expr_text(const struct wg_expr *expr) {
    return expr->text;
}

static void emit(struct parser *p, enum opcode op, int64_t value) {
    /* Every instruction comes from at least one character of the text. */
    p->expr->code[p->expr->count++] = (struct instruction){.op = op, .value = value};
}

static enum wg_code complain(struct parser *p, size_t at, const char *what) {
    return wg_fail(p->err, WG_EPARSE, "expression '%.80s', column %zu: %s", p->text, at + 1, what);
}

static char peek(struct parser *p) {
    while (p->text[p->at] == ' ') {
        p->at++;
    }
    return p->text[p->at];
}

static bool take(struct parser *p, char wanted) {
    if (peek(p) != wanted) {
        return false;
    }
    p->at++;
    return true;
}

static enum wg_code parse_sum(struct parser *p);

static enum wg_code parse_number(struct parser *p) {
    size_t start = p->at;
    int64_t value = 0;
    while (isdigit((unsigned char)p->text[p->at])) {
        int digit = p->text[p->at] - '0';
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, digit, &value)) {
            return complain(p, start, "number does not fit into 64 bits");
        }
        p->at++;
    }
    emit(p, OP_CONST, value);
    return WG_OK;
}

static enum wg_code parse_call(struct parser *p, enum opcode op) {
    enum wg_code code = parse_sum(p);
    if (code != WG_OK) {
        return code;
    }
    if (!take(p, ',')) {
        return complain(p, p->at, "expected ',' and a second argument");
    }
    code = parse_sum(p);
    if (code != WG_OK) {
        return code;
    }
    if (!take(p, ')')) {
        return complain(p, p->at, "expected ')'");
    }
    emit(p, op, 0);
    return WG_OK;
}

static enum wg_code unknown_name(struct parser *p, const char *word, size_t at) {
    /* Dimensions often have one letter, and every other letter is near to that. */
    const char *near = strlen(word) > 2 ? wg_text_nearest(word, p->names, p->name_count) : NULL;
    WG_CLEANUP(wg_buf_done) struct wg_buf what = {0};
    wg_buf_printf(&what, "unknown name '%s'", word);
    if (near != NULL) {
        wg_buf_printf(&what, ", did you mean '%s'?", near);
    } else {
        wg_buf_puts(&what, "; known are");
        for (size_t i = 0; i < p->name_count; i++) {
            wg_buf_printf(&what, " %s", p->names[i]);
        }
    }
    return complain(p, at, wg_buf_str(&what));
}

static enum wg_code parse_word(struct parser *p) {
    size_t start = p->at;
    char word[MAX_TEXT + 1];
    size_t len = 0;
    while (isalnum((unsigned char)p->text[p->at]) || p->text[p->at] == '_') {
        word[len++] = p->text[p->at++];
    }
    word[len] = '\0';
    if (take(p, '(')) {
        for (size_t i = 0; i < FUNCTION_COUNT; i++) {
            if (strcmp(word, function_names[i]) == 0) {
                return parse_call(p, function_ops[i]);
            }
        }
        return complain(p, start, "unknown function; known are ceil_div, min and max");
    }
    for (size_t i = 0; i < p->name_count; i++) {
        if (strcmp(word, p->names[i]) == 0) {
            emit(p, OP_NAME, (int64_t)i);
            return WG_OK;
        }
    }
    return unknown_name(p, word, start);
}

static enum wg_code parse_operand(struct parser *p) {
    char c = peek(p);
    if (isdigit((unsigned char)c)) {
        return parse_number(p);
    }
    if (isalpha((unsigned char)c) || c == '_') {
        return parse_word(p);
    }
    if (take(p, '(')) {
        enum wg_code code = parse_sum(p);
        if (code == WG_OK && !take(p, ')')) {
            code = complain(p, p->at, "expected ')'");
        }
        return code;
    }
    return complain(p, p->at, "expected a number, a dimension, a function or '('");
}

static enum wg_code parse_factor(struct parser *p) {
    size_t minuses = 0;
    while (take(p, '-')) {
        minuses++;
    }
    enum wg_code code = parse_operand(p);
    if (code == WG_OK && minuses % 2 == 1) {
        emit(p, OP_NEG, 0);
    }
    return code;
}

static enum wg_code parse_product(struct parser *p) {
    enum wg_code code = parse_factor(p);
    while (code == WG_OK) {
        enum opcode op;
        if (take(p, '*')) {
            op = OP_MUL;
        } else if (take(p, '/')) {
            op = OP_DIV;
        } else if (take(p, '%')) {
            op = OP_MOD;
        } else {
            break;
        }
        code = parse_factor(p);
        if (code == WG_OK) {
            emit(p, op, 0);
        }
    }
    return code;
}

static enum wg_code parse_sum(struct parser *p) {
    if (++p->depth > MAX_DEPTH) {
        return complain(p, p->at, "nested too deeply");
    }
    enum wg_code code = parse_product(p);
    while (code == WG_OK) {
        enum opcode op;
        if (take(p, '+')) {
            op = OP_ADD;
        } else if (take(p, '-')) {
            op = OP_SUB;
        } else {
            break;
        }
        code = parse_product(p);
        if (code == WG_OK) {
            emit(p, op, 0);
        }
    }
    p->depth--;
    return code;
}

enum wg_code wg_expr_parse(const char *text, const char *const *names, size_t name_count,
                           struct wg_expr **out, struct wg_err *err) {
    size_t len = strlen(text);
    if (len > MAX_TEXT) {
        return wg_fail(err, WG_EPARSE, "expression is longer than %d characters", MAX_TEXT);
    }
    WG_CLEANUP(wg_expr_freep) struct wg_expr *expr = wg_calloc(1, sizeof *expr);
    expr->text = wg_strdup(text);
    expr->code = wg_calloc(len + 1, sizeof *expr->code);
    struct parser p = {
        .text = text, .names = names, .name_count = name_count, .expr = expr, .err = err};
    enum wg_code code = parse_sum(&p);
    if (code != WG_OK) {
        return code;
    }
    if (peek(&p) != '\0') {
        return complain(&p, p.at, "expected an operator or the end");
    }
    *out = WG_TAKE(&expr);
    return WG_OK;
}

/* What C leaves undefined is an error here: dividing by zero, INT64_MIN / -1. */
static const char *divide(enum opcode op, int64_t a, int64_t b, int64_t *out) {
    if (b == 0) {
        return "divides by zero";
    }
    if (a == INT64_MIN && b == -1) {
        return "overflows 64 bits";
    }
    switch (op) {
    case OP_DIV:
        *out = a / b;
        break;
    case OP_MOD:
        *out = a % b;
        break;
    default: /* OP_CEIL_DIV rounds towards plus infinity */
        *out = a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
        break;
    }
    return NULL;
}

static const char *apply(enum opcode op, int64_t a, int64_t b, int64_t *out) {
    bool overflow = false;
    switch (op) {
    case OP_ADD:
        overflow = __builtin_add_overflow(a, b, out);
        break;
    case OP_SUB:
        overflow = __builtin_sub_overflow(a, b, out);
        break;
    case OP_MUL:
        overflow = __builtin_mul_overflow(a, b, out);
        break;
    case OP_MIN:
        *out = a < b ? a : b;
        break;
    case OP_MAX:
        *out = a > b ? a : b;
        break;
    default:
        return divide(op, a, b, out);
    }
    return overflow ? "overflows 64 bits" : NULL;
}

enum wg_code wg_expr_eval(const struct wg_expr *expr, const int64_t *values, int64_t *out,
                          struct wg_err *err) {
    int64_t stack[STACK] = {0};
    size_t top = 0;
    for (size_t i = 0; i < expr->count; i++) {
        const struct instruction *in = &expr->code[i];
        const char *fault = NULL;
        if (in->op == OP_CONST || in->op == OP_NAME) {
            stack[top++] = in->op == OP_CONST ? in->value : values[in->value];
        } else if (in->op == OP_NEG) {
            fault = apply(OP_SUB, 0, stack[top - 1], &stack[top - 1]);
        } else {
            top--;
            fault = apply(in->op, stack[top - 1], stack[top], &stack[top - 1]);
        }
        if (fault != NULL) {
            return wg_fail(err, WG_EINVAL, "expression '%.80s' %s", expr->text, fault);
        }
    }
    *out = stack[0];
    return WG_OK;
}
