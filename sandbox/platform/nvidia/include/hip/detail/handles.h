/* The types that a platform has its own form of. dim3 is CUDA's. */
#ifndef WG_HIP_DETAIL_HANDLES_H
#define WG_HIP_DETAIL_HANDLES_H

#include <hip/host_defines.h>

typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
typedef cudaMemPool_t hipMemPool_t;

#endif
