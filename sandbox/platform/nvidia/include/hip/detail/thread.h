/* HIP's own names for who a thread is, and its clock. */
#ifndef WG_HIP_DETAIL_THREAD_H
#define WG_HIP_DETAIL_THREAD_H

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <hip/detail/platform.h>

#ifdef __CUDACC__

#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipThreadIdx_z (threadIdx.z)
#define hipBlockIdx_x  (blockIdx.x)
#define hipBlockIdx_y  (blockIdx.y)
#define hipBlockIdx_z  (blockIdx.z)
#define hipBlockDim_x  (blockDim.x)
#define hipBlockDim_y  (blockDim.y)
#define hipBlockDim_z  (blockDim.z)
#define hipGridDim_x   (gridDim.x)
#define hipGridDim_y   (gridDim.y)
#define hipGridDim_z   (gridDim.z)

/* Ticks at 100 MHz, as on AMD's GPUs. */
WG_DEVICE long long wall_clock64(void) {
    unsigned long long now_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now_ns));
    return (long long)(now_ns / 10);
}
WG_DEVICE long long __clock64(void) {
    return clock64();
}
WG_DEVICE clock_t __clock(void) {
    return clock();
}

#endif
#endif
