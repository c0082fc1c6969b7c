/* Which sizes were right, and for those that were not: expected, got, and where it is wrong. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "grader/export/html_parts.h"

#define FAILURES_IN_FULL 3

static bool failed(const struct wg_result_case *one) {
    return one->verdict != WG_VERDICT_PASS && !one->not_run;
}

static void put_value(struct wg_buf *out, double value) {
    if (isnan(value)) {
        wg_buf_puts(out, "NaN");
    } else if (isinf(value)) {
        wg_buf_puts(out, value > 0 ? "infinity" : "\u2212infinity");
    } else {
        wg_buf_printf(out, "%.9g", value);
    }
}

static void put_place(const struct wg_result_case *one, struct wg_buf *out) {
    wg_buf_puts(out, "<code>");
    wg_html_text(out, one->output ? one->output : "element ");
    if (one->first_wrong_row >= 0 && one->first_wrong_column >= 0) {
        wg_buf_printf(out, "</code> at row %" PRId64 ", column %" PRId64, one->first_wrong_row,
                      one->first_wrong_column);
    } else {
        wg_buf_printf(out, "[%" PRIu64 "]</code>", one->first_wrong_index);
    }
}

static void put_wrong_count(const struct wg_result_case *one, struct wg_buf *out) {
    wg_html_count(out, one->wrong_count);
    wg_buf_puts(out, " of ");
    wg_html_count(out, one->element_count);
}

static void put_pairs(const struct wg_result_case *one, struct wg_buf *out) {
    wg_buf_puts(out, "<dl class=\"pairs\"><dt>Wrong elements</dt><dd>");
    put_wrong_count(one, out);
    wg_buf_puts(out, "</dd><dt>First wrong</dt><dd>");
    put_place(one, out);
    wg_buf_puts(out, "</dd><dt>Expected</dt><dd class=\"mono\">");
    put_value(out, one->expected);
    wg_buf_puts(out, "</dd><dt>Got</dt><dd class=\"mono\">");
    put_value(out, one->got);
    wg_buf_puts(out, "</dd></dl>\n");
}

/* The picture itself is drawn from the data; these are its words. */
static void put_map(const struct wg_result_case *one, size_t index, struct wg_buf *out) {
    if (!one->wrong_map) {
        return;
    }
    wg_buf_printf(out,
                  "<figure data-chart=\"map\" data-case=\"%zu\" hidden data-describe=\"Map of the "
                  "wrong elements: ",
                  index);
    put_wrong_count(one, out);
    wg_buf_puts(out, " are wrong, the first at index ");
    wg_html_count(out, one->first_wrong_index);
    wg_buf_puts(out, "\"><figcaption>Where it is wrong: ");
    uint64_t tile = one->wrong_map_tile_rows * one->wrong_map_tile_columns;
    if (tile == 1) {
        wg_buf_puts(out, "each square is one element");
    } else if (one->wrong_map_tile_rows == 1 && !strchr(one->wrong_map, '\n')) {
        wg_buf_printf(out, "each square is %" PRIu64 " elements, darker where more are wrong",
                      one->wrong_map_tile_columns);
    } else {
        wg_buf_printf(out,
                      "each square is %" PRIu64 "\u00d7%" PRIu64
                      " elements, darker where more are wrong",
                      one->wrong_map_tile_rows, one->wrong_map_tile_columns);
    }
    wg_buf_puts(out, "</figcaption><div class=\"plot\"></div></figure>\n");
}

static void put_failure(const struct wg_result_case *one, size_t index, struct wg_buf *out) {
    wg_buf_printf(out, "<li class=\"card case tone-%s\"><div><h3>", wg_html_tone(one->verdict));
    wg_html_kind(out, wg_verdict_name(one->verdict));
    wg_buf_puts(out, " <span>at ");
    wg_html_dims(out, one->dim_names, one->dims, one->dim_count);
    wg_buf_puts(out, "</span></h3>\n");
    wg_html_element(out, "p", NULL, one->sentence);
    if (one->has_first_wrong) {
        put_pairs(one, out);
    }
    wg_buf_puts(out, "</div>\n");
    put_map(one, index, out);
    wg_buf_puts(out, "</li>\n");
}

static void put_row(const struct wg_result_case *one, struct wg_buf *out) {
    wg_buf_puts(out, "<tr><th scope=\"row\">");
    wg_html_dims(out, one->dim_names, one->dims, one->dim_count);
    wg_buf_puts(out, "</th><td>");
    if (one->not_run) {
        wg_buf_puts(out, "<span class=\"dim\">not run</span></td><td></td><td></td><td></td><td>");
    } else {
        wg_html_state(out, one->verdict);
        wg_buf_puts(out, "</td><td class=\"num\">");
        if (one->wrong_count > 0) {
            put_wrong_count(one, out);
        }
        wg_buf_puts(out, "</td><td>");
        if (one->has_first_wrong) {
            put_place(one, out);
        }
        wg_buf_puts(out, "</td><td class=\"num\">");
        if (one->has_first_wrong) {
            put_value(out, one->expected);
        }
        wg_buf_puts(out, "</td><td class=\"num\">");
        if (one->has_first_wrong) {
            put_value(out, one->got);
        }
    }
    wg_buf_puts(out, "</td></tr>\n");
}

void wg_html_cases(const struct wg_result *result, struct wg_buf *out) {
    if (result->case_count == 0) {
        return;
    }
    size_t right = 0;
    size_t failures = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        failures += failed(&result->cases[i]);
        right += result->cases[i].verdict == WG_VERDICT_PASS && !result->cases[i].not_run;
    }
    wg_buf_printf(out,
                  "<section aria-labelledby=\"sizes\">\n<h2 id=\"sizes\">Sizes tried "
                  "<small>%zu of %zu right</small></h2>\n",
                  right, result->case_count);
    if (failures > 0) {
        wg_buf_puts(out, "<ul class=\"cards\">\n");
        size_t shown = 0;
        for (size_t i = 0; i < result->case_count && shown < FAILURES_IN_FULL; i++) {
            if (failed(&result->cases[i])) {
                put_failure(&result->cases[i], i, out);
                shown++;
            }
        }
        wg_buf_puts(out, "</ul>\n");
    }
    wg_buf_printf(out,
                  "<details><summary>All %zu sizes</summary>\n"
                  "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"All sizes\">"
                  "<table>\n<caption>In the order in which they ran</caption>\n<thead><tr>"
                  "<th scope=\"col\">Size</th><th scope=\"col\">Verdict</th>"
                  "<th scope=\"col\" class=\"num\">Wrong</th><th scope=\"col\">First wrong</th>"
                  "<th scope=\"col\" class=\"num\">Expected</th>"
                  "<th scope=\"col\" class=\"num\">Got</th></tr></thead>\n<tbody>\n",
                  result->case_count);
    for (size_t i = 0; i < result->case_count; i++) {
        put_row(&result->cases[i], out);
    }
    wg_buf_puts(out, "</tbody></table></div></details>\n</section>\n");
}
