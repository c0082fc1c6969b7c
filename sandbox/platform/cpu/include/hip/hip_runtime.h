/* What a HIP source includes: the host API, and in a HIP compilation everything that kernels use.
 */
#ifndef WG_HIP_RUNTIME_H
#define WG_HIP_RUNTIME_H

#ifdef __cplusplus
#include <hip/detail/heap.h>
#endif

#include <hip/hip_runtime_api.h>

#ifdef __cplusplus
#include <hip/hip_vector_types.h>
#endif

#ifdef __HIP__
/* ROCm's header brings these along, and students rely on it without knowing. */
#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <limits.h>
#include <limits>
#include <thread>
#include <utility>

#include <hip/detail/amdgcn.h>
#include <hip/detail/atomics.h>
#include <hip/detail/thread.h>
#include <hip/detail/warp.h>
#include <hip/device_functions.h>
#include <hip/library_types.h>
#include <hip/math_functions.h>

#define HIP_KERNEL_NAME(...)           __VA_ARGS__
#define HIP_SYMBOL(symbol)             symbol
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
#define hipLaunchKernelGGL(kernel, ...) WG_LAUNCH_KERNEL((kernel), __VA_ARGS__)
#define WG_LAUNCH_KERNEL(kernel, grid, block, shared_bytes, stream, ...)                           \
    do {                                                                                           \
        kernel<<<(grid), (block), (shared_bytes), (stream)>>>(__VA_ARGS__);                        \
    } while (0)
#endif

#endif
