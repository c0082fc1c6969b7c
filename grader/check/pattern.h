/* Recognizes the common ways of being wrong, so that a student reads "the last 232 elements were
 * never written" and not only a count.
 *
 * Pure: looks at one wrong output of one call and says what it looks like. A pattern is claimed
 * only when every wrong element fits it. */
#ifndef WG_CHECK_PATTERN_H
#define WG_CHECK_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/buf.h"
#include "grader/check/judge.h"

struct wg_pattern_input {
    const char *name;
    enum wg_type type;
    const void *data;
    size_t count;
};

struct wg_pattern_view {
    const char *name; /* of the output */
    const struct wg_judge_rule *rule;
    const struct wg_judgement *judgement;
    const void *got;    /* after the call */
    const void *before; /* the same buffer before the call */
    bool before_is_nan; /* it was poisoned with NaN, else it held finite numbers */
    const double *golden, *magnitude;
    const double *previous; /* golden of the call before, NULL when its length was another */
    const uint8_t *wrong;   /* a flag for each element */
    uint64_t rows, columns; /* columns 0: one-dimensional */
    struct wg_pattern_input inputs[WG_MAX_ARGS];
    size_t input_count;
};

struct wg_pattern {
    const char *id; /* static; "unwritten_from", "transposed", ... */
    struct wg_buf text;
};

/* False when nothing is recognized. The caller frees out->text. */
bool wg_pattern_find(const struct wg_pattern_view *view, struct wg_pattern *out);

/* "c[17]" or "c at row 3, column 5". */
void wg_pattern_name_element(const struct wg_pattern_view *view, uint64_t index,
                             struct wg_buf *out);

#endif
