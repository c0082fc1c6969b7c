/* The parts of the text report that are tables: timing, counted work, score. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/cleanup.h"
#include "grader/export/page.h"

static bool is_subject(const struct wg_result_counters *counters, const char *subject) {
    return counters->subject && strcmp(counters->subject, subject) == 0;
}

/* ---- Timing ---- */

static void format_time(double ms, char out[24]) {
    if (!isfinite(ms) || ms <= 0) {
        snprintf(out, 24, "-");
    } else if (ms < 1) {
        snprintf(out, 24, "%.4g us", ms * 1e3);
    } else if (ms < 1000) {
        snprintf(out, 24, "%.4g ms", ms);
    } else {
        snprintf(out, 24, "%.4g s", ms / 1e3);
    }
}

static void format_rate(double value, const char *unit, char out[24]) {
    if (isfinite(value) && value > 0) {
        snprintf(out, 24, "%.4g %s", value, unit);
    } else {
        snprintf(out, 24, "%s", "");
    }
}

static void put_timing_details(const struct wg_page *page, const struct wg_result_timing *timing) {
    char copy[24];
    char blas[24];
    wg_page_put(page, WG_INK_DIM,
                "      speedup %.3f to %.3f (95%%), %d warm-ups, %d measured, fastest %.4g ms; %d "
                "results compared\n",
                timing->speedup_low, timing->speedup_high, timing->student.warmups,
                timing->student.repeats, timing->student.min_ms, timing->checked_calls);
    if (timing->ceiling_share > 0) {
        format_rate(timing->copy_gb_s, "GB/s", copy);
        format_rate(timing->blas_gflops, "GFLOPS", blas);
        wg_page_put(page, WG_INK_DIM,
                    "      %.0f%% of what this device can do: a copy %s%s%s; an empty launch %.3g "
                    "ms\n",
                    timing->ceiling_share * 100, copy, *blas ? ", the vendor's product " : "", blas,
                    timing->floor_ms);
    }
}

static void put_timing_row(const struct wg_page *page, const struct wg_result_timing *timing) {
    WG_CLEANUP(wg_buf_done) struct wg_buf dims = {0};
    char yours[24];
    char naive[24];
    char speedup[24] = "-";
    char bandwidth[24];
    char flops[24];
    wg_page_dims(&dims, timing->dim_names, timing->dims, timing->dim_count, " ");
    format_time(timing->student.median_ms, yours);
    format_time(timing->baseline.median_ms, naive);
    if (isfinite(timing->speedup) && timing->speedup > 0) {
        snprintf(speedup, sizeof speedup, "%.2fx", timing->speedup);
    }
    format_rate(timing->bandwidth_median_gb_s, "GB/s", bandwidth);
    format_rate(timing->gflops_median, "GFLOPS", flops);
    wg_page_put(page, WG_INK_PLAIN, "  ");
    wg_page_quote(page, WG_INK_PLAIN, wg_buf_str(&dims));
    wg_page_put(page, WG_INK_PLAIN, "%*s%10s %10s %8s  %s%s%s\n",
                dims.len < 24 ? 24 - (int)dims.len : 1, "", yours, naive, speedup, bandwidth,
                *bandwidth && *flops ? ", " : "", flops);
    if (page->style->verbose && timing->speedup_low > 0) {
        put_timing_details(page, timing);
    }
    if (!timing->emulated || page->style->verbose) {
        wg_page_paragraph(page, 6, WG_INK_DIM, timing->note);
    }
}

void wg_page_timing(const struct wg_page *page, const struct wg_result *result) {
    if (result->timing_count == 0) {
        return;
    }
    bool emulated = result->timings[0].emulated;
    wg_page_heading(page, "Timing",
                    emulated ? "emulated on this machine's CPU: not a GPU's times, not scored"
                             : NULL);
    wg_page_put(page, WG_INK_DIM, "  %-24s%10s %10s %8s\n", "median of each", "yours", "naive",
                "speedup");
    for (size_t i = 0; i < result->timing_count; i++) {
        put_timing_row(page, &result->timings[i]);
    }
}

/* ---- Counted work ---- */

struct work {
    uint64_t kernels;
    double load_bytes, store_bytes, load_segments, store_segments;
    double shared, conflicts, barriers;
};

static struct work sum_work(const struct wg_result *result, const char *subject, int case_index) {
    struct work sum = {0};
    for (size_t i = 0; i < result->counter_count; i++) {
        const struct wg_result_counters *counters = &result->counters[i];
        if (counters->line != 0 || counters->case_index != case_index ||
            !is_subject(counters, subject)) {
            continue;
        }
        sum.kernels++;
        sum.load_bytes += (double)counters->global_load_bytes;
        sum.store_bytes += (double)counters->global_store_bytes;
        sum.load_segments += (double)counters->global_load_segments;
        sum.store_segments += (double)counters->global_store_segments;
        sum.shared += (double)counters->shared_loads + (double)counters->shared_stores;
        sum.conflicts += (double)counters->shared_bank_conflicts;
        sum.barriers += (double)counters->barriers;
    }
    return sum;
}

/* The case that all are compared on: the one in which the student's kernels read most; -1 where
 * the whole run was counted (no cases). False: nothing was counted. */
static bool find_heaviest(const struct wg_result *result, int *index) {
    double most = -1;
    for (size_t i = 0; i < result->counter_count; i++) {
        const struct wg_result_counters *counters = &result->counters[i];
        if (counters->line != 0 || !is_subject(counters, "student") ||
            counters->case_index >= (int)result->case_count) {
            continue;
        }
        double bytes = sum_work(result, "student", counters->case_index).load_bytes;
        if (bytes > most) {
            most = bytes;
            *index = counters->case_index;
        }
    }
    return most >= 0;
}

static void format_bytes(double bytes, char out[24]) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    while (bytes >= 1000 && unit < 4) {
        bytes /= 1000;
        unit++;
    }
    snprintf(out, 24, "%.4g %s", bytes, units[unit]);
}

static void put_work_row(const struct wg_page *page, const char *what, bool in_bytes,
                         const double values[3], const struct work works[3]) {
    wg_page_put(page, WG_INK_PLAIN, "  %-34s", what);
    for (int i = 0; i < 3; i++) {
        char text[24];
        if (!works[i].kernels) {
            continue;
        }
        if (in_bytes) {
            format_bytes(values[i], text);
        } else {
            snprintf(text, sizeof text, "%.6g", values[i]);
        }
        wg_page_put(page, WG_INK_PLAIN, "%12s", text);
    }
    wg_page_newline(page);
}

/* "reads 15.8 times less global memory than naive" */
static void describe_ratio(struct wg_buf *out, double base, double own) {
    double ratio = base / own;
    if (ratio >= 1.05) {
        wg_buf_printf(out, "reads %.3g times less global memory than naive", ratio);
    } else if (ratio <= 0.95) {
        wg_buf_printf(out, "reads %.3g times more global memory than naive", 1 / ratio);
    } else {
        wg_buf_puts(out, "reads as much global memory as naive");
    }
}

/* Bytes asked for, of those that come in whole segments; 1 where nothing was read. */
static double share_used(const struct work *work) {
    return work->load_segments > 0 ? work->load_bytes / (work->load_segments * 128) : 1;
}

static void put_work_words(const struct wg_page *page, const struct work works[3]) {
    const struct work *own = &works[0];
    const struct work *naive = &works[1];
    const struct work *tuned = &works[2];
    WG_CLEANUP(wg_buf_done) struct wg_buf words = {0};
    if (naive->load_bytes > 0 && own->load_bytes > 0) {
        wg_buf_puts(&words, "Your kernel ");
        describe_ratio(&words, naive->load_bytes, own->load_bytes);
        if (tuned->load_bytes > 0) {
            wg_buf_puts(&words, "; the tuned one ");
            describe_ratio(&words, naive->load_bytes, tuned->load_bytes);
        }
        wg_buf_puts(&words, ".");
    }
    /* Narrow matrices waste some of every segment, whoever reads them: only worse than tuned is
     * worth a word. */
    double used = share_used(own);
    if (used < 0.5 && used < 0.7 * share_used(tuned)) {
        wg_buf_printf(&words,
                      " Only %.0f%% of the bytes that its reads fetch are used: let neighbouring "
                      "threads read neighbouring elements.",
                      used * 100);
    }
    wg_page_paragraph(page, 2, WG_INK_PLAIN, wg_buf_str(&words));
}

void wg_page_counters(const struct wg_page *page, const struct wg_result *result) {
    int index = -1;
    if (!find_heaviest(result, &index) || (index < 0 && !page->style->verbose)) {
        return; /* a whole program's numbers have nothing beside them to compare with */
    }
    const struct work works[3] = {sum_work(result, "student", index),
                                  sum_work(result, "naive", index),
                                  sum_work(result, "tuned", index)};
    WG_CLEANUP(wg_buf_done) struct wg_buf beside = {0};
    wg_buf_puts(&beside, "counted ");
    if (index >= 0) {
        const struct wg_result_case *one = &result->cases[index];
        wg_buf_puts(&beside, "at ");
        wg_page_dims(&beside, one->dim_names, one->dims, one->dim_count, " ");
    } else {
        wg_buf_puts(&beside, "over the whole run");
    }
    wg_page_heading(page, "Memory traffic", wg_buf_str(&beside));
    wg_page_put(page, WG_INK_DIM, "  %-34s%12s%s%s\n", "", "yours",
                works[1].kernels ? "       naive" : "", works[2].kernels ? "       tuned" : "");
#define ROW(what, in_bytes, field)                                                                 \
    put_work_row(page, what, in_bytes,                                                             \
                 (const double[3]){works[0].field, works[1].field, works[2].field}, works)
    ROW("read from global memory", true, load_bytes);
    ROW("written to global memory", true, store_bytes);
    ROW("128-byte segments read", false, load_segments);
    if (page->style->verbose) {
        ROW("128-byte segments written", false, store_segments);
        ROW("barriers", false, barriers);
    }
    if (works[0].shared + works[1].shared + works[2].shared > 0) {
        ROW("shared memory accesses", false, shared);
        ROW("extra cycles by bank conflicts", false, conflicts);
    }
#undef ROW
    put_work_words(page, works);
}

/* ---- Score ---- */

static void put_rubric_line(const struct wg_page *page, const struct wg_result_rubric *line,
                            int widest) {
    char points[32] = "-";
    if (line->measured) {
        snprintf(points, sizeof points, "%.4g", line->points);
    }
    wg_page_put(page, WG_INK_PLAIN, "  %6s / %-4.4g ", points, line->max_points);
    const char *title = line->title ? line->title : line->id ? line->id : "";
    int width = wg_page_width(title, strlen(title));
    wg_page_quote(page, WG_INK_PLAIN, title);
    if (line->note) {
        wg_page_put(page, WG_INK_PLAIN, "%*s  ", width < widest ? widest - width : 0, "");
        wg_page_quote(page, WG_INK_DIM, line->note);
    }
    wg_page_newline(page);
}

void wg_page_score(const struct wg_page *page, const struct wg_result *result) {
    if (result->rubric_count == 0) {
        return;
    }
    char beside[96] = "not graded";
    if (result->max_points > 0) {
        int len = snprintf(beside, sizeof beside, "%.4g of %.4g points", result->points,
                           result->max_points);
        if (!result->score_complete) {
            snprintf(beside + len, sizeof beside - (size_t)len, ", %.4g more not measured here",
                     result->total_points - result->max_points);
        }
    }
    wg_page_heading(page, "Score", beside);
    int widest = 0;
    for (size_t i = 0; i < result->rubric_count; i++) {
        const char *title = result->rubric[i].title;
        int width = title ? wg_page_width(title, strlen(title)) : 0;
        widest = width > widest && width <= 50 ? width : widest;
    }
    for (size_t i = 0; i < result->rubric_count; i++) {
        put_rubric_line(page, &result->rubric[i], widest);
    }
}
