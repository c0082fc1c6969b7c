/* What was measured: times, memory traffic, what the compiler made of each kernel. Every chart's
 * numbers are also in a table; where nothing was measured, a sentence says why. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/export/html_parts.h"

static void put_rate(struct wg_buf *out, double value) {
    if (isfinite(value) && value >= 1000 && value < 1e18) {
        wg_html_count(out, (uint64_t)(value + 0.5));
    } else if (isfinite(value) && value > 0) {
        wg_buf_printf(out, "%.4g", value);
    }
}

/* ---- Time ---- */

static bool is_measured(const struct wg_result_timing *timing) {
    return !timing->emulated && timing->student.median_ms > 0;
}

struct measured {
    size_t sizes;
    bool tuned, bandwidth, flops;
    double copy_gb_s, blas_gflops;
    const char *blas;
};

static struct measured look(const struct wg_result *result) {
    struct measured all = {0};
    for (size_t i = 0; i < result->timing_count; i++) {
        const struct wg_result_timing *timing = &result->timings[i];
        if (!is_measured(timing)) {
            continue;
        }
        all.sizes++;
        all.tuned |= timing->tuned_share > 0;
        all.bandwidth |= timing->bandwidth_median_gb_s > 0;
        all.flops |= timing->gflops_median > 0;
        all.copy_gb_s = fmax(all.copy_gb_s, timing->copy_gb_s);
        all.blas_gflops = fmax(all.blas_gflops, timing->blas_gflops);
        all.blas = timing->blas ? timing->blas : all.blas;
    }
    return all;
}

static void put_figure(const char *name, const char *title, const char *words, const char *describe,
                       struct wg_buf *out) {
    wg_buf_printf(out,
                  "<figure data-chart=\"%s\" hidden data-describe=\"%s\"><figcaption><b>%s</b>%s"
                  "</figcaption><div class=\"plot\"></div></figure>\n",
                  name, describe, title, words);
}

static void put_charts(const struct measured *all, struct wg_buf *out) {
    wg_buf_puts(out, "<ul class=\"legend\"><li class=\"naive\">naive</li>"
                     "<li class=\"yours\">yours</li>");
    wg_buf_puts(out, all->tuned ? "<li class=\"tuned\">tuned</li></ul>\n" : "</ul>\n");
    wg_buf_puts(out, "<div class=\"charts\">\n");
    put_figure("time", "Time", "Median of all calls; lower is better",
               "Time against size for naive, yours and tuned; the numbers are in the table below",
               out);
    if (all->bandwidth) {
        put_figure("bandwidth", "Effective bandwidth",
                   "Bytes that the task needs, by the time it took; higher is better",
                   "Effective bandwidth against size; the numbers are in the table below", out);
    }
    if (all->bandwidth && all->flops && all->copy_gb_s > 0) {
        put_figure("roofline", "Roofline",
                   all->blas_gflops > 0
                       ? "The roof is what a copy and the vendor's BLAS reach on this device"
                       : "The roof is what a copy reaches on this device",
                   "Roofline: rate of work against work for each byte, below the ceilings measured "
                   "on this device; the numbers are in the table below",
                   out);
    }
    wg_buf_puts(out, "</div>\n");
}

static void put_ceilings(const struct measured *all, struct wg_buf *out) {
    wg_buf_puts(out, "<p class=\"small\">");
    if (all->copy_gb_s > 0) {
        wg_buf_puts(out, "Measured on this device: a copy moves ");
        put_rate(out, all->copy_gb_s);
        wg_buf_puts(out, " GB/s");
        if (all->blas_gflops > 0) {
            wg_buf_puts(out, ", the vendor's BLAS reaches ");
            put_rate(out, all->blas_gflops);
            wg_buf_puts(out, " GFLOPS");
        } else if (all->blas) {
            wg_buf_puts(out, "; BLAS: ");
            wg_html_text(out, all->blas);
        }
        wg_buf_puts(out, ". A gigabyte is 10<sup>9</sup> bytes.");
    } else {
        wg_buf_puts(out, "The ceilings of this device were not measured, so there is no roofline.");
    }
    wg_buf_puts(out, "</p>\n");
}

static void put_timing_row(const struct wg_result_timing *timing, struct wg_buf *out) {
    wg_buf_puts(out, "<tr><th scope=\"row\">");
    wg_html_dims(out, timing->dim_names, timing->dims, timing->dim_count);
    wg_buf_puts(out, "</th><td class=\"num\">");
    wg_html_time(out, timing->baseline.median_ms);
    wg_buf_puts(out, "</td><td class=\"num\">");
    wg_html_time(out, timing->student.median_ms);
    wg_buf_puts(out, "</td><td class=\"num\">");
    wg_html_time(out,
                 timing->tuned_share > 0 ? timing->tuned_share * timing->student.median_ms : NAN);
    wg_buf_puts(out, "</td><td class=\"num\">");
    if (timing->speedup > 0) {
        wg_buf_printf(out, "%.2f\u00d7", timing->speedup);
    }
    wg_buf_puts(out, "</td><td class=\"num\">");
    if (timing->speedup_low > 0) {
        wg_buf_printf(out, "%.2f\u2013%.2f", timing->speedup_low, timing->speedup_high);
    }
    wg_buf_puts(out, "</td><td class=\"num\">");
    put_rate(out, timing->bandwidth_median_gb_s);
    wg_buf_puts(out, "</td><td class=\"num\">");
    put_rate(out, timing->gflops_median);
    wg_buf_puts(out, "</td><td class=\"num\">");
    if (timing->ceiling_share > 0) {
        wg_buf_printf(out, "%.0f%%", timing->ceiling_share * 100);
    }
    wg_buf_puts(out, "</td></tr>\n");
    if (timing->note && !timing->emulated) {
        wg_buf_puts(out, "<tr><td colspan=\"9\" class=\"note\">");
        wg_html_text(out, timing->note);
        wg_buf_puts(out, "</td></tr>\n");
    }
}

static void put_timing_table(const struct wg_result *result, struct wg_buf *out) {
    wg_buf_puts(
        out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Times\"><table>\n"
             "<caption><span>Median times; speedup is naive by yours, with its 95% interval"
             "</span></caption>\n<thead><tr><th scope=\"col\">Size</th>"
             "<th scope=\"col\" class=\"num\">Naive</th><th scope=\"col\" class=\"num\">Yours"
             "</th><th scope=\"col\" class=\"num\">Tuned</th>"
             "<th scope=\"col\" class=\"num\">Speedup</th>"
             "<th scope=\"col\" class=\"num\">95%</th><th scope=\"col\" class=\"num\">GB/s</th>"
             "<th scope=\"col\" class=\"num\">GFLOPS</th>"
             "<th scope=\"col\" class=\"num\">Of ceiling</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < result->timing_count; i++) {
        put_timing_row(&result->timings[i], out);
    }
    wg_buf_puts(out, "</tbody></table></div>\n");
}

void wg_html_timing(const struct wg_result *result, struct wg_buf *out) {
    struct measured all = look(result);
    wg_buf_puts(out, "<section aria-labelledby=\"speed\">\n<h2 id=\"speed\">Speed</h2>\n");
    if (all.sizes > 0) {
        put_charts(&all, out);
        put_timing_table(result, out);
        put_ceilings(&all, out);
    } else if (result->timing_count > 0) {
        wg_buf_puts(out, "<p class=\"empty\">Not measured here: there was no GPU. Times on the cpu "
                         "platform are emulated, say nothing about a GPU and are not scored.</p>\n"
                         "<details><summary>The emulated times</summary>\n");
        put_timing_table(result, out);
        wg_buf_puts(out, "</details>\n");
    } else if (result->verdict == WG_VERDICT_PASS) {
        wg_buf_puts(out, "<p class=\"empty\">Not measured in this run.</p>\n");
    } else {
        wg_buf_puts(out, "<p class=\"empty\">Not measured: only a kernel that is right is "
                         "timed.</p>\n");
    }
    wg_buf_puts(out, "</section>\n");
}

/* ---- Memory traffic ---- */

enum { YOURS, NAIVE, TUNED, SUBJECTS };
static const char *const subject_ids[SUBJECTS] = {"student", "naive", "tuned"};
static const char *const subject_words[SUBJECTS] = {"yours", "naive", "tuned"};

struct traffic {
    bool counted;
    double load_bytes, store_bytes, load_segments, store_segments, shared, conflicts, atomics,
        barriers;
};

static struct traffic sum(const struct wg_result *result, const char *subject, int case_index) {
    struct traffic sum = {0};
    for (size_t i = 0; i < result->counter_count; i++) {
        const struct wg_result_counters *c = &result->counters[i];
        if (c->line != 0 || c->case_index != case_index || !c->subject ||
            strcmp(c->subject, subject) != 0) {
            continue;
        }
        sum.counted = true;
        sum.load_bytes += (double)c->global_load_bytes;
        sum.store_bytes += (double)c->global_store_bytes;
        sum.load_segments += (double)c->global_load_segments;
        sum.store_segments += (double)c->global_store_segments;
        sum.shared += (double)c->shared_loads + (double)c->shared_stores;
        sum.conflicts += (double)c->shared_bank_conflicts;
        sum.atomics += (double)c->global_atomics;
        sum.barriers += (double)c->barriers;
    }
    return sum;
}

/* The case that all are compared on: the one in which the student's kernels read most. */
static bool find_heaviest(const struct wg_result *result, int *index) {
    double most = -1;
    for (size_t i = 0; i < result->counter_count; i++) {
        int one = result->counters[i].case_index;
        if (one < 0 || (size_t)one >= result->case_count) {
            continue;
        }
        struct traffic own = sum(result, subject_ids[YOURS], one);
        if (own.counted && own.load_bytes > most) {
            most = own.load_bytes;
            *index = one;
        }
    }
    return most >= 0;
}

static void put_traffic_row(const char *what, const struct traffic of[SUBJECTS], size_t offset,
                            struct wg_buf *out) {
    wg_buf_printf(out, "<tr><th scope=\"row\">%s</th>", what);
    for (int i = 0; i < SUBJECTS; i++) {
        if (of[i].counted) {
            double value = *(const double *)((const char *)&of[i] + offset);
            wg_buf_puts(out, "<td class=\"num\">");
            wg_html_count(out, value < 0x1p64 ? (uint64_t)value : UINT64_MAX);
            wg_buf_puts(out, "</td>");
        }
    }
    wg_buf_puts(out, "</tr>\n");
}

static void put_ratio(const char *subject, const char *verb, double base, double own,
                      struct wg_buf *out) {
    double ratio = base / own;
    if (ratio >= 1.05) {
        wg_buf_printf(out, "%s %s %.3g times less global memory than naive", subject, verb, ratio);
    } else if (ratio <= 0.95) {
        wg_buf_printf(out, "%s %s %.3g times more global memory than naive", subject, verb,
                      1 / ratio);
    } else {
        wg_buf_printf(out, "%s %s as much global memory as naive", subject, verb);
    }
}

static void put_traffic_words(const struct traffic of[SUBJECTS], struct wg_buf *out) {
    if (!(of[YOURS].load_bytes > 0 && of[NAIVE].load_bytes > 0)) {
        return;
    }
    wg_buf_puts(out, "<p>");
    put_ratio("Your kernel", "reads", of[NAIVE].load_bytes, of[YOURS].load_bytes, out);
    if (of[TUNED].load_bytes > 0) {
        wg_buf_puts(out, "; ");
        put_ratio("the tuned one", "reads", of[NAIVE].load_bytes, of[TUNED].load_bytes, out);
    }
    wg_buf_puts(out, ".</p>\n");
}

static void put_traffic_chart(const struct traffic of[SUBJECTS], struct wg_buf *out) {
    WG_CLEANUP(wg_buf_done) struct wg_buf bytes = {0};
    int kinds = 0;
    double most = 0;
    double least = INFINITY;
    for (int i = 0; i < SUBJECTS; i++) {
        if (of[i].counted) {
            most = fmax(most, of[i].load_bytes);
            least = fmin(least, of[i].load_bytes);
            wg_buf_printf(&bytes, "%s&quot;%s&quot;:%.0f", kinds++ ? "," : "", subject_words[i],
                          of[i].load_bytes);
        }
    }
    /* Bars of one length show nothing. */
    if (kinds > 1 && most > 1.1 * least) {
        wg_buf_printf(out,
                      "<div class=\"charts\"><figure data-chart=\"traffic\" hidden "
                      "data-bytes=\"{%s}\" data-describe=\"Bytes read from global memory by naive, "
                      "yours and tuned; the numbers are in the table below\">"
                      "<div class=\"plot\"></div></figure></div>\n",
                      wg_buf_str(&bytes));
    }
}

static void put_traffic_table(const struct traffic of[SUBJECTS], struct wg_buf *out) {
    wg_buf_puts(out,
                "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                "aria-label=\"Memory traffic\"><table>\n"
                "<caption><span>Counted, not timed: the same on every machine</span></caption>\n"
                "<thead><tr><th scope=\"col\">Counter</th>");
    for (int i = 0; i < SUBJECTS; i++) {
        if (of[i].counted) {
            wg_buf_printf(out, "<th scope=\"col\" class=\"num\">%c%s</th>",
                          subject_words[i][0] - 'a' + 'A', subject_words[i] + 1);
        }
    }
    wg_buf_puts(out, "</tr></thead>\n<tbody>\n");
#define ROW(what, field) put_traffic_row(what, of, offsetof(struct traffic, field), out)
    ROW("Bytes read from global memory", load_bytes);
    ROW("Bytes written to global memory", store_bytes);
    ROW("128-byte segments read", load_segments);
    ROW("128-byte segments written", store_segments);
    if (of[YOURS].atomics + of[NAIVE].atomics + of[TUNED].atomics > 0) {
        ROW("Atomic operations on global memory", atomics);
    }
    if (of[YOURS].shared + of[NAIVE].shared + of[TUNED].shared > 0) {
        ROW("Shared memory accesses", shared);
        ROW("Extra cycles by bank conflicts", conflicts);
    }
    ROW("Barriers", barriers);
#undef ROW
    wg_buf_puts(out, "</tbody></table></div>\n");
}

static void put_line_counters(const struct wg_result *result, int index, struct wg_buf *out) {
    WG_CLEANUP(wg_buf_done) struct wg_buf rows = {0};
    for (size_t i = 0; i < result->counter_count; i++) {
        const struct wg_result_counters *c = &result->counters[i];
        if (c->line <= 0 || c->case_index != index || !c->subject ||
            strcmp(c->subject, subject_ids[YOURS]) != 0) {
            continue;
        }
        wg_buf_puts(&rows, "<tr><th scope=\"row\">");
        wg_html_text(&rows, c->file);
        wg_buf_printf(&rows, ":%d</th>", c->line);
        const uint64_t values[] = {c->global_load_bytes, c->global_store_bytes,
                                   c->global_load_segments + c->global_store_segments,
                                   c->shared_loads + c->shared_stores, c->shared_bank_conflicts};
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            wg_buf_puts(&rows, "<td class=\"num\">");
            wg_html_count(&rows, values[k]);
            wg_buf_puts(&rows, "</td>");
        }
        wg_buf_puts(&rows, "</tr>\n");
    }
    if (rows.len == 0) {
        return;
    }
    wg_buf_printf(out,
                  "<details><summary>Your lines</summary>\n<div class=\"scroll\" tabindex=\"0\" "
                  "role=\"region\" aria-label=\"Traffic of each line\"><table data-sortable>\n"
                  "<caption><span>What each of your lines asked for</span></caption>\n<thead><tr>"
                  "<th scope=\"col\">Line</th>"
                  "<th scope=\"col\" class=\"num\" data-sort=\"number\">Bytes read</th>"
                  "<th scope=\"col\" class=\"num\" data-sort=\"number\">Bytes written</th>"
                  "<th scope=\"col\" class=\"num\" data-sort=\"number\">Segments</th>"
                  "<th scope=\"col\" class=\"num\" data-sort=\"number\">Shared accesses</th>"
                  "<th scope=\"col\" class=\"num\" data-sort=\"number\">Bank conflicts</th></tr>"
                  "</thead>\n<tbody>\n%s</tbody></table></div></details>\n",
                  wg_buf_str(&rows));
}

void wg_html_traffic(const struct wg_result *result, struct wg_buf *out) {
    int index = -1;
    if (!find_heaviest(result, &index)) {
        return;
    }
    struct traffic of[SUBJECTS];
    for (int i = 0; i < SUBJECTS; i++) {
        of[i] = sum(result, subject_ids[i], index);
    }
    const struct wg_result_case *one = &result->cases[index];
    wg_buf_puts(out, "<section aria-labelledby=\"traffic\">\n<h2 id=\"traffic\">Memory traffic "
                     "<small>at ");
    wg_html_dims(out, one->dim_names, one->dims, one->dim_count);
    wg_buf_puts(out, "</small></h2>\n");
    put_traffic_words(of, out);
    put_traffic_chart(of, out);
    put_traffic_table(of, out);
    put_line_counters(result, index, out);
    wg_buf_puts(out, "</section>\n");
}

/* ---- Resources ---- */

static void put_count_cell(int64_t value, struct wg_buf *out) {
    wg_buf_puts(out, "<td class=\"num\">");
    if (value >= 0) {
        wg_html_count(out, (uint64_t)value);
    } else {
        wg_buf_puts(out, "\u2013");
    }
    wg_buf_puts(out, "</td>");
}

static void put_occupancy(const struct wg_result_resources *of, struct wg_buf *out) {
    wg_buf_puts(out, "<td>");
    if (of->occupancy_waves >= 0 && of->occupancy_waves_limit > 0) {
        wg_html_bar(out, (double)of->occupancy_waves / (double)of->occupancy_waves_limit);
        wg_buf_printf(out, "<span class=\"small\">%" PRId64 " of %" PRId64 " waves a ",
                      of->occupancy_waves, of->occupancy_waves_limit);
        wg_html_text(out, of->occupancy_unit ? of->occupancy_unit : "unit");
        if (of->limited_by) {
            wg_buf_puts(out, ", limited by ");
            for (const char *c = of->limited_by; *c; c++) {
                char one[2] = {*c == '_' ? ' ' : *c, '\0'};
                wg_html_text(out, one);
            }
        }
        wg_buf_puts(out, "</span>");
    }
    wg_buf_puts(out, "</td>");
}

static void put_resources_row(const struct wg_result_resources *of, struct wg_buf *out) {
    wg_buf_puts(out, "<tr><th scope=\"row\"><code>");
    wg_html_text(out, of->kernel);
    wg_buf_puts(out, "</code></th><td>");
    wg_html_text(out, of->arch);
    wg_buf_puts(out, "</td>");
    put_count_cell(of->registers, out);
    put_count_cell(of->scalar_registers, out);
    put_count_cell(of->shared_bytes, out);
    put_count_cell(of->scratch_bytes, out);
    int64_t spills = of->spilled_bytes >= 0 ? of->spilled_bytes : of->spilled_registers;
    put_count_cell(spills, out);
    put_occupancy(of, out);
    wg_buf_puts(out, "</tr>\n");
}

void wg_html_resources(const struct wg_result *result, struct wg_buf *out) {
    if (result->resource_count == 0) {
        return;
    }
    wg_buf_puts(out,
                "<section aria-labelledby=\"resources\">\n<h2 id=\"resources\">What each kernel "
                "uses</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                "aria-label=\"Registers, memory and occupancy\"><table>\n<caption><span>From the "
                "compiled code; registers "
                "and scratch are for each thread, shared memory for each block</span></caption>\n"
                "<thead><tr><th scope=\"col\">Kernel</th><th scope=\"col\">For</th>"
                "<th scope=\"col\" class=\"num\">Registers</th>"
                "<th scope=\"col\" class=\"num\">Scalar registers</th>"
                "<th scope=\"col\" class=\"num\">Shared bytes</th>"
                "<th scope=\"col\" class=\"num\">Scratch bytes</th>"
                "<th scope=\"col\" class=\"num\">Spilled</th>"
                "<th scope=\"col\">Occupancy</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < result->resource_count; i++) {
        put_resources_row(&result->resources[i], out);
    }
    wg_buf_puts(out, "</tbody></table></div>\n");
    for (size_t i = 0; i < result->resource_count; i++) {
        wg_html_element(out, "p", "small", result->resources[i].words);
    }
    wg_buf_puts(out, "</section>\n");
}
