#include "grader/batch/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "grader/batch/drive.h"

enum wg_code wg_batch_spool_lock(const char *spool, int *fd, struct wg_err *err) {
    WG_CLEANUP(wg_freep) char *path = wg_path_join(spool, "lock");
    int opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    *fd = -1;
    if (opened < 0) {
        return wg_fail(err, WG_EIO, "open '%.150s'", path);
    }
    if (flock(opened, LOCK_EX | LOCK_NB) == 0) {
        *fd = opened;
        return WG_OK;
    }
    enum wg_code code = errno == EWOULDBLOCK ? WG_OK : wg_fail(err, WG_EIO, "lock '%.150s'", path);
    close(opened);
    return code;
}

void wg_batch_spool_remove(const char *spool) {
    struct wg_err ignored = {0};
    wg_folder_remove(spool, &ignored);
    WG_CLEANUP(wg_freep) char *parent = wg_strdup(spool);
    char *slash = strrchr(parent, '/');
    if (slash != NULL && slash != parent) {
        *slash = '\0';
        (void)rmdir(parent); /* unless other batches have theirs in it */
    }
}

/* A spool that is gone, or whose plan cannot be read, has nothing to give any more. */
static enum wg_code settle_one(struct wg_store *store, const struct wg_store_batch *batch,
                               struct wg_err *err) {
    struct wg_err ignored = {0};
    struct wg_batch_plan plan = {0};
    WG_CLEANUP(wg_closep) int lock = -1;
    size_t imported = 0;
    bool is_there = wg_file_is_folder(batch->spool);
    if (is_there && (wg_batch_spool_lock(batch->spool, &lock, &ignored) != WG_OK || lock < 0)) {
        return WG_OK;
    }
    WG_CLEANUP(wg_freep) char *jobs = is_there ? wg_batch_slurm_jobs(batch->spool) : NULL;
    if (jobs != NULL) {
        return wg_fail(err, WG_EINVAL,
                       "batch %.40s of this store was given to Slurm (jobs %.60s) and is not "
                       "collected: wavegrade batch --resume",
                       batch->id, jobs);
    }
    enum wg_code code = WG_OK;
    if (wg_batch_plan_read(batch->spool, &plan, &ignored) == WG_OK) {
        code = wg_batch_collect(&plan, store, &imported, err);
        wg_batch_plan_done(&plan);
    }
    code = code != WG_OK ? code : wg_store_batch_finish(store, batch->id, err);
    if (code == WG_OK) {
        wg_batch_spool_remove(batch->spool);
    }
    return code;
}

enum wg_code wg_batch_spool_settle(struct wg_store *store, struct wg_err *err) {
    struct wg_store_batches open = {0};
    enum wg_code code = wg_store_batches_unfinished(store, &open, err);
    for (size_t i = 0; code == WG_OK && i < open.count; i++) {
        code = settle_one(store, &open.all[i], err);
    }
    wg_store_batches_done(&open);
    return code;
}

enum wg_code wg_batch_spool_resume(struct wg_store *store, struct wg_batch_plan *out, int *lock,
                                   struct wg_err *err) {
    struct wg_store_batches open = {0};
    enum wg_code code = wg_store_batches_unfinished(store, &open, err);
    if (code != WG_OK) {
        return code;
    }
    if (open.count == 0) {
        return wg_fail(err, WG_ENOTFOUND,
                       "nothing to resume: every batch of this store is "
                       "finished");
    }
    *lock = -1;
    for (size_t i = 0; code == WG_OK && *lock < 0 && i < open.count; i++) {
        code = wg_batch_spool_lock(open.all[i].spool, lock, err);
        if (code == WG_OK && *lock >= 0) {
            code = wg_batch_plan_read(open.all[i].spool, out, err);
        }
    }
    if (code == WG_OK && *lock < 0) {
        code =
            wg_fail(err, WG_EINVAL, "batch %.40s is being run by another process", open.all[0].id);
    }
    wg_store_batches_done(&open);
    return code;
}
