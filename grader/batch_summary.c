/* The end of a batch, for the instructor: how the class did, and what needs a look. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "grader/base/cleanup.h"
#include "grader/base/clock.h"
#include "grader/base/text.h"
#include "grader/batch_show.h"

enum { NAMES_MOST = 12, GROUPS_MOST = 20 };

struct summary {
    const struct wg_batch_drive *drive;
    struct wg_store_attempts latest; /* of the plan's students */
    struct wg_buf *out;
    const char *bold, *plain;
};

static void put_text(struct wg_buf *out, const char *text) {
    wg_text_terminal(out, text, strlen(text), false);
}

static void put_duration(struct wg_buf *out, double seconds) {
    if (seconds < 100) {
        wg_buf_printf(out, "%.1f s", seconds);
    } else {
        wg_buf_printf(out, "%d min %d s", (int)(seconds / 60), (int)seconds % 60);
    }
}

/* ---- How the class did ---- */

static void put_verdicts(struct summary *summary) {
    const struct wg_batch_drive *drive = summary->drive;
    size_t counts[WG_VERDICT_COUNT] = {0}, open = 0, left_out = 0;
    for (size_t i = 0; i < drive->plan->count; i++) {
        const struct wg_batch_row *row = &drive->rows[i];
        open += row->state == WG_BATCH_OPEN ? 1 : 0;
        left_out += row->state == WG_BATCH_LEFT_OUT ? 1 : 0;
        if (row->state == WG_BATCH_DONE || row->state == WG_BATCH_SAME) {
            counts[row->verdict]++;
        }
    }
    for (size_t v = 0; v < WG_VERDICT_COUNT; v++) {
        if (counts[v] > 0) {
            wg_buf_printf(summary->out, "  %5zu  %s\n", counts[v], wg_verdict_name(v));
        }
    }
    if (left_out > 0) {
        wg_buf_printf(summary->out, "  %5zu  left out: their commits are older than --since\n",
                      left_out);
    }
    if (open > 0) {
        wg_buf_printf(summary->out, "  %5zu  not looked at yet\n", open);
    }
}

/* ---- What needs a look ---- */

typedef bool row_test(const struct wg_batch_drive *drive, size_t index);

static bool is_not_graded(const struct wg_batch_drive *drive, size_t index) {
    const struct wg_batch_row *row = &drive->rows[index];
    return row->state == WG_BATCH_DONE && row->verdict == WG_VERDICT_GRADER_ERROR;
}

static bool is_suspect(const struct wg_batch_drive *drive, size_t index) {
    const struct wg_batch_row *row = &drive->rows[index];
    return row->state != WG_BATCH_OPEN && row->state != WG_BATCH_LEFT_OUT &&
           row->verdict == WG_VERDICT_TIMING_SUSPECT;
}

static void put_names(struct summary *summary, const char *title, row_test *test) {
    const struct wg_batch_plan *plan = summary->drive->plan;
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        count += test(summary->drive, i) ? 1 : 0;
    }
    if (count == 0) {
        return;
    }
    wg_buf_printf(summary->out, "  %s%s%s (%zu):", summary->bold, title, summary->plain, count);
    size_t shown = 0;
    for (size_t i = 0; i < plan->count && shown < NAMES_MOST; i++) {
        if (test(summary->drive, i)) {
            wg_buf_puts(summary->out, shown++ > 0 ? ", " : " ");
            put_text(summary->out, plan->items[i].student);
        }
    }
    wg_buf_puts(summary->out, count > shown ? ", ...\n" : "\n");
}

static const struct wg_store_attempt *latest_of(const struct summary *summary, size_t index) {
    const struct wg_store_attempt *newest = NULL;
    for (size_t i = 0; i < summary->latest.count; i++) {
        const struct wg_store_attempt *attempt = &summary->latest.all[i];
        if (strcmp(attempt->student, summary->drive->plan->items[index].student) == 0 &&
            (newest == NULL || attempt->graded_s >= newest->graded_s)) {
            newest = attempt;
        }
    }
    return newest;
}

static void put_reasons(struct summary *summary) {
    size_t shown = 0;
    for (size_t i = 0; i < summary->drive->plan->count && shown < NAMES_MOST; i++) {
        const struct wg_store_attempt *attempt =
            is_not_graded(summary->drive, i) ? latest_of(summary, i) : NULL;
        if (attempt != NULL) {
            wg_buf_puts(summary->out, "    ");
            put_text(summary->out, attempt->student);
            wg_buf_puts(summary->out, ": ");
            put_text(summary->out, attempt->sentence);
            wg_buf_puts(summary->out, "\n");
            shown++;
        }
    }
}

static int compare_sources(const void *left, const void *right) {
    const struct wg_store_attempt *a = *(const struct wg_store_attempt *const *)left;
    const struct wg_store_attempt *b = *(const struct wg_store_attempt *const *)right;
    int order = strcmp(a->assignment, b->assignment);
    order = order != 0 ? order : strcmp(a->normalized, b->normalized);
    return order != 0 ? order : strcmp(a->student, b->student);
}

static bool is_same_source(const struct wg_store_attempt *a, const struct wg_store_attempt *b) {
    return strcmp(a->normalized, b->normalized) == 0 && strcmp(a->assignment, b->assignment) == 0;
}

static void put_group(struct summary *summary, const struct wg_store_attempt *const *group,
                      size_t count) {
    wg_buf_puts(summary->out, "    ");
    put_text(summary->out, group[0]->assignment);
    for (size_t i = 0; i < count && i < NAMES_MOST; i++) {
        wg_buf_puts(summary->out, i > 0 ? ", " : ": ");
        put_text(summary->out, group[i]->student);
    }
    wg_buf_puts(summary->out, count > NAMES_MOST ? ", ...\n" : "\n");
}

static void put_twins(struct summary *summary) {
    size_t count = 0, groups = 0;
    WG_CLEANUP(wg_freep)
    const struct wg_store_attempt **sorted = wg_calloc(summary->latest.count + 1, sizeof *sorted);
    for (size_t i = 0; i < summary->latest.count; i++) {
        if (summary->latest.all[i].same_source > 0) {
            sorted[count++] = &summary->latest.all[i];
        }
    }
    qsort((void *)sorted, count, sizeof *sorted, compare_sources);
    for (size_t i = 0, next = 0; i < count; i = next) {
        for (next = i + 1; next < count && is_same_source(sorted[i], sorted[next]);) {
            next++;
        }
        if (next - i < 2) {
            continue; /* the other one is of no student in this roster */
        }
        if (groups++ == 0) {
            wg_buf_printf(summary->out,
                          "  %sSame source%s, but for comments and layout; a hint and no more:\n",
                          summary->bold, summary->plain);
        }
        if (groups <= GROUPS_MOST) {
            put_group(summary, &sorted[i], next - i);
        }
    }
    if (groups > GROUPS_MOST) {
        wg_buf_printf(summary->out, "    and %zu groups more\n", groups - GROUPS_MOST);
    }
}

static void put_deadline(struct summary *summary) {
    const struct wg_batch_settings *settings = &summary->drive->plan->settings;
    if (settings->deadline_s == 0) {
        return;
    }
    char date[32];
    size_t late = 0;
    wg_clock_format_utc(settings->deadline_s, date);
    for (size_t i = 0; i < summary->latest.count; i++) {
        late += summary->latest.all[i].is_late ? 1 : 0;
    }
    wg_buf_printf(summary->out, "\nDeadline %s: ", date);
    if (settings->mark_late) {
        wg_buf_printf(summary->out, "%zu graded commits are later. ", late);
    } else {
        wg_buf_puts(summary->out, "each student's last commit by then was graded. ");
    }
    wg_buf_puts(summary->out, "Dates are those of the committers' clocks; when a commit was pushed "
                              "cannot be known from git.\n");
}

/* ---- What it took ---- */

static void put_cost(struct summary *summary) {
    const struct wg_batch_cost *cost = &summary->drive->cost;
    if (cost->graded == 0) {
        return;
    }
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    double gradings = (double)cost->graded;
    wg_buf_puts(summary->out, "\nTook, all gradings together: fetching ");
    put_duration(summary->out, cost->fetch_ms / 1e3);
    wg_buf_puts(summary->out, ", compiling ");
    put_duration(summary->out, cost->build_ms / 1e3);
    wg_buf_puts(summary->out, ", checking ");
    put_duration(summary->out, cost->check_ms / 1e3);
    wg_buf_puts(summary->out, ", timing ");
    put_duration(summary->out, cost->timing_ms / 1e3);
    wg_buf_puts(summary->out, "; processor time ");
    put_duration(summary->out, cost->cpu_ms / 1e3);
    wg_buf_printf(
        summary->out, ", %.2f s each; at most %.0f MB in one process\n",
        cost->cpu_ms / 1e3 / gradings,
        (double)(children.ru_maxrss > self.ru_maxrss ? children.ru_maxrss : self.ru_maxrss) / 1000);
}

/* The latest gradings of the students of this plan, out of everybody's. */
static void load_latest(struct summary *summary) {
    struct wg_store_filter filter = {.pick = WG_STORE_LATEST};
    struct wg_err ignored = {0}; /* the summary then says less */
    if (wg_store_list(summary->drive->store, &filter, &summary->latest, &ignored) != WG_OK) {
        return;
    }
    const struct wg_batch_plan *plan = summary->drive->plan;
    for (size_t i = 0; i < summary->latest.count; i++) {
        bool is_wanted = false;
        for (size_t p = 0; p < plan->count && !is_wanted; p++) {
            is_wanted = strcmp(plan->items[p].student, summary->latest.all[i].student) == 0;
        }
        if (!is_wanted) {
            summary->latest.all[i].same_source = 0;
            summary->latest.all[i].is_late = false;
        }
    }
}

void wg_batch_summarize(const struct wg_batch_drive *drive, const char *store_path,
                        const struct wg_batch_show *show, const struct wg_text_style *style,
                        struct wg_buf *out) {
    struct summary summary = {.drive = drive,
                              .out = out,
                              .bold = style->color ? "\x1b[1m" : "",
                              .plain = style->color ? "\x1b[0m" : ""};
    load_latest(&summary);
    wg_buf_printf(out, "%sBatch %s%s: %zu of %zu rows, in ", summary.bold, drive->plan->id,
                  summary.plain, show->done, drive->plan->count);
    put_duration(out, (double)(wg_clock_mono_ns() - show->start_ns) / 1e9);
    if (show->unchanged > 0) {
        wg_buf_printf(out, "; %zu unchanged", show->unchanged);
    }
    wg_buf_puts(out, "\n\n");
    put_verdicts(&summary);
    size_t before = out->len;
    wg_buf_puts(out, "\nFor you to look at\n");
    size_t heading = out->len;
    put_names(&summary, "Not graded", is_not_graded);
    put_reasons(&summary);
    put_names(&summary, "Faster than the device can be", is_suspect);
    put_twins(&summary);
    if (out->len == heading) {
        out->len = before;
        out->data[before] = '\0';
    }
    put_deadline(&summary);
    put_cost(&summary);
    wg_buf_puts(out, "\nAll rows: wavegrade results ");
    put_text(out, store_path);
    wg_buf_puts(out, "\n");
    wg_store_attempts_done(&summary.latest);
}
