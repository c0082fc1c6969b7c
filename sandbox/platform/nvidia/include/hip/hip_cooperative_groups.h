/* Cooperative groups are CUDA's; its names and HIP's are the same. A tile has at most 32 threads.
 */
#ifndef WG_HIP_COOPERATIVE_GROUPS_H
#define WG_HIP_COOPERATIVE_GROUPS_H

#include <hip/detail/platform.h>

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

#endif
