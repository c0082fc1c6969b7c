/* What `wavegrade batch` shows: one line that changes on a terminal, a line a row elsewhere, and a
 * summary at the end. */
#ifndef WG_BATCH_SHOW_H
#define WG_BATCH_SHOW_H

#include "grader/batch/drive.h"
#include "grader/commands.h"

enum { WG_SHOW_RUNNING_MOST = 64 };

struct wg_batch_show {
    const struct wg_batch_plan *plan;
    bool quiet;
    struct wg_cmd_progress line;
    int64_t start_ns;
    size_t done, passed, fell_short, not_graded, unchanged;
    size_t retried; /* rows that are tried again; 0: the first time */
    size_t before;  /* rows that earlier runs of this batch had done */
    size_t slow;    /* rows of this run that were really graded: what the ETA goes by */
    struct {
        size_t index;
        char stage[64];
    } running[WG_SHOW_RUNNING_MOST];
    size_t running_count;
};

/* drive was started: rows that are done already count as done. */
void wg_batch_show_start(struct wg_batch_show *show, const struct wg_batch_drive *drive,
                         bool quiet);
struct wg_batch_watch wg_batch_show_watch(struct wg_batch_show *show);
void wg_batch_show_end(struct wg_batch_show *show);

/* The summary, and whether every row has an honest result. */
void wg_batch_summarize(const struct wg_batch_drive *drive, const char *store_path,
                        const struct wg_batch_show *show, const struct wg_text_style *style,
                        struct wg_buf *out);

#endif
