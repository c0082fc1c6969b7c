/* Says in one sentence why a file did not compile and what to do about it.
 *
 * Pure functions over the source and the compiler's words. Each returns a heap string that the
 * caller frees, or NULL when it has nothing to say. */
#ifndef WG_BUILD_ADVICE_H
#define WG_BUILD_ADVICE_H

#include <stddef.h>

#include "grader/build/build.h"

/* What is wrong with the bytes themselves: empty, binary, UTF-16, a Git LFS pointer, too large.
 * NULL: worth compiling. */
char *wg_advice_before_build(const char *file_name, const char *source, size_t len);

/* Why it failed. Never NULL: at least the first error in words. */
char *wg_advice_after_build(const char *file_name, const char *source, size_t len,
                            const struct wg_diagnostic *diagnostics, size_t count);

/* The HIP spelling of a CUDA name ("cudaMalloc" -> "hipMalloc") or header ("cuda_runtime.h" ->
 * "hip/hip_runtime.h"); NULL: not CUDA. */
char *wg_advice_hip_name(const char *cuda_name, size_t len);

#endif
