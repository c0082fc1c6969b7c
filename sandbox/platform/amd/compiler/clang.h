/* The runs of clang over a student's file: as host code, as device code for finding the entry, and
 * as a code object for each arch. */
#ifndef WG_AMD_CLANG_H
#define WG_AMD_CLANG_H

#include <stdbool.h>
#include <sys/types.h>

#include "grader/base/err.h"
#include "sandbox/platform/amd/compiler/places.h"

enum { WG_AMD_ARCHES_MAX = 32 };

struct wg_amd_job {
    const char *source;  /* as the student names it, relative to the current folder */
    const char *out;     /* folder for what the runs leave and say */
    const char *include; /* our headers, which come before ROCm's */
    const char *bitcode; /* device libraries; NULL: those of a full ROCm installation */
    const char *arches[WG_AMD_ARCHES_MAX];
    size_t arch_count;
    bool facts_only; /* code objects only */
};

/* Runs all of them, a few at a time, and prints what they said, each thing once. *compiled: all
 * were content; *places: the kernels that they saw, the caller frees. They leave host.bc, device.bc
 * and ARCH.co in the output folder. Errors: WG_EIO, WG_EUNSUPPORTED (a tool is missing). */
enum wg_code wg_amd_clang_run(const struct wg_amd_job *job, bool *compiled,
                              struct wg_amd_places *places, struct wg_err *err);

#endif
