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

/* ---- Who has the same value, as numbers of 4 or 8 bytes ---- */

/* The lanes among `lanes` whose value has the same bits; of bytes that are the same in all of them,
 * the bits are not compared one by one. */
template <class T>
WG_DEVICE WG_CONVERGENT unsigned long long __wg_match(unsigned long long lanes, T value) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values of 4 or 8 bytes are matched");
    unsigned long long bits = __wg_to_bits(value), same = lanes;
    unsigned long long first =
        __wg_shuffle(__WG_SHUFFLE_IDX, lanes, bits, __builtin_ctzll(lanes), warpSize);
    for (unsigned byte = 0; byte < sizeof(T); byte++) {
        if (__wg_ballot(lanes, ((bits ^ first) >> 8 * byte & 0xff) != 0) == 0) {
            continue;
        }
        for (unsigned i = 8 * byte; i < 8 * byte + 8; i++) {
            int mine = (int)(bits >> i & 1);
            unsigned long long ones = __wg_ballot(lanes, mine);
            same &= mine ? ones : ~ones;
        }
    }
    return same;
}
/* `lanes` if they all have the same value, 0 if not. */
template <class T>
WG_DEVICE WG_CONVERGENT unsigned long long __wg_match_all(unsigned long long lanes, T value,
                                                          int *all) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "values of 4 or 8 bytes are matched");
    unsigned long long bits = __wg_to_bits(value);
    unsigned long long first =
        __wg_shuffle(__WG_SHUFFLE_IDX, lanes, bits, __builtin_ctzll(lanes), warpSize);
    *all = __wg_ballot(lanes, bits != first) == 0;
    return *all ? lanes : 0;
}
template <class T> WG_DEVICE WG_CONVERGENT unsigned long long __match_any(T value) {
    return __wg_match(__wg_ballot(__WG_ALL_LANES, 1), value);
}
template <class T> WG_DEVICE WG_CONVERGENT unsigned long long __match_all(T value, int *all) {
    return __wg_match_all(__wg_ballot(__WG_ALL_LANES, 1), value, all);
}
template <class M, class T>
WG_DEVICE WG_CONVERGENT unsigned long long __match_any_sync(M mask, T value) WG_MASK_64_BITS(M) {
    return __wg_match(__wg_ballot(mask, 1), value);
}
template <class M, class T>
WG_DEVICE WG_CONVERGENT unsigned long long __match_all_sync(M mask, T value, int *all)
    WG_MASK_64_BITS(M) {
    return __wg_match_all(__wg_ballot(mask, 1), value, all);
}

/* ---- Reductions over the lanes of a mask ---- */

/* The lane that holds rank `rank` of the lanes in mask; mask has that many. */
WG_DEVICE int __wg_nth_lane(unsigned long long mask, unsigned rank) {
    for (unsigned i = 0; i < rank; i++) {
        mask &= mask - 1;
    }
    return __builtin_ctzll(mask);
}
/* In each round a lane takes over what the rank `step` above it has gathered, if there is one. */
#define WG_REDUCE_SYNC(name, combine)                                                              \
    template <class M, class T>                                                                    \
    WG_DEVICE WG_CONVERGENT T name(M mask, T value) WG_MASK_64_BITS(M) {                           \
        unsigned long long lanes = __wg_ballot(mask, 1);                                           \
        unsigned rank = (unsigned)__builtin_popcountll(lanes & __lanemask_lt());                   \
        unsigned count = (unsigned)__builtin_popcountll(lanes);                                    \
        T a = value;                                                                               \
        for (unsigned step = 1; step < count; step *= 2) {                                         \
            bool has_more = rank + step < count;                                                   \
            int from = __wg_nth_lane(lanes, has_more ? rank + step : rank);                        \
            T b = __wg_shuffle_value(__WG_SHUFFLE_IDX, lanes, a, from, warpSize);                  \
            a = has_more ? (T)(combine) : a;                                                       \
        }                                                                                          \
        return __wg_shuffle_value(__WG_SHUFFLE_IDX, lanes, a, __builtin_ctzll(lanes), warpSize);   \
    }
WG_REDUCE_SYNC(__reduce_add_sync, a + b)
WG_REDUCE_SYNC(__reduce_min_sync, b < a ? b : a)
WG_REDUCE_SYNC(__reduce_max_sync, a < b ? b : a)
WG_REDUCE_SYNC(__reduce_and_sync, a &b)
WG_REDUCE_SYNC(__reduce_or_sync, a | b)
WG_REDUCE_SYNC(__reduce_xor_sync, a ^ b)
#undef WG_REDUCE_SYNC

WG_DEVICE WG_CONVERGENT void __syncwarp(void) {
    __wg_warp_barrier(__WG_ALL_LANES);
}
template <class M> WG_DEVICE WG_CONVERGENT void __syncwarp(M mask) WG_MASK_64_BITS(M) {
    __wg_warp_barrier(mask);
}

#undef WG_MASK_64_BITS
#endif
#endif
