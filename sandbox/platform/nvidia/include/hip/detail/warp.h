/* Wave operations. HIP has them without a mask, for the lanes that are active, and with a mask of
 * 64 bits; CUDA has only forms with a mask of 32 bits. Masks of both widths are taken here: a wave
 * has 32 lanes, and the upper half of a wider mask names none. */
#ifndef WG_HIP_DETAIL_WARP_H
#define WG_HIP_DETAIL_WARP_H

#include <type_traits>

#include <hip/detail/platform.h>

#ifdef __CUDACC__

WG_DEVICE unsigned __lane_id(void) {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
WG_DEVICE unsigned long long __lanemask_lt(void) {
    return (1ull << __lane_id()) - 1;
}
WG_DEVICE unsigned long long __lanemask_eq(void) {
    return 1ull << __lane_id();
}
WG_DEVICE unsigned long long __lanemask_gt(void) {
    return 0xffffffffull & ~((2ull << __lane_id()) - 1);
}

/* ---- Without a mask ---- */
template <class T> WG_DEVICE T __shfl(T value, int lane, int width = 32) {
    return __shfl_sync(__activemask(), value, lane, width);
}
template <class T> WG_DEVICE T __shfl_up(T value, unsigned delta, int width = 32) {
    return __shfl_up_sync(__activemask(), value, delta, width);
}
template <class T> WG_DEVICE T __shfl_down(T value, unsigned delta, int width = 32) {
    return __shfl_down_sync(__activemask(), value, delta, width);
}
template <class T> WG_DEVICE T __shfl_xor(T value, int lane_mask, int width = 32) {
    return __shfl_xor_sync(__activemask(), value, lane_mask, width);
}
WG_DEVICE int __wg_any(int predicate) {
    return __any_sync(__activemask(), predicate);
}
WG_DEVICE int __wg_all(int predicate) {
    return __all_sync(__activemask(), predicate);
}
WG_DEVICE unsigned long long __wg_ballot(int predicate) {
    return __ballot_sync(__activemask(), predicate);
}
/* CUDA still declares these, as built-in functions that no device can run any more: an overload
 * cannot take their place. */
#define __any      __wg_any
#define __all      __wg_all
#define __ballot   __wg_ballot
#define __ballot64 __wg_ballot

/* ---- With a mask of 64 bits ---- */
#define WG_IF_WIDE(M)                                                                              \
    class = typename std::enable_if < std::is_integral<M>::value && sizeof(M) == 8 > ::type
template <class M, class T, WG_IF_WIDE(M)>
WG_DEVICE T __shfl_sync(M mask, T value, int lane, int width = 32) {
    return __shfl_sync((unsigned)mask, value, lane, width);
}
template <class M, class T, WG_IF_WIDE(M)>
WG_DEVICE T __shfl_up_sync(M mask, T value, unsigned delta, int width = 32) {
    return __shfl_up_sync((unsigned)mask, value, delta, width);
}
template <class M, class T, WG_IF_WIDE(M)>
WG_DEVICE T __shfl_down_sync(M mask, T value, unsigned delta, int width = 32) {
    return __shfl_down_sync((unsigned)mask, value, delta, width);
}
template <class M, class T, WG_IF_WIDE(M)>
WG_DEVICE T __shfl_xor_sync(M mask, T value, int lane_mask, int width = 32) {
    return __shfl_xor_sync((unsigned)mask, value, lane_mask, width);
}
template <class M, WG_IF_WIDE(M)>
WG_DEVICE unsigned long long __ballot_sync(M mask, int predicate) {
    return __ballot_sync((unsigned)mask, predicate);
}
template <class M, WG_IF_WIDE(M)> WG_DEVICE int __any_sync(M mask, int predicate) {
    return __any_sync((unsigned)mask, predicate);
}
template <class M, WG_IF_WIDE(M)> WG_DEVICE int __all_sync(M mask, int predicate) {
    return __all_sync((unsigned)mask, predicate);
}
template <class M, WG_IF_WIDE(M)> WG_DEVICE void __syncwarp(M mask) {
    __syncwarp((unsigned)mask);
}
#undef WG_IF_WIDE

#endif
#endif
