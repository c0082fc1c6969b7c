#include "grader/batch_show.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/text.h"

#define ETA_AFTER_ROWS 4

/* ---- Counting ---- */

static void count_row(struct wg_batch_show *show, const struct wg_batch_row *row) {
    show->done++;
    if (row->state == WG_BATCH_SAME || row->state == WG_BATCH_LEFT_OUT) {
        show->unchanged++;
    } else if (row->verdict == WG_VERDICT_GRADER_ERROR) {
        show->not_graded++;
    } else if (row->verdict == WG_VERDICT_PASS) {
        show->passed++;
    } else {
        show->fell_short++;
    }
}

void wg_batch_show_start(struct wg_batch_show *show, const struct wg_batch_drive *drive,
                         bool quiet) {
    *show = (struct wg_batch_show){.plan = drive->plan,
                                   .quiet = quiet,
                                   .line = wg_cmd_progress_start(!quiet),
                                   .start_ns = wg_clock_mono_ns()};
    for (size_t i = 0; i < drive->plan->count; i++) {
        const struct wg_batch_row *row = &drive->rows[i];
        if (row->state == WG_BATCH_DONE && row->verdict != WG_VERDICT_GRADER_ERROR) {
            count_row(show, row);
            show->before++;
        }
    }
}

/* ---- The line on a terminal ---- */

static void put_duration(struct wg_buf *out, double seconds) {
    if (seconds < 90) {
        wg_buf_printf(out, "%.0f s", seconds);
    } else if (seconds < 90 * 60) {
        wg_buf_printf(out, "%.0f min", seconds / 60);
    } else {
        wg_buf_printf(out, "%.1f h", seconds / 3600);
    }
}

static void put_id(struct wg_buf *out, const char *id) {
    wg_text_terminal(out, id, strlen(id), false);
}

/* By what was graded so far; what has not changed costs nothing and tells nothing. */
static void put_left(const struct wg_batch_show *show, struct wg_buf *out) {
    size_t left = show->plan->count - show->done;
    if (show->slow < ETA_AFTER_ROWS || left == 0 || show->retried > 0) {
        return;
    }
    double elapsed_s = (double)(wg_clock_mono_ns() - show->start_ns) / 1e9;
    wg_buf_puts(out, "  about ");
    put_duration(out, elapsed_s * (double)left / (double)(show->done - show->before));
    wg_buf_puts(out, " left");
}

static void draw(struct wg_batch_show *show) {
    if (!show->line.shown) {
        return;
    }
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    wg_buf_printf(&text, "%zu/%zu  %zu pass, %zu fall short", show->done, show->plan->count,
                  show->passed, show->fell_short);
    if (show->unchanged > 0) {
        wg_buf_printf(&text, ", %zu unchanged", show->unchanged);
    }
    if (show->not_graded > 0) {
        wg_buf_printf(&text, ", %zu not graded", show->not_graded);
    }
    put_left(show, &text);
    for (size_t i = 0; i < show->running_count; i++) {
        wg_buf_puts(&text, i == 0 ? "  " : ", ");
        put_id(&text, show->plan->items[show->running[i].index].student);
        wg_buf_puts(&text, " ");
        wg_text_terminal(&text, show->running[i].stage, strlen(show->running[i].stage), false);
    }
    wg_cmd_progress_show(&show->line, wg_buf_str(&text), 0, 0);
}

static void on_stage(void *ctx, size_t index, const char *stage, const char *where) {
    struct wg_batch_show *show = ctx;
    size_t i = 0;
    while (i < show->running_count && show->running[i].index != index) {
        i++;
    }
    if (i == WG_SHOW_RUNNING_MOST) {
        return;
    }
    show->running_count += i == show->running_count ? 1 : 0;
    show->running[i].index = index;
    snprintf(show->running[i].stage, sizeof show->running[i].stage, "%s%s%s", stage,
             where != NULL ? " on " : "", where != NULL ? where : "");
    draw(show);
}

static void forget_running(struct wg_batch_show *show, size_t index) {
    for (size_t i = 0; i < show->running_count; i++) {
        if (show->running[i].index == index) {
            show->running[i] = show->running[--show->running_count];
            return;
        }
    }
}

/* ---- A line a row ---- */

static void print_row(struct wg_batch_show *show, size_t index, const struct wg_batch_row *row) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    wg_buf_printf(&text, "%zu/%zu ", show->done, show->plan->count);
    put_id(&text, show->plan->items[index].student);
    if (row->assignment != NULL) {
        wg_buf_puts(&text, " ");
        put_id(&text, row->assignment);
    }
    if (row->state == WG_BATCH_LEFT_OUT) {
        wg_buf_puts(&text, ": left out, its commit is older");
    } else {
        wg_buf_printf(&text, ": %s", wg_verdict_name(row->verdict));
    }
    if (row->state == WG_BATCH_SAME) {
        wg_buf_puts(&text, ", unchanged");
    } else if (row->state == WG_BATCH_DONE && row->max_points > 0) {
        wg_buf_printf(&text, ", %.4g of %.4g points", row->points, row->max_points);
    }
    if (row->state == WG_BATCH_DONE && row->wall_ms > 0) {
        wg_buf_printf(&text, ", %.1f s", row->wall_ms / 1000);
    }
    fprintf(stderr, "%s\n", wg_buf_str(&text));
}

static void on_row(void *ctx, size_t index, const struct wg_batch_row *row) {
    struct wg_batch_show *show = ctx;
    forget_running(show, index);
    count_row(show, row);
    show->slow += row->state == WG_BATCH_DONE ? 1 : 0;
    if (show->line.shown) {
        draw(show);
    } else if (!show->quiet) {
        print_row(show, index, row);
    }
}

static void on_retry(void *ctx, size_t count) {
    struct wg_batch_show *show = ctx;
    show->retried = count;
    show->running_count = 0;
    wg_cmd_progress_end(&show->line);
    if (!show->quiet) {
        fprintf(stderr, "%zu could not be graded: trying again\n", count);
    }
}

static void on_trouble(void *ctx, size_t index, const struct wg_err *err) {
    struct wg_batch_show *show = ctx;
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    put_id(&text, show->plan->items[index].student);
    wg_buf_puts(&text, ": ");
    wg_text_terminal(&text, err->msg, strlen(err->msg), false);
    wg_cmd_progress_end(&show->line);
    fprintf(stderr, "wavegrade: %s\n", wg_buf_str(&text));
}

struct wg_batch_watch wg_batch_show_watch(struct wg_batch_show *show) {
    return (struct wg_batch_watch){
        .ctx = show, .stage = on_stage, .row = on_row, .retry = on_retry, .trouble = on_trouble};
}

void wg_batch_show_end(struct wg_batch_show *show) {
    wg_cmd_progress_end(&show->line);
}
