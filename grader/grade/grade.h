/* The pipeline: fetch, build, check, time, score. One submission in, one result out.
 *
 * The result is the caller's (wg_result_free). An error is returned only when not even a result
 * could be made (bad assignment, usage); a fault on the way becomes a result with GRADER_ERROR. */
#ifndef WG_GRADE_H
#define WG_GRADE_H

#include <stdbool.h>
#include <stdint.h>

#include "grader/base/err.h"
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
    void (*progress)(void *ctx, const char *what, size_t done, size_t total); /* may be NULL */
    void *progress_ctx;
};

enum wg_code wg_grade(const struct wg_grade_request *request, struct wg_result **out,
                      struct wg_err *err);

#endif
