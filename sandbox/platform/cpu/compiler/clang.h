/* clang's two passes over a student's file: as host code, and as device code for this processor. */
#ifndef WG_COMPILER_CLANG_H
#define WG_COMPILER_CLANG_H

#include <stdbool.h>
#include <sys/types.h>

#include "grader/base/err.h"

struct wg_pch;

struct wg_clang_job {
    const char *source;       /* as the student names it, relative to the current folder */
    const char *include;      /* folder of our HIP headers */
    const char *out;          /* folder for host.bc, device.bc and their logs */
    const struct wg_pch *pch; /* headers parsed ahead of time, or NULL */
    bool precompile; /* the source is what is to be parsed ahead: makes host.pch, device.pch */
    char *overlay;   /* made by wg_clang_start, heap; NULL when not needed */
    pid_t host, device;
};

enum wg_code wg_clang_start(struct wg_clang_job *job, struct wg_err *err);

/* Waits for both and prints what they said. *compiled: both were content. Errors: WG_EIO. */
enum wg_code wg_clang_finish(struct wg_clang_job *job, bool *compiled, struct wg_err *err);

#endif
