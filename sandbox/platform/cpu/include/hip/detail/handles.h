/* The types that a platform has its own form of. */
#ifndef WG_HIP_DETAIL_HANDLES_H
#define WG_HIP_DETAIL_HANDLES_H

#include <stdint.h>

#include <hip/host_defines.h>

typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipMemPoolHandle_t *hipMemPool_t;

#ifdef __HIP__
#define WG_DIM3_INLINED __attribute__((always_inline, nodebug))
#else
#define WG_DIM3_INLINED
#endif
typedef struct dim3 {
    uint32_t x, y, z;
#ifdef __cplusplus
    __host__ __device__ WG_DIM3_INLINED constexpr dim3(uint32_t x_ = 1, uint32_t y_ = 1,
                                                       uint32_t z_ = 1)
        : x(x_), y(y_), z(z_) {}
#endif
} dim3;
#undef WG_DIM3_INLINED

#endif
