/* Wave operations. Masks are 64 bits wide, as in ROCm, whatever the size of a wave; a narrower one
 * is an error at the student's call. */
#ifndef WG_HIP_DETAIL_WARP_H
#define WG_HIP_DETAIL_WARP_H

#include <hip/detail/thread.h>

#ifdef __HIP__

#define WG_MASK_64_BITS(type)                                                                      \
    __attribute__((                                                                                \
        diagnose_if(sizeof(type) != 8,                                                             \
                    "the lane mask must be 64 bits wide: a wave on AMD GPUs has up to 64 lanes. "  \
                    "Write 0xffffffffffffffffULL, or use the form without _sync",                  \
                    "error")))

/* A value's bits as a number, and back. */
template <class T> WG_DEVICE unsigned long long __wg_to_bits(T value) {
    static_assert(sizeof(T) <= 8 && __is_trivially_copyable(T),
                  "wave operations move values of at most 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T> WG_DEVICE T __wg_from_bits(unsigned long long bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T>
WG_DEVICE WG_CONVERGENT T __wg_shuffle_value(int mode, unsigned long long mask, T value,
                                             int lane_or_delta, int width) {
    return __wg_from_bits<T>(__wg_shuffle(mode, mask, __wg_to_bits(value), lane_or_delta, width));
}

WG_DEVICE unsigned __wg_flat_thread(void) {
    return __wg_thread_idx_x() +
           __wg_block_dim_x() * (__wg_thread_idx_y() + __wg_block_dim_y() * __wg_thread_idx_z());
}
WG_DEVICE unsigned __lane_id(void) {
    return __wg_flat_thread() & (__wg_warp_size() - 1);
}
WG_DEVICE unsigned long long __lanemask_lt(void) {
    return (1ull << __lane_id()) - 1;
}
WG_DEVICE unsigned long long __lanemask_eq(void) {
    return 1ull << __lane_id();
}
WG_DEVICE unsigned long long __lanemask_gt(void) {
    return ~((2ull << __lane_id()) - 1);
}

/* ---- Shuffles ---- */
template <class T> WG_DEVICE WG_CONVERGENT T __shfl(T value, int lane, int width = warpSize) {
    return __wg_shuffle_value(__WG_SHUFFLE_IDX, __WG_ALL_LANES, value, lane, width);
}
template <class T>
WG_DEVICE WG_CONVERGENT T __shfl_up(T value, unsigned delta, int width = warpSize) {
    return __wg_shuffle_value(__WG_SHUFFLE_UP, __WG_ALL_LANES, value, (int)delta, width);
}
template <class T>
WG_DEVICE WG_CONVERGENT T __shfl_down(T value, unsigned delta, int width = warpSize) {
    return __wg_shuffle_value(__WG_SHUFFLE_DOWN, __WG_ALL_LANES, value, (int)delta, width);
}
template <class T>
WG_DEVICE WG_CONVERGENT T __shfl_xor(T value, int lane_mask, int width = warpSize) {
    return __wg_shuffle_value(__WG_SHUFFLE_XOR, __WG_ALL_LANES, value, lane_mask, width);
}
template <class M, class T>
WG_DEVICE WG_CONVERGENT T __shfl_sync(M mask, T value, int lane, int width = warpSize)
    WG_MASK_64_BITS(M) {
    return __wg_shuffle_value(__WG_SHUFFLE_IDX, mask, value, lane, width);
}
template <class M, class T>
WG_DEVICE WG_CONVERGENT T __shfl_up_sync(M mask, T value, unsigned delta, int width = warpSize)
    WG_MASK_64_BITS(M) {
    return __wg_shuffle_value(__WG_SHUFFLE_UP, mask, value, (int)delta, width);
}
template <class M, class T>
WG_DEVICE WG_CONVERGENT T __shfl_down_sync(M mask, T value, unsigned delta, int width = warpSize)
    WG_MASK_64_BITS(M) {
    return __wg_shuffle_value(__WG_SHUFFLE_DOWN, mask, value, (int)delta, width);
}
template <class M, class T>
WG_DEVICE WG_CONVERGENT T __shfl_xor_sync(M mask, T value, int lane_mask, int width = warpSize)
    WG_MASK_64_BITS(M) {
    return __wg_shuffle_value(__WG_SHUFFLE_XOR, mask, value, lane_mask, width);
}

/* ---- Votes ---- */
WG_DEVICE WG_CONVERGENT unsigned long long __activemask(void) {
    return __wg_activemask();
}
WG_DEVICE WG_CONVERGENT unsigned long long __ballot(int predicate) {
    return __wg_ballot(__WG_ALL_LANES, predicate);
}
WG_DEVICE WG_CONVERGENT unsigned long long __ballot64(int predicate) {
    return __wg_ballot(__WG_ALL_LANES, predicate);
}
WG_DEVICE WG_CONVERGENT int __any(int predicate) {
    return __wg_ballot(__WG_ALL_LANES, predicate) != 0;
}
WG_DEVICE WG_CONVERGENT int __all(int predicate) {
    return __wg_ballot(__WG_ALL_LANES, !predicate) == 0;
}
template <class M>
WG_DEVICE WG_CONVERGENT unsigned long long __ballot_sync(M mask, int predicate) WG_MASK_64_BITS(M) {
    return __wg_ballot(mask, predicate);
}
template <class M>
WG_DEVICE WG_CONVERGENT int __any_sync(M mask, int predicate) WG_MASK_64_BITS(M) {
    return __wg_ballot(mask, predicate) != 0;
}
template <class M>
WG_DEVICE WG_CONVERGENT int __all_sync(M mask, int predicate) WG_MASK_64_BITS(M) {
    return __wg_ballot(mask, !predicate) == 0;
}

WG_DEVICE WG_CONVERGENT void __syncwarp(void) {
    __wg_warp_barrier(__WG_ALL_LANES);
}
template <class M> WG_DEVICE WG_CONVERGENT void __syncwarp(M mask) WG_MASK_64_BITS(M) {
    __wg_warp_barrier(mask);
}

#undef WG_MASK_64_BITS
#endif
#endif
