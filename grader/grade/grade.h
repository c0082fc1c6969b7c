/* The pipeline: fetch, build, check, time, score. One submission in, one result out.
 *
 * The result is the caller's (wg_result_free). An error is returned only when not even a result
 * could be made (bad assignment, usage); a fault on the way becomes a result with GRADER_ERROR. */
#ifndef WG_GRADE_H
#define WG_GRADE_H

#include <stdbool.h>
#include <stdint.h>

#include "grader/base/err.h"
#include "grader/manifest/manifest.h"
#include "grader/repo/repo.h"
#include "grader/result/result.h"

struct wg_grade_request {
    const char *location; /* URL or path */
    bool is_folder;       /* a plain folder, no git */
    const char *ref, *folder;
    const char *assignment; /* name or path; NULL: recognized from the file that is there */
    const char *platform;   /* "auto", "cpu", "amd", "nvidia" */
    const char *ssh_key;
    bool has_seed;
    uint64_t seed; /* otherwise fresh from the system */
    bool timing;
    bool checked;
    bool facts;    /* on an emulated platform: what a GPU's compiler makes of the kernels, too */
    int warp_size; /* 0: default */
    int workers;   /* runs of the submission at a time; 0: as many as there are processors */
    /* For wg_grade_fetch, as in struct wg_repo_request. */
    const char *known_commit, *known_tree;
    int64_t known_time_s, not_after_s;
    /* For wg_grade: what wg_grade_fetch gave and how long that took. Its contents are taken. */
    struct wg_submission *fetched;
    const char *fetched_file;
    int64_t fetched_ns;
    /* As in struct wg_build_target: for gradings of many submissions. */
    const char *build_cache;
    /* All bundled assignments, loaded once for many gradings; borrowed. NULL: read them. */
    struct wg_manifest *const *bundled;
    size_t bundled_count;
    void (*progress)(void *ctx, const char *what, size_t done, size_t total); /* may be NULL */
    void *progress_ctx;
};

/* The first stage alone: fetches the submission, so that wg_grade can be given it later, perhaps on
 * another machine. *file (heap) is the manifest's name of the file; NULL when it is not known which
 * assignment is meant. */
enum wg_code wg_grade_fetch(const struct wg_grade_request *request, struct wg_submission *out,
                            char **file, struct wg_err *err);

enum wg_code wg_grade(const struct wg_grade_request *request, struct wg_result **out,
                      struct wg_err *err);

#endif
