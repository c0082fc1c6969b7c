/* Common to everything here that is for kernels: the words that mark our functions. */
#ifndef WG_HIP_DETAIL_PLATFORM_H
#define WG_HIP_DETAIL_PLATFORM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif

#include <hip/hip_common.h>
#include <hip/host_defines.h>

#ifdef __CUDACC__
#define WG_DEVICE      static __device__ __forceinline__
#define WG_HOST_DEVICE static __host__ __device__ __forceinline__
#define WG_HD_MEMBER   __host__ __device__ __forceinline__
#else
#define WG_HOST_DEVICE static inline
#define WG_HD_MEMBER   inline
#endif

#endif
