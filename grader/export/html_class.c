/* A class on one page: distributions, kinds of failure, and a table of everyone. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/export/html_parts.h"

/* Geometric mean over the sizes that count; 0: nothing was timed. */
static double speedup_of(const struct wg_result *result) {
    double logs = 0;
    size_t count = 0;
    for (size_t i = 0; result && i < result->timing_count; i++) {
        const struct wg_result_timing *timing = &result->timings[i];
        if (timing->scored && timing->speedup > 0) {
            logs += log(timing->speedup);
            count++;
        }
    }
    return count ? exp(logs / (double)count) : 0;
}

static bool has_several_assignments(const struct wg_class *class) {
    for (size_t i = 1; i < class->row_count; i++) {
        const char *one = class->rows[i].assignment, *first = class->rows[0].assignment;
        if (one && first && strcmp(one, first) != 0) {
            return true;
        }
    }
    return false;
}

static bool is_graded(const struct wg_class_row *row) {
    return row->result && row->result->verdict != WG_VERDICT_GRADER_ERROR;
}

struct summary {
    size_t graded, passed, timed;
    size_t by_verdict[WG_VERDICT_COUNT];
    size_t waiting; /* no result yet */
    double *shares; /* of the points, graded rows, ascending */
    size_t share_count;
};

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct summary summarize(const struct wg_class *class) {
    struct summary all = {.shares = wg_calloc(class->row_count + 1, sizeof(double))};
    for (size_t i = 0; i < class->row_count; i++) {
        const struct wg_class_row *row = &class->rows[i];
        if (!row->result) {
            all.waiting++;
            continue;
        }
        all.by_verdict[row->result->verdict]++;
        all.graded += is_graded(row);
        all.passed += row->result->verdict == WG_VERDICT_PASS;
        all.timed += speedup_of(row->result) > 0;
        if (is_graded(row) && row->result->max_points > 0) {
            all.shares[all.share_count++] = row->result->points / row->result->max_points;
        }
    }
    qsort(all.shares, all.share_count, sizeof(double), compare_doubles);
    return all;
}

/* ---- Overview ---- */

static void put_overview(const struct wg_class *class, const struct summary *all,
                         struct wg_buf *out) {
    wg_buf_puts(out, "<section class=\"overview\" aria-labelledby=\"title\">\n<h1 id=\"title\">");
    wg_html_text(out, class->title ? class->title : "The class");
    wg_buf_puts(out, "</h1>\n<dl class=\"facts\">\n");
    WG_CLEANUP(wg_freep) char *students = wg_strf("%zu", class->row_count);
    WG_CLEANUP(wg_freep)
    char *graded = wg_strf("%zu%s", all->graded, all->graded < class->row_count ? "" : ", all");
    WG_CLEANUP(wg_freep)
    char *passed = wg_strf("%zu (%.0f%%)", all->passed,
                           all->graded ? 100.0 * (double)all->passed / (double)all->graded : 0);
    wg_html_pair(out, "Students", students);
    wg_html_pair(out, "Graded", graded);
    wg_html_pair(out, "Passed", passed);
    if (all->share_count > 0) {
        size_t n = all->share_count;
        WG_CLEANUP(wg_freep)
        char *median = wg_strf("%.0f%%, half between %.0f%% and %.0f%%",
                               50 * (all->shares[(n - 1) / 2] + all->shares[n / 2]),
                               100 * all->shares[n / 4], 100 * all->shares[(3 * n - 1) / 4]);
        wg_html_pair(out, "Median score", median);
    }
    if (class->anonymous) {
        wg_html_pair(out, "Names", "left out");
    }
    wg_buf_puts(out, "</dl>\n</section>\n");
}

static void put_distributions(const struct summary *all, struct wg_buf *out) {
    if (all->share_count == 0) {
        return;
    }
    wg_buf_printf(out,
                  "<section aria-labelledby=\"spread\">\n<h2 id=\"spread\">Distributions</h2>\n"
                  "<div class=\"charts\">\n<figure data-chart=\"scores\" hidden "
                  "data-describe=\"Histogram of scores; each student's is in the table below\">"
                  "<figcaption><b>Scores</b>%zu graded</figcaption><div class=\"plot\"></div>"
                  "</figure>\n",
                  all->share_count);
    if (all->timed > 0) {
        wg_buf_printf(out,
                      "<figure data-chart=\"speedups\" hidden data-describe=\"Histogram of "
                      "speedups; each student's is in the table below\"><figcaption><b>Speedups</b>"
                      "%zu timed</figcaption><div class=\"plot\"></div></figure>\n</div>\n",
                      all->timed);
    } else {
        wg_buf_puts(out, "</div>\n<p class=\"empty\">No speedups: nothing was timed on a GPU.</p>");
    }
    wg_buf_puts(out, "</section>\n");
}

/* ---- Kinds ---- */

static void put_kind_row(const char *tone, const char *kind, size_t count, size_t total,
                         struct wg_buf *out) {
    wg_buf_printf(out, "<tr data-tone=\"%s\"><th scope=\"row\">", tone);
    wg_html_kind(out, kind);
    wg_buf_printf(out,
                  "</th><td class=\"num\" data-value=\"%zu\">%zu</td>"
                  "<td class=\"num\">%.0f%%</td></tr>\n",
                  count, count, 100.0 * (double)count / (double)total);
}

static void put_kinds(const struct wg_class *class, const struct summary *all, struct wg_buf *out) {
    wg_buf_puts(out, "<section aria-labelledby=\"kinds\">\n<h2 id=\"kinds\">Verdicts</h2>\n"
                     "<div class=\"charts\"><figure data-chart=\"verdicts\" hidden data-describe=\""
                     "Students by verdict; the numbers are in the table beside\">"
                     "<div class=\"plot\"></div></figure>\n<table id=\"verdicts\">\n"
                     "<caption><span>Students by verdict</span></caption>\n<thead><tr><th "
                     "scope=\"col\">Verdict</th>"
                     "<th scope=\"col\" class=\"num\">Students</th>"
                     "<th scope=\"col\" class=\"num\">Share</th></tr></thead>\n<tbody>\n");
    bool told[WG_VERDICT_COUNT] = {false};
    for (;;) {
        int most = -1;
        for (int v = 0; v < WG_VERDICT_COUNT; v++) {
            if (!told[v] && all->by_verdict[v] > 0 &&
                (most < 0 || all->by_verdict[v] > all->by_verdict[most])) {
                most = v;
            }
        }
        if (most < 0) {
            break;
        }
        told[most] = true;
        put_kind_row(wg_html_tone((enum wg_verdict)most), wg_verdict_name((enum wg_verdict)most),
                     all->by_verdict[most], class->row_count, out);
    }
    if (all->waiting > 0) {
        put_kind_row("none", "not graded yet", all->waiting, class->row_count, out);
    }
    wg_buf_puts(out, "</tbody></table></div>\n</section>\n");
}

/* ---- Everyone ---- */

static void put_filter(const struct summary *all, struct wg_buf *out) {
    wg_buf_puts(out, "<form class=\"filter\" data-filters=\"students\" hidden>\n"
                     "<label>Find<input type=\"search\" name=\"text\" autocomplete=\"off\">"
                     "</label>\n<label>Verdict<select name=\"verdict\">"
                     "<option value=\"\">all</option>");
    for (int v = 0; v < WG_VERDICT_COUNT; v++) {
        if (all->by_verdict[v] > 0) {
            const char *name = wg_verdict_name((enum wg_verdict)v);
            wg_buf_printf(out, "<option value=\"%s\">", name);
            wg_html_kind(out, name);
            wg_buf_puts(out, "</option>");
        }
    }
    wg_buf_puts(out, "</select></label>\n<button type=\"reset\">Show all</button>\n"
                     "<p role=\"status\"></p>\n</form>\n");
}

static void put_student(const struct wg_class *class, const struct wg_class_row *row, size_t index,
                        struct wg_buf *out) {
    WG_CLEANUP(wg_freep) char *number = wg_strf("%zu", index + 1);
    const char *text = class->anonymous ? number : row->name ? row->name : row->student;
    wg_buf_puts(out, "<th scope=\"row\">");
    if (row->page) {
        wg_buf_puts(out, "<a href=\"");
        wg_html_text(out, row->page);
        wg_buf_puts(out, "\">");
    }
    wg_html_text(out, text);
    wg_buf_puts(out, row->page ? "</a>" : "");
    if (!class->anonymous && row->name && row->student && strcmp(row->name, row->student) != 0) {
        wg_buf_puts(out, " <span class=\"small\">");
        wg_html_text(out, row->student);
        wg_buf_puts(out, "</span>");
    }
    wg_buf_puts(out, "</th>");
}

static void put_flags(const struct wg_class_row *row, struct wg_buf *out) {
    wg_buf_puts(out, "<td>");
    if (row->is_late) {
        wg_buf_puts(out, "<span class=\"flag\">late</span>");
    }
    if (row->same_source > 0) {
        wg_buf_printf(out, "<span class=\"flag\">same source as %" PRIu32 " other%s</span>",
                      row->same_source, row->same_source == 1 ? "" : "s");
    }
    wg_buf_puts(out, "</td>");
}

static void put_row(const struct wg_class *class, size_t index, bool has_assignment,
                    struct wg_buf *out) {
    const struct wg_class_row *row = &class->rows[index];
    const struct wg_result *result = row->result;
    wg_buf_printf(out, "<tr data-verdict=\"%s\">", result ? wg_verdict_name(result->verdict) : "");
    put_student(class, row, index, out);
    if (has_assignment) {
        wg_buf_puts(out, "<td>");
        wg_html_text(out, row->assignment);
        wg_buf_puts(out, "</td>");
    }
    wg_buf_puts(out, "<td>");
    if (result) {
        wg_html_state(out, result->verdict);
    } else {
        wg_buf_puts(out, "<span class=\"dim\">not graded yet</span>");
    }
    wg_buf_puts(out, "</td>");
    if (is_graded(row) && result->max_points > 0) {
        wg_buf_printf(out, "<td class=\"num\" data-value=\"%.6g\">%.4g / %.4g</td>",
                      result->points / result->max_points, result->points, result->max_points);
    } else {
        wg_buf_puts(out, "<td class=\"num\" data-value=\"\">\u2013</td>");
    }
    double speedup = speedup_of(result);
    if (speedup > 0) {
        wg_buf_printf(out, "<td class=\"num\" data-value=\"%.6g\">%.2f\u00d7</td>", speedup,
                      speedup);
    } else {
        wg_buf_puts(out, "<td class=\"num\" data-value=\"\">\u2013</td>");
    }
    wg_buf_printf(out, "<td class=\"num\" data-value=\"%" PRIu32 "\">%" PRIu32 "</td>",
                  row->attempts, row->attempts);
    if (row->graded_s > 0) {
        char date[32];
        wg_clock_format_utc(row->graded_s, date);
        wg_buf_printf(out, "<td data-value=\"%" PRId64 "\">%.10s %.5s</td>", row->graded_s, date,
                      date + 11);
    } else {
        wg_buf_puts(out, "<td data-value=\"\">\u2013</td>");
    }
    put_flags(row, out);
    wg_buf_puts(out, "</tr>\n");
}

static void put_students(const struct wg_class *class, const struct summary *all,
                         struct wg_buf *out) {
    wg_buf_puts(out, "<section aria-labelledby=\"everyone\">\n<h2 id=\"everyone\">Students</h2>\n");
    put_filter(all, out);
    bool has_assignment = has_several_assignments(class);
    wg_buf_printf(
        out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"All students\">"
        "<table id=\"students\" data-sortable>\n<caption><span>Points are those that count on "
        "the machine that graded; speedup is the geometric mean over the scored sizes; "
        "dates are UTC</span></caption>\n"
        "<thead><tr><th scope=\"col\">Student</th>%s<th scope=\"col\">Verdict</th>"
        "<th scope=\"col\" class=\"num\" data-sort=\"number\">Points</th>"
        "<th scope=\"col\" class=\"num\" data-sort=\"number\">Speedup</th>"
        "<th scope=\"col\" class=\"num\" data-sort=\"number\">Attempts</th>"
        "<th scope=\"col\" data-sort=\"number\">Graded</th>"
        "<th scope=\"col\">To look at</th></tr></thead>\n<tbody>\n",
        has_assignment ? "<th scope=\"col\">Assignment</th>" : "");
    for (size_t i = 0; i < class->row_count; i++) {
        put_row(class, i, has_assignment, out);
    }
    wg_buf_puts(out, "</tbody></table></div>\n</section>\n");
}

/* Numbers only: what the charts are drawn from. */
static void put_data(const struct wg_class *class, struct wg_buf *out) {
    WG_CLEANUP(wg_buf_done) struct wg_buf json = {0};
    wg_buf_puts(&json, "[");
    bool first = true;
    for (size_t i = 0; i < class->row_count; i++) {
        const struct wg_result *result = class->rows[i].result;
        if (is_graded(&class->rows[i])) {
            wg_buf_printf(&json, "%s{\"points\":%.6g,\"maximum\":%.6g,\"speedup\":%.6g}",
                          first ? "" : ",", result->points, result->max_points, speedup_of(result));
            first = false;
        }
    }
    wg_buf_puts(&json, "]");
    wg_html_data(out, "class", wg_buf_str(&json));
}

void wg_export_html_class(const struct wg_html_frame *frame, const struct wg_class *class,
                          struct wg_buf *out) {
    struct summary all = summarize(class);
    wg_html_open(frame, class->title ? class->title : "The class", out);
    wg_buf_puts(out, "<header class=\"top\"><p>Wavegrade class report</p></header>\n"
                     "<main id=\"main\">\n");
    put_overview(class, &all, out);
    put_distributions(&all, out);
    if (class->row_count > 0) {
        put_kinds(class, &all, out);
    }
    put_students(class, &all, out);
    wg_buf_puts(out, "</main>\n<footer class=\"foot\"><p>Made by wavegrade " WG_VERSION
                     ". This page asks no network for anything.</p></footer>\n");
    put_data(class, out);
    wg_html_close(frame, out);
    free(all.shares);
}
