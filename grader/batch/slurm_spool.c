#include "grader/batch/slurm_spool.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/base/text.h"

#define ROUND_LIMIT_BYTES ((size_t)16 << 20)
#define NOTE_LIMIT_BYTES  ((size_t)64 << 10)
#define NOTE_LIMIT_SHOWN  400

char *wg_slurm_path(const char *spool, size_t round, const char *suffix) {
    return wg_strf("%s/slurm/%zu.%s", spool, round, suffix);
}

enum wg_code wg_slurm_round_write(const struct wg_batch_plan *plan,
                                  const struct wg_slurm_round *round, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *notes = wg_path_join(plan->spool, "slurm/notes");
    WG_CLEANUP(wg_freep) char *path = wg_slurm_path(plan->spool, round->number, "round");
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    wg_slurm_round_put(round, &text);
    enum wg_code code = wg_folder_make(notes, 0700, err);
    return code ? code : wg_file_write(path, text.data, text.len, 0600, err);
}

enum wg_code wg_slurm_round_read(const struct wg_batch_plan *plan, size_t number,
                                 struct wg_slurm_round *out, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = wg_slurm_path(plan->spool, number, "round");
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    enum wg_code code = wg_file_read(path, ROUND_LIMIT_BYTES, &text, err);
    return code ? code : wg_slurm_round_parse(wg_buf_str(&text), number, plan->count, out, err);
}

static char *note_path(const struct wg_batch_plan *plan, size_t index, int try) {
    return wg_strf("%s/slurm/notes/%zu.%d", plan->spool, index, try);
}

enum wg_code wg_slurm_note_write(const struct wg_batch_plan *plan, size_t index, int try,
                                 const char *text, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = note_path(plan, index, try);
    return wg_file_write(path, text, strlen(text), 0600, err);
}

void wg_slurm_note_remove(const struct wg_batch_plan *plan, size_t index, int try) {
    WG_CLEANUP(wg_freep) char *path = note_path(plan, index, try);
    unlink(path);
}

char *wg_slurm_note_read(const struct wg_batch_plan *plan, size_t index, int try) {
    WG_CLEANUP(wg_freep) char *path = note_path(plan, index, try);
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    struct wg_err ignored = {0};
    if (wg_file_read(path, NOTE_LIMIT_BYTES, &text, &ignored) != WG_OK) {
        return NULL;
    }
    return wg_text_clean(wg_buf_str(&text), text.len, NOTE_LIMIT_SHOWN);
}

enum wg_code wg_slurm_results_scan(const struct wg_batch_plan *plan, int try, bool *done,
                                   struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(plan->spool, "results");
    DIR *folder = opendir(path);
    if (!folder) {
        return wg_fail(err, WG_EIO, "open '%s'", path);
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char *end = NULL;
        size_t index = strtoul(entry->d_name, &end, 10);
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%zu.%d.json", index, try);
        if (index < plan->count && strcmp(wanted, entry->d_name) == 0) {
            done[index] = true;
        }
    }
    closedir(folder);
    return WG_OK;
}
