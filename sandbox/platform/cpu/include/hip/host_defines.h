/* HIP's keywords. Outside a HIP compilation (the harness is C) they mean nothing. */
#ifndef WG_HIP_HOST_DEFINES_H
#define WG_HIP_HOST_DEFINES_H

#ifdef __HIP__
/* The compiler driver includes this file before a source's first line: where ROCm is installed,
 * clang puts wrappers around <algorithm> and <new> that need these keywords and malloc to be known.
 */
#include <stdlib.h>

#define __host__     __attribute__((host))
#define __device__   __attribute__((device))
#define __global__   __attribute__((global))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__  __attribute__((managed))
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
/* x86 code has no place for launch bounds; the annotation carries them to the lowering.
 * __noinline__ is a keyword of clang's HIP mode; a macro of that name breaks libstdc++. */
#define __launch_bounds__(...)                                                                     \
    __attribute__((launch_bounds(__VA_ARGS__), annotate("wg_launch_bounds", __VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))
#else
#define __host__
#define __device__
#define __global__
#define __forceinline__ inline
#endif

#endif
