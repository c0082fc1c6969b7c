/* Which sizes were right, and for those that were not: expected, got, and where it is wrong. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "grader/base/cleanup.h"
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
                  "<figure data-chart=\"map\" data-case=\"%zu\" data-along=\"%s\" hidden "
                  "data-describe=\"Map of the wrong elements: ",
                  index, one->first_wrong_row < 0 ? "element" : "column");
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

/* The words that a finding beside the source says already are not said again. */
static bool is_told(const struct wg_result *result, const struct wg_result_case *one) {
    for (size_t i = 0; i < result->finding_count && one->sentence; i++) {
        const char *text = result->findings[i].text;
        if (text && *text && strstr(one->sentence, text)) {
            return true;
        }
    }
    return !one->sentence || (result->sentence && strstr(result->sentence, one->sentence));
}

static void put_failure(const struct wg_result *result, size_t index, struct wg_buf *out) {
    const struct wg_result_case *one = &result->cases[index];
    wg_buf_printf(out, "<li class=\"card case tone-%s\"><div><h3>", wg_html_tone(one->verdict));
    wg_html_kind(out, wg_verdict_name(one->verdict));
    wg_buf_puts(out, " <span>at ");
    wg_html_dims(out, one->dim_names, one->dims, one->dim_count);
    wg_buf_puts(out, "</span></h3>\n");
    if (!is_told(result, one)) {
        wg_html_element(out, "p", NULL, one->sentence);
    }
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

/* All sizes at a glance. */
static void put_chips(const struct wg_result *result, struct wg_buf *out) {
    wg_buf_puts(out, "<ul class=\"chips\">\n");
    for (size_t i = 0; i < result->case_count; i++) {
        const struct wg_result_case *one = &result->cases[i];
        const char *tone = one->not_run ? "none" : wg_html_tone(one->verdict);
        wg_buf_printf(out, "<li class=\"tone-%s\">", tone);
        wg_html_sign(out, tone);
        wg_html_dims(out, one->dim_names, one->dims, one->dim_count);
        wg_buf_printf(out, "<span class=\"unseen\">: %s</span></li>\n",
                      one->not_run ? "not run" : wg_verdict_words(one->verdict));
    }
    wg_buf_puts(out, "</ul>\n");
}

static bool same(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* One card for each kind of failure; then the smallest, which can be followed by hand. */
static size_t choose(const struct wg_result *result, size_t chosen[FAILURES_IN_FULL]) {
    size_t count = 0;
    size_t smallest = result->case_count;
    for (size_t i = 0; i < result->case_count; i++) {
        const struct wg_result_case *one = &result->cases[i];
        bool is_news = failed(one) && (one->has_first_wrong || !is_told(result, one));
        for (size_t k = 0; k < count && is_news; k++) {
            const struct wg_result_case *other = &result->cases[chosen[k]];
            is_news = one->verdict != other->verdict || !same(one->pattern, other->pattern);
        }
        if (is_news && count < FAILURES_IN_FULL) {
            chosen[count++] = i;
        }
        if (failed(one) && one->has_first_wrong && one->element_count > 1 &&
            (smallest == result->case_count ||
             one->element_count < result->cases[smallest].element_count)) {
            smallest = i;
        }
    }
    bool is_there = smallest == result->case_count;
    for (size_t k = 0; k < count; k++) {
        is_there |= chosen[k] == smallest;
    }
    if (!is_there && count < FAILURES_IN_FULL) {
        chosen[count++] = smallest;
    }
    return count;
}

static void put_failures(const struct wg_result *result, struct wg_buf *out) {
    size_t chosen[FAILURES_IN_FULL];
    size_t count = choose(result, chosen);
    if (count == 0) {
        return;
    }
    wg_buf_puts(out, "<ul class=\"cards\">\n");
    for (size_t k = 0; k < count; k++) {
        put_failure(result, chosen[k], out);
    }
    wg_buf_puts(out, "</ul>\n");
}

void wg_html_cases(const struct wg_result *result, struct wg_buf *out) {
    if (result->case_count == 0) {
        return;
    }
    size_t right = 0;
    for (size_t i = 0; i < result->case_count; i++) {
        right += result->cases[i].verdict == WG_VERDICT_PASS && !result->cases[i].not_run;
    }
    wg_buf_printf(out,
                  "<section aria-labelledby=\"sizes\">\n<h2 id=\"sizes\">Sizes tried "
                  "<small>%zu of %zu right</small></h2>\n",
                  right, result->case_count);
    put_chips(result, out);
    put_failures(result, out);
    wg_buf_printf(
        out,
        "<details><summary>All %zu sizes</summary>\n"
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"All sizes\">"
        "<table>\n<caption><span>In the order in which they ran</span></caption>\n<thead><tr>"
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
