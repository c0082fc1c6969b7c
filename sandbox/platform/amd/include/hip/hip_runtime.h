/* The distribution's or ROCm's own header, and what older ones lack: the wave functions with a
 * mask, which HIP has had since ROCm 6.2. */
#ifndef WG_AMD_HIP_RUNTIME_H
#define WG_AMD_HIP_RUNTIME_H

#define HIP_ENABLE_WARP_SYNC_BUILTINS 1
#include_next <hip/hip_runtime.h>

#if defined(__cplusplus) && HIP_VERSION < 60200000

/* All lanes of a wave run in step here, so the mask says nothing that the hardware needs to know.
 * It still has to have a bit for each lane, as newer headers insist. */
#define WG_CHECK_MASK(Mask) static_assert(sizeof(Mask) == 8, "The mask must be a 64-bit integer.")

template <typename Mask, typename T>
__device__ inline T __shfl_sync(Mask, T value, int lane, int width = warpSize) {
    WG_CHECK_MASK(Mask);
    return __shfl(value, lane, width);
}
template <typename Mask, typename T>
__device__ inline T __shfl_up_sync(Mask, T value, unsigned delta, int width = warpSize) {
    WG_CHECK_MASK(Mask);
    return __shfl_up(value, delta, width);
}
template <typename Mask, typename T>
__device__ inline T __shfl_down_sync(Mask, T value, unsigned delta, int width = warpSize) {
    WG_CHECK_MASK(Mask);
    return __shfl_down(value, delta, width);
}
template <typename Mask, typename T>
__device__ inline T __shfl_xor_sync(Mask, T value, int lanes, int width = warpSize) {
    WG_CHECK_MASK(Mask);
    return __shfl_xor(value, lanes, width);
}
template <typename Mask> __device__ inline int __any_sync(Mask mask, int predicate) {
    WG_CHECK_MASK(Mask);
    return (__ballot(predicate) & (unsigned long long)mask) != 0;
}
template <typename Mask> __device__ inline int __all_sync(Mask mask, int predicate) {
    WG_CHECK_MASK(Mask);
    unsigned long long asked = __ballot(1) & (unsigned long long)mask;
    return (__ballot(predicate) & asked) == asked;
}
template <typename Mask>
__device__ inline unsigned long long __ballot_sync(Mask mask, int predicate) {
    WG_CHECK_MASK(Mask);
    return __ballot(predicate) & (unsigned long long)mask;
}
__device__ inline unsigned long long __activemask() {
    return __ballot(1);
}
__device__ inline void __syncwarp(unsigned long long = ~0ull) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
#undef WG_CHECK_MASK

#endif

#endif
