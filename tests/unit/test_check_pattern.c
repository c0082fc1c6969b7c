#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "grader/check/generate.h"
#include "grader/check/pattern.h"

enum { ROWS = 20, COLUMNS = 30, COUNT = ROWS * COLUMNS };

static const struct wg_judge_rule rule = {
    .judge = WG_JUDGE_RELATIVE, .type = WG_TYPE_F32, .ulps = 2};

static float got[COUNT], before[COUNT];
static double golden[COUNT], previous[COUNT], magnitude[COUNT];
static uint8_t wrong[COUNT];
static struct wg_judgement judgement;
static struct wg_pattern_view view;

/* A right one-dimensional answer, which each test then spoils. */
static void make_right(void) {
    static float values[COUNT], others[COUNT];
    wg_generate_fill(WG_TYPE_F32, -1, 1, 1, values, COUNT);
    wg_generate_fill(WG_TYPE_F32, -1, 1, 2, others, COUNT);
    for (int i = 0; i < COUNT; i++) {
        got[i] = values[i];
        golden[i] = (double)values[i];
        previous[i] = (double)others[i];
        magnitude[i] = fabs(golden[i]);
        before[i] = NAN;
    }
    view = (struct wg_pattern_view){.name = "c",
                                    .rule = &rule,
                                    .judgement = &judgement,
                                    .got = got,
                                    .before = before,
                                    .before_is_nan = true,
                                    .golden = golden,
                                    .magnitude = magnitude,
                                    .previous = previous,
                                    .wrong = wrong};
}

TestSuite(pattern, .init = make_right);

static void expect(const char *id, const char *words) {
    wg_judge_compare(&rule, got, golden, magnitude, COUNT, wrong, &judgement);
    cr_assert_gt(judgement.wrong_count, 0);
    struct wg_pattern found = {0};
    bool any = wg_pattern_find(&view, &found);
    if (id == NULL) {
        cr_assert_not(any, "found %s", any ? found.id : "");
    } else {
        cr_assert(any, "found nothing, expected %s", id);
        cr_assert_str_eq(found.id, id);
        cr_assert_not_null(strstr(found.text.data, words), "%s", found.text.data);
    }
    wg_buf_done(&found.text);
}

static void use_rows(void) {
    view.rows = ROWS;
    view.columns = COLUMNS;
}

Test(pattern, nothing_written) {
    memcpy(got, before, sizeof got);
    expect("unwritten", "no element was written");
}

Test(pattern, unwritten_tail) {
    memcpy(got + 512, before + 512, (COUNT - 512) * sizeof *got);
    expect("unwritten_from", "from c[512] on was never written (the last 88 of 600");
}

Test(pattern, gaps) {
    for (int i = 3; i < COUNT; i += 4) {
        got[i] = before[i];
    }
    expect("unwritten_some", "never written");
}

Test(pattern, accumulated_into_finite_garbage) {
    view.before_is_nan = false;
    for (int i = 0; i < COUNT; i++) {
        before[i] = 2000.0f + (float)i;
        got[i] += before[i];
    }
    expect("accumulated", "added to what c held");
}

Test(pattern, unwritten_garbage_is_not_accumulated) {
    view.before_is_nan = false;
    for (int i = 0; i < COUNT; i++) {
        before[i] = 1e9f; /* so large that adding the answer would change nothing */
        got[i] = before[i];
    }
    expect("unwritten", "no element was written");
}

Test(pattern, nan_but_not_the_poison) {
    got[5] = -NAN;
    got[70] = -NAN;
    expect("nan", "inf - inf");
}

Test(pattern, zeros) {
    got[5] = 0;
    got[70] = 0;
    expect("zeros", "is 0");
}

Test(pattern, other_rounding) {
    for (int i = 0; i < COUNT; i += 3) {
        got[i] *= 1 + 0x1p-21f;
    }
    expect("last_bits", "last bits only");
}

Test(pattern, result_of_the_call_before) {
    for (int i = 0; i < COUNT; i++) {
        got[i] = (float)previous[i];
    }
    expect("previous_result", "previous call");
}

Test(pattern, transposed) {
    use_rows();
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLUMNS; c++) {
            got[c * ROWS + r] = (float)golden[r * COLUMNS + c];
        }
    }
    expect("transposed", "rows and columns");
}

Test(pattern, copy_of_an_input) {
    static float a[COUNT];
    wg_generate_fill(WG_TYPE_F32, -1, 1, 9, a, COUNT);
    view.inputs[0] =
        (struct wg_pattern_input){.name = "a", .type = WG_TYPE_F32, .data = a, .count = COUNT};
    view.input_count = 1;
    memcpy(got, a, sizeof got);
    expect("copy_of_input", "c is a copy of a");
}

Test(pattern, twice_and_negated) {
    for (int i = 0; i < COUNT; i++) {
        got[i] *= 2;
    }
    expect("scaled", "twice");
    for (int i = 0; i < COUNT; i++) {
        got[i] *= -0.5f;
    }
    expect("scaled", "wrong sign");
}

Test(pattern, shifted_by_an_element_and_by_a_row) {
    for (int i = 0; i < COUNT; i++) {
        got[i] = (float)golden[(i + 1) % COUNT];
    }
    expect("shifted", "one element too early");
    use_rows();
    for (int i = 0; i < COUNT; i++) {
        got[i] = (float)golden[(i + COUNT - COLUMNS) % COUNT];
    }
    expect("shifted", "one row too late");
}

Test(pattern, reversed) {
    for (int i = 0; i < COUNT; i++) {
        got[i] = (float)golden[COUNT - 1 - i];
    }
    expect("reversed", "reverse");
}

static void spoil(int i) {
    got[i] = got[i] * 1.37f + 0.01f * (float)i;
}

Test(pattern, partial_block) {
    for (int i = 550; i < COUNT; i++) {
        spoil(i);
    }
    expect("tail", "last 50 elements are wrong, from c[550] on");
}

Test(pattern, border) {
    use_rows();
    for (int i = 0; i < COUNT; i++) {
        bool is_inside = i / COLUMNS > 0 && i / COLUMNS < ROWS - 1 && i % COLUMNS > 0 &&
                         i % COLUMNS < COLUMNS - 1;
        got[i] = is_inside ? got[i] : 0;
    }
    expect("border", "first or last row or column");
}

Test(pattern, later_blocks) {
    for (int i = 64; i < COUNT; i++) {
        spoil(i);
    }
    expect("tail", "Everything from c[64] on is wrong, everything before it is right: what is "
                   "different in the blocks from there on?");
}

Test(pattern, edge_tiles) {
    use_rows();
    for (int i = 0; i < COUNT; i++) {
        if (i / COLUMNS >= 16) {
            spoil(i);
        }
    }
    expect("edges", "rows from 16 on");
    make_right();
    use_rows();
    for (int i = 0; i < COUNT; i++) {
        if (i % COLUMNS >= 24) {
            spoil(i);
        }
    }
    expect("edges", "columns from 24 on");
    make_right();
    use_rows();
    for (int i = 0; i < COUNT; i++) {
        if (i % COLUMNS >= 16 || i / COLUMNS >= 16) {
            spoil(i);
        }
    }
    expect("edges", "rows from 16 and columns from 16");
}

Test(pattern, most_of_a_matrix_is_no_edge) {
    use_rows();
    for (int i = 0; i < COUNT; i++) {
        got[i] = i == 0 ? got[i] : -0.37F * got[i] + 0.011F * (float)(i % 7);
    }
    expect(NULL, NULL);
}

Test(pattern, noise_is_no_pattern) {
    for (int i = 0; i < COUNT; i += 7) {
        spoil(i);
    }
    expect(NULL, NULL);
}

Test(pattern, one_element_claims_no_formula) {
    got[77] *= 2;
    expect(NULL, NULL);
}
