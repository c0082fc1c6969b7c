/* What HIP has and a platform of ours has not: the cpu platform, and our HIP over CUDA. A
 * submission that fails to compile over it may well be right on a GPU, so nobody may count it wrong
 * here. */
#ifndef WG_BUILD_GAP_H
#define WG_BUILD_GAP_H

#include <stddef.h>

#include "grader/build/build.h"

/* Names the gap, when the first error is one; a heap string that the caller frees. NULL: the error
 * is the submission's. */
char *wg_gap_in_words(const char *platform, const char *file_name,
                      const struct wg_diagnostic *diagnostics, size_t count);

#endif
