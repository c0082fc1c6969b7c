/* Theory of operation. A pattern is a row of a table: a test over all wrong elements and a
 * sentence. The table is ordered from the most telling to the least: what an element still holds
 * says more than where it lies. Tests on values need a few elements to mean anything, since one
 * number can be explained in many ways. */
#include "grader/check/pattern.h"

#include <math.h>
#include <string.h>

#include "grader/manifest/manifest.h"

/* Fewer wrong elements than this agree with some formula by chance. */
static const uint64_t enough_elements = 4;

/* A partial block or tile is not larger than this. */
static const uint64_t largest_tail = 1024;
/* Blocks begin at its multiples, as a rule. */
static const uint64_t block_step = 64;

/* How far a value may be from what a pattern predicts, as a share of the numbers that went into it:
 * wide enough for float32 sums of any length in the course. */
static const double loose = 1e-4;

/* Errors of this many roundings are an arithmetic that differs, not a wrong value. */
static const double last_bits = 16;

void wg_pattern_name_element(const struct wg_pattern_view *view, uint64_t index,
                             struct wg_buf *out) {
    if (view->columns == 0) {
        wg_buf_printf(out, "%s[%llu]", view->name, (unsigned long long)index);
        return;
    }
    wg_buf_printf(out, "%s at row %llu, column %llu", view->name,
                  (unsigned long long)(index / view->columns),
                  (unsigned long long)(index % view->columns));
}

static uint64_t element_count(const struct wg_pattern_view *view) {
    return view->judgement->element_count;
}

static double got_at(const struct wg_pattern_view *view, uint64_t i) {
    return wg_judge_value(view->rule->type, view->got, i);
}

static bool still_before(const struct wg_pattern_view *view, uint64_t i) {
    size_t size = wg_type_bytes(view->rule->type);
    return memcmp((const uint8_t *)view->got + i * size, (const uint8_t *)view->before + i * size,
                  size) == 0;
}

typedef bool element_test(const struct wg_pattern_view *view, uint64_t i);

static bool every_wrong(const struct wg_pattern_view *view, element_test *test) {
    for (uint64_t i = 0; i < element_count(view); i++) {
        if (view->wrong[i] && !test(view, i)) {
            return false;
        }
    }
    return true;
}

static bool wrong_is_suffix(const struct wg_pattern_view *view) {
    const struct wg_judgement *j = view->judgement;
    return j->wrong_count == j->element_count - j->first_wrong;
}

/* Does element `at` of the output hold what belongs at element `belongs`? */
static bool holds(const struct wg_pattern_view *view, uint64_t at, uint64_t belongs) {
    return wg_judge_accepts(view->rule, got_at(view, at), view->golden[belongs],
                            view->magnitude[belongs]);
}

/* ---- What the elements still hold ---- */

static bool find_accumulated(const struct wg_pattern_view *view, struct wg_buf *text) {
    if (view->before_is_nan) {
        return false;
    }
    for (uint64_t i = 0; i < element_count(view); i++) {
        double before = wg_judge_value(view->rule->type, view->before, i);
        double want = before + view->golden[i];
        double scale = fabs(before) + view->magnitude[i];
        if (view->wrong[i] && !(fabs(got_at(view, i) - want) <= loose * scale)) {
            return false;
        }
        if (view->wrong[i] && still_before(view, i)) {
            return false;
        }
    }
    wg_buf_printf(text,
                  "The result was added to what %s held before the call: "
                  "set %s instead of adding to it",
                  view->name, view->name);
    return true;
}

static bool find_unwritten(const struct wg_pattern_view *view, struct wg_buf *text) {
    if (view->judgement->wrong_count < element_count(view) || !every_wrong(view, still_before)) {
        return false;
    }
    wg_buf_printf(
        text,
        "Nothing arrived in %s: no element was written (or each was computed from what %s "
        "held before)",
        view->name, view->name);
    return true;
}

static bool find_unwritten_from(const struct wg_pattern_view *view, struct wg_buf *text) {
    const struct wg_judgement *j = view->judgement;
    if (!wrong_is_suffix(view) || !every_wrong(view, still_before)) {
        return false;
    }
    wg_buf_puts(text, "Everything from ");
    wg_pattern_name_element(view, j->first_wrong, text);
    wg_buf_printf(text, " on was never written (the last %llu of %llu elements): ",
                  (unsigned long long)j->wrong_count, (unsigned long long)j->element_count);
    size_t element_bytes = wg_type_bytes(view->rule->type);
    if (element_bytes > 1 && j->first_wrong == j->element_count / element_bytes) {
        wg_buf_printf(text,
                      "that is where %llu bytes end, so a size may be in elements; hipMalloc, "
                      "hipMemcpy and hipMemset want bytes, n * sizeof(type)",
                      (unsigned long long)j->element_count);
    } else if (j->wrong_count == 1 && j->element_count > 1) {
        wg_buf_puts(text, "does the guard leave the last one out, as `i < n - 1` does?");
    } else {
        wg_buf_puts(text, "the grid does not reach the end, so round the number of blocks up, "
                          "(n + block - 1) / block; or the index lacks blockIdx.x * blockDim.x");
    }
    return true;
}

static bool find_unwritten_some(const struct wg_pattern_view *view, struct wg_buf *text) {
    if (!every_wrong(view, still_before)) {
        return false;
    }
    wg_buf_printf(text,
                  "The wrong elements of %s were never written: some threads are missing, or "
                  "the index leaves gaps",
                  view->name);
    return true;
}

static bool is_nan(const struct wg_pattern_view *view, uint64_t i) {
    return isnan(got_at(view, i));
}

static bool find_nan(const struct wg_pattern_view *view, struct wg_buf *text) {
    if (view->judgement->nan_count == 0 || !every_wrong(view, is_nan)) {
        return false;
    }
    wg_buf_puts(text, "Every wrong element is NaN, which comes from inf - inf, 0 / 0 or inf * 0 "
                      "(what do threads without an element start with?), or from memory that "
                      "nobody wrote (an accumulator, shared memory, the output itself, or host "
                      "memory before the host waited for the kernel)");
    return true;
}

static bool is_zero(const struct wg_pattern_view *view, uint64_t i) {
    return got_at(view, i) == 0;
}

static bool is_on_border(const struct wg_pattern_view *view, uint64_t i) {
    uint64_t row = i / view->columns, column = i % view->columns;
    return row == 0 || row == view->rows - 1 || column == 0 || column == view->columns - 1;
}

/* Half of the border at least: one side of it is another pattern. */
static bool find_border(const struct wg_pattern_view *view, struct wg_buf *text) {
    bool has_inside = view->columns > 2 && view->rows > 2;
    if (!has_inside || view->judgement->wrong_count < view->rows + view->columns ||
        !every_wrong(view, is_on_border)) {
        return false;
    }
    wg_buf_puts(text, "Every wrong element lies in the first or last row or column: look at what "
                      "is done at the border");
    return true;
}

static bool find_zeros(const struct wg_pattern_view *view, struct wg_buf *text) {
    if (!every_wrong(view, is_zero)) {
        return false;
    }
    wg_buf_printf(text,
                  "Every wrong element of %s is 0: it was cleared but the result was never "
                  "stored there",
                  view->name);
    return true;
}

static bool find_last_bits(const struct wg_pattern_view *view, struct wg_buf *text) {
    if (view->rule->type != WG_TYPE_F32 && view->rule->type != WG_TYPE_F64) {
        return false;
    }
    double u = view->rule->type == WG_TYPE_F32 ? 0x1p-24 : 0x1p-53;
    for (uint64_t i = 0; i < element_count(view); i++) {
        double error = fabs(got_at(view, i) - view->golden[i]);
        if (view->wrong[i] && !(error <= last_bits * u * view->magnitude[i])) {
            return false;
        }
    }
    wg_buf_printf(text,
                  "The wrong elements differ in their last bits only: %s has to come from the "
                  "plain operation, without fast or half-precision functions or extra steps",
                  view->name);
    return true;
}

/* ---- Values that belong to something else ---- */

static bool find_previous(const struct wg_pattern_view *view, struct wg_buf *text) {
    if (view->previous == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < element_count(view); i++) {
        if (view->wrong[i] &&
            !wg_judge_accepts(view->rule, got_at(view, i), view->previous[i], view->magnitude[i])) {
            return false;
        }
    }
    wg_buf_puts(text, "This is the result of the previous call: the data changed under the same "
                      "pointers, and an old result was kept");
    return true;
}

static bool find_transposed(const struct wg_pattern_view *view, struct wg_buf *text) {
    if (view->columns < 2 || view->rows < 2 || view->judgement->wrong_count < enough_elements) {
        return false;
    }
    for (uint64_t row = 0; row < view->rows; row++) {
        for (uint64_t column = 0; column < view->columns; column++) {
            if (!holds(view, column * view->rows + row, row * view->columns + column)) {
                return false;
            }
        }
    }
    wg_buf_printf(text, "%s is transposed: rows and columns are exchanged in the store",
                  view->name);
    return true;
}

static bool find_copy(const struct wg_pattern_view *view, struct wg_buf *text) {
    if (view->judgement->wrong_count < enough_elements) {
        return false;
    }
    for (size_t k = 0; k < view->input_count; k++) {
        const struct wg_pattern_input *input = &view->inputs[k];
        bool same = true;
        for (uint64_t i = 0; same && i < element_count(view); i++) {
            same =
                !view->wrong[i] || (i < input->count &&
                                    got_at(view, i) == wg_judge_value(input->type, input->data, i));
        }
        if (same) {
            wg_buf_printf(text, "%s is a copy of %s", view->name, input->name);
            return true;
        }
    }
    return false;
}

static bool fits_factor(const struct wg_pattern_view *view, double factor) {
    for (uint64_t i = 0; i < element_count(view); i++) {
        double error = fabs(got_at(view, i) - factor * view->golden[i]);
        if (view->wrong[i] && !(error <= loose * fabs(factor) * view->magnitude[i])) {
            return false;
        }
    }
    return true;
}

static bool find_scaled(const struct wg_pattern_view *view, struct wg_buf *text) {
    if (view->judgement->wrong_count < enough_elements) {
        return false;
    }
    if (fits_factor(view, 2)) {
        wg_buf_printf(text,
                      "Every wrong element of %s is twice what it should be: the work is done "
                      "or added two times",
                      view->name);
        return true;
    }
    if (fits_factor(view, -1)) {
        wg_buf_printf(text, "Every wrong element of %s has the wrong sign", view->name);
        return true;
    }
    if (fits_factor(view, 0.5)) {
        wg_buf_printf(text, "Every wrong element of %s is half of what it should be", view->name);
        return true;
    }
    return false;
}

static bool fits_shift(const struct wg_pattern_view *view, int64_t shift) {
    uint64_t compared = 0;
    for (uint64_t i = 0; i < element_count(view); i++) {
        int64_t from = (int64_t)i + shift;
        if (!view->wrong[i] || from < 0 || (uint64_t)from >= element_count(view)) {
            continue;
        }
        if (!holds(view, i, (uint64_t)from)) {
            return false;
        }
        compared++;
    }
    return compared >= enough_elements;
}

static bool find_shifted(const struct wg_pattern_view *view, struct wg_buf *text) {
    int64_t row = (int64_t)view->columns;
    const struct {
        int64_t shift;
        const char *words;
    } shifts[] = {{1, "one element too early"},
                  {-1, "one element too late"},
                  {row, "one row too early"},
                  {-row, "one row too late"}};
    for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; i++) {
        if (shifts[i].shift != 0 && fits_shift(view, shifts[i].shift)) {
            wg_buf_printf(text, "The results lie %s in %s: an index is off by one", shifts[i].words,
                          view->name);
            return true;
        }
    }
    return false;
}

static bool find_reversed(const struct wg_pattern_view *view, struct wg_buf *text) {
    if (view->judgement->wrong_count < enough_elements) {
        return false;
    }
    for (uint64_t i = 0; i < element_count(view); i++) {
        if (!holds(view, i, element_count(view) - 1 - i)) {
            return false;
        }
    }
    wg_buf_printf(text, "%s is in reverse order", view->name);
    return true;
}

/* ---- Where the wrong elements lie ---- */

static bool find_tail(const struct wg_pattern_view *view, struct wg_buf *text) {
    const struct wg_judgement *j = view->judgement;
    if (view->columns != 0 || !wrong_is_suffix(view) || j->first_wrong == 0) {
        return false;
    }
    bool is_block = j->wrong_count > j->element_count / 4 && j->first_wrong % block_step == 0;
    if (is_block || j->wrong_count > largest_tail) {
        wg_buf_puts(text, "Everything from ");
        wg_pattern_name_element(view, j->first_wrong, text);
        wg_buf_printf(text, " on is wrong, everything before it is right%s",
                      is_block ? ": what is different in the blocks from there on?" : "");
        return true;
    }
    wg_buf_printf(text,
                  "Only the last %llu elements are wrong, from %s[%llu] on: look at how the last "
                  "partial block is handled",
                  (unsigned long long)j->wrong_count, view->name,
                  (unsigned long long)j->first_wrong);
    return true;
}

/* The smallest row and column from which on everything wrong lies. */
struct edge {
    uint64_t row, column;
    bool row_only, column_only; /* every wrong element is beyond that row / column */
};

/* An edge is where the right rectangle at the top left ends. */
static struct edge find_edge(const struct wg_pattern_view *view) {
    struct edge edge = {.row = view->rows, .column = view->columns};
    for (uint64_t i = 0; i < element_count(view); i++) {
        if (!view->wrong[i]) {
            continue;
        }
        uint64_t row = i / view->columns;
        uint64_t column = i % view->columns;
        edge.row = column == 0 && row < edge.row ? row : edge.row;
        edge.column = row == 0 && column < edge.column ? column : edge.column;
    }
    edge.row_only = true;
    edge.column_only = true;
    for (uint64_t i = 0; i < element_count(view); i++) {
        edge.row_only &= !view->wrong[i] || i / view->columns >= edge.row;
        edge.column_only &= !view->wrong[i] || i % view->columns >= edge.column;
    }
    return edge;
}

/* A last partial tile is never most of a matrix: what begins earlier is something else. */
static bool is_near_the_end(uint64_t edge, uint64_t extent) {
    return edge < extent && edge >= extent - edge;
}

static bool find_edges(const struct wg_pattern_view *view, struct wg_buf *text) {
    if (view->columns == 0) {
        return false;
    }
    struct edge edge = find_edge(view);
    if (is_near_the_end(edge.row, view->rows) && edge.row_only) {
        wg_buf_printf(text,
                      "Only rows from %llu on are wrong (of %llu): look at how the last tile of "
                      "rows is handled",
                      (unsigned long long)edge.row, (unsigned long long)view->rows);
        return true;
    }
    if (is_near_the_end(edge.column, view->columns) && edge.column_only) {
        wg_buf_printf(text,
                      "Only columns from %llu on are wrong (of %llu): look at how the last tile of "
                      "columns is handled",
                      (unsigned long long)edge.column, (unsigned long long)view->columns);
        return true;
    }
    bool both =
        is_near_the_end(edge.row, view->rows) && is_near_the_end(edge.column, view->columns);
    for (uint64_t i = 0; both && i < element_count(view); i++) {
        both = !view->wrong[i] || i / view->columns >= edge.row || i % view->columns >= edge.column;
    }
    if (both) {
        wg_buf_printf(text,
                      "Only the edges are wrong, rows from %llu and columns from %llu on: look "
                      "at how partial tiles are handled",
                      (unsigned long long)edge.row, (unsigned long long)edge.column);
    }
    return both;
}

static const struct {
    const char *id;
    bool (*find)(const struct wg_pattern_view *view, struct wg_buf *text);
} patterns[] = {
    {"accumulated", find_accumulated},
    {"unwritten", find_unwritten},
    {"unwritten_from", find_unwritten_from},
    {"unwritten_some", find_unwritten_some},
    {"border", find_border},
    {"nan", find_nan},
    {"zeros", find_zeros},
    {"last_bits", find_last_bits},
    {"previous_result", find_previous},
    {"transposed", find_transposed},
    {"copy_of_input", find_copy},
    {"scaled", find_scaled},
    {"shifted", find_shifted},
    {"reversed", find_reversed},
    {"tail", find_tail},
    {"edges", find_edges},
};

bool wg_pattern_find(const struct wg_pattern_view *view, struct wg_pattern *out) {
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        if (patterns[i].find(view, &out->text)) {
            out->id = patterns[i].id;
            return true;
        }
    }
    return false;
}
