/* Cooperative groups: thread blocks, grids, tiles of a wave, coalesced threads.
 *
 * A tile or coalesced group names its own lanes in every wave operation, so groups of one wave may
 * be at different places. thread_group is the type-erased form of them all. */
#ifndef WG_HIP_COOPERATIVE_GROUPS_H
#define WG_HIP_COOPERATIVE_GROUPS_H

#include <hip/detail/thread.h>
#include <hip/detail/warp.h>

#ifdef __HIP__

namespace cooperative_groups {

namespace details {

enum group_kind { group_block, group_grid, group_tile, group_coalesced };

WG_DEVICE unsigned block_size(void) {
    return __wg_block_dim_x() * __wg_block_dim_y() * __wg_block_dim_z();
}
WG_DEVICE unsigned block_rank(void) {
    return __wg_block_idx_x() +
           __wg_grid_dim_x() * (__wg_block_idx_y() + __wg_grid_dim_y() * __wg_block_idx_z());
}
WG_DEVICE unsigned block_count(void) {
    return __wg_grid_dim_x() * __wg_grid_dim_y() * __wg_grid_dim_z();
}

/* The lanes of the aligned tile of this thread that exist: the last wave of a block may be short.
 */
WG_DEVICE unsigned long long tile_mask(unsigned size) {
    unsigned first = __lane_id() & ~(size - 1);
    unsigned wave_start = __wg_flat_thread() & ~(__wg_warp_size() - 1);
    unsigned present = block_size() - wave_start;
    unsigned long long mask = size >= 64 ? __WG_ALL_LANES : ((1ull << size) - 1) << first;
    return present >= 64 ? mask : mask & ((1ull << present) - 1);
}
WG_DEVICE void check_tile_size(unsigned size) {
    if (size > __wg_warp_size()) {
        __assert_fail("tile size <= warpSize", "hip_cooperative_groups.h", __LINE__,
                      "tiled_partition");
    }
}

/* Bit i of the result is the bit of `lanes` that belongs to the i-th lane in mask. */
WG_DEVICE unsigned long long ranks_of(unsigned long long mask, unsigned long long lanes) {
    unsigned long long ranks = 0;
    for (unsigned rank = 0; mask != 0; rank++) {
        ranks |= (lanes >> __builtin_ctzll(mask) & 1) << rank;
        mask &= mask - 1;
    }
    return ranks;
}
} // namespace details

class coalesced_group;

class thread_group {
  protected:
    details::group_kind kind_;
    unsigned size_;
    unsigned long long mask_; /* lanes of a tile or coalesced group */

    WG_MEMBER thread_group(details::group_kind kind, unsigned size, unsigned long long mask)
        : kind_(kind), size_(size), mask_(mask) {}
    WG_MEMBER unsigned mask_rank() const {
        return (unsigned)__builtin_popcountll(mask_ & __lanemask_lt());
    }
    friend WG_MEMBER thread_group tiled_partition(const thread_group &parent, unsigned size);
    friend WG_MEMBER WG_CONVERGENT coalesced_group binary_partition(const thread_group &parent,
                                                                    bool predicate);

  public:
    WG_MEMBER unsigned size() const { return size_; }
    WG_MEMBER unsigned num_threads() const { return size_; }
    WG_MEMBER unsigned thread_rank() const {
        switch (kind_) {
        case details::group_block:
            return __wg_flat_thread();
        case details::group_grid:
            return details::block_rank() * details::block_size() + __wg_flat_thread();
        default:
            return mask_rank();
        }
    }
    WG_MEMBER bool is_valid() const {
        return kind_ != details::group_grid || __wg_grid_is_cooperative();
    }
    WG_MEMBER WG_CONVERGENT void sync() const {
        switch (kind_) {
        case details::group_block:
            __syncthreads();
            break;
        case details::group_grid:
            __wg_grid_barrier();
            break;
        default:
            __wg_warp_barrier(mask_);
            break;
        }
    }
};

class thread_block : public thread_group {
    WG_MEMBER thread_block() : thread_group(details::group_block, details::block_size(), 0) {}
    friend WG_MEMBER thread_block this_thread_block();

  public:
    static WG_MEMBER dim3 group_index() { return blockIdx; }
    static WG_MEMBER dim3 thread_index() { return threadIdx; }
    static WG_MEMBER dim3 group_dim() { return blockDim; }
    static WG_MEMBER dim3 dim_threads() { return blockDim; }
    static WG_MEMBER unsigned size() { return details::block_size(); }
    static WG_MEMBER unsigned num_threads() { return details::block_size(); }
    static WG_MEMBER unsigned thread_rank() { return __wg_flat_thread(); }
    static WG_MEMBER bool is_valid() { return true; }
    static WG_MEMBER WG_CONVERGENT void sync() { __syncthreads(); }
};
WG_MEMBER thread_block this_thread_block() {
    return thread_block();
}

class grid_group : public thread_group {
    WG_MEMBER grid_group()
        : thread_group(details::group_grid, details::block_count() * details::block_size(), 0) {}
    friend WG_MEMBER grid_group this_grid();

  public:
    static WG_MEMBER unsigned size() { return details::block_count() * details::block_size(); }
    static WG_MEMBER unsigned num_threads() { return size(); }
    static WG_MEMBER unsigned thread_rank() {
        return details::block_rank() * details::block_size() + __wg_flat_thread();
    }
    static WG_MEMBER dim3 group_dim() { return gridDim; }
    static WG_MEMBER dim3 dim_blocks() { return gridDim; }
    static WG_MEMBER dim3 block_index() { return blockIdx; }
    static WG_MEMBER unsigned num_blocks() { return details::block_count(); }
    static WG_MEMBER unsigned block_rank() { return details::block_rank(); }
    static WG_MEMBER bool is_valid() { return __wg_grid_is_cooperative(); }
    static WG_MEMBER WG_CONVERGENT void sync() { __wg_grid_barrier(); }
};
WG_MEMBER grid_group this_grid() {
    return grid_group();
}

/* The threads that run together at this point. Its operations address lanes by rank. */
class coalesced_group : public thread_group {
    WG_MEMBER explicit coalesced_group(unsigned long long mask)
        : thread_group(details::group_coalesced, (unsigned)__builtin_popcountll(mask), mask) {}
    friend WG_MEMBER WG_CONVERGENT coalesced_group coalesced_threads();
    friend WG_MEMBER coalesced_group tiled_partition(const coalesced_group &parent, unsigned size);
    friend WG_MEMBER WG_CONVERGENT coalesced_group binary_partition(const thread_group &parent,
                                                                    bool predicate);

    template <class T> WG_MEMBER WG_CONVERGENT T from_rank(T value, unsigned rank) const {
        return __wg_shuffle_value(__WG_SHUFFLE_IDX, mask_, value, __wg_nth_lane(mask_, rank),
                                  warpSize);
    }

  public:
    WG_MEMBER unsigned thread_rank() const { return mask_rank(); }
    WG_MEMBER WG_CONVERGENT void sync() const { __wg_warp_barrier(mask_); }
    WG_MEMBER unsigned meta_group_size() const { return 1; }
    WG_MEMBER unsigned meta_group_rank() const { return 0; }

    template <class T> WG_MEMBER WG_CONVERGENT T shfl(T value, int rank) const {
        return from_rank(value, (unsigned)rank % size_);
    }
    template <class T> WG_MEMBER WG_CONVERGENT T shfl_up(T value, unsigned delta) const {
        unsigned me = mask_rank();
        return from_rank(value, me >= delta ? me - delta : me);
    }
    template <class T> WG_MEMBER WG_CONVERGENT T shfl_down(T value, unsigned delta) const {
        unsigned me = mask_rank();
        return from_rank(value, me + delta < size_ ? me + delta : me);
    }
    WG_MEMBER WG_CONVERGENT int any(int predicate) const {
        return __wg_ballot(mask_, predicate) != 0;
    }
    WG_MEMBER WG_CONVERGENT int all(int predicate) const {
        return __wg_ballot(mask_, !predicate) == 0;
    }
    /* Bit i belongs to rank i. */
    WG_MEMBER WG_CONVERGENT unsigned long long ballot(int predicate) const {
        return details::ranks_of(mask_, __wg_ballot(mask_, predicate));
    }
    template <class T> WG_MEMBER WG_CONVERGENT unsigned long long match_any(T value) const {
        return details::ranks_of(mask_, __wg_match(mask_, value));
    }
    template <class T>
    WG_MEMBER WG_CONVERGENT unsigned long long match_all(T value, int &all) const {
        return details::ranks_of(mask_, __wg_match_all(mask_, value, &all));
    }
};
WG_MEMBER WG_CONVERGENT coalesced_group coalesced_threads() {
    return coalesced_group(__wg_activemask());
}

/* A tile of Size consecutive lanes: 1, 2, 4, ... 64. Parent only tells tiles of blocks and tiles of
 * tiles apart. */
template <unsigned Size, class Parent = void> class thread_block_tile : public thread_group {
    static_assert(Size != 0 && (Size & (Size - 1)) == 0, "the size of a tile is a power of 2");
    static_assert(Size <= 64, "a tile fits into a wave, which has at most 64 lanes");

    unsigned meta_rank_, meta_size_;

    template <unsigned, class> friend class thread_block_tile;
    template <unsigned S, class P>
    friend WG_MEMBER thread_block_tile<S, P> tiled_partition(const P &);

    WG_MEMBER thread_block_tile(unsigned meta_rank, unsigned meta_size)
        : thread_group(details::group_tile, Size, details::tile_mask(Size)), meta_rank_(meta_rank),
          meta_size_(meta_size) {
        if (Size > 32) {
            details::check_tile_size(Size);
        }
    }
    static WG_MEMBER unsigned first_lane() { return __lane_id() & ~(Size - 1); }
    template <class T> WG_MEMBER WG_CONVERGENT T move(int mode, T value, int lane_or_delta) const {
        return __wg_shuffle_value(mode, mask_, value, lane_or_delta, (int)Size);
    }

  public:
    template <class Other>
    WG_MEMBER thread_block_tile(const thread_block_tile<Size, Other> &other)
        : thread_group(other), meta_rank_(other.meta_rank_), meta_size_(other.meta_size_) {}

    static WG_MEMBER constexpr unsigned size() { return Size; }
    static WG_MEMBER constexpr unsigned num_threads() { return Size; }
    static WG_MEMBER unsigned thread_rank() { return __wg_flat_thread() & (Size - 1); }
    WG_MEMBER unsigned meta_group_rank() const { return meta_rank_; }
    WG_MEMBER unsigned meta_group_size() const { return meta_size_; }
    WG_MEMBER WG_CONVERGENT void sync() const { __wg_warp_barrier(mask_); }

    template <class T> WG_MEMBER WG_CONVERGENT T shfl(T value, int rank) const {
        return move(__WG_SHUFFLE_IDX, value, rank);
    }
    template <class T> WG_MEMBER WG_CONVERGENT T shfl_up(T value, unsigned delta) const {
        return move(__WG_SHUFFLE_UP, value, (int)delta);
    }
    template <class T> WG_MEMBER WG_CONVERGENT T shfl_down(T value, unsigned delta) const {
        return move(__WG_SHUFFLE_DOWN, value, (int)delta);
    }
    template <class T> WG_MEMBER WG_CONVERGENT T shfl_xor(T value, unsigned lane_mask) const {
        return move(__WG_SHUFFLE_XOR, value, (int)lane_mask);
    }
    WG_MEMBER WG_CONVERGENT int any(int predicate) const {
        return __wg_ballot(mask_, predicate) != 0;
    }
    WG_MEMBER WG_CONVERGENT int all(int predicate) const {
        return __wg_ballot(mask_, !predicate) == 0;
    }
    /* Bit i belongs to rank i. */
    WG_MEMBER WG_CONVERGENT unsigned long long ballot(int predicate) const {
        return __wg_ballot(mask_, predicate) >> first_lane();
    }
    template <class T> WG_MEMBER WG_CONVERGENT unsigned long long match_any(T value) const {
        return __wg_match(mask_, value) >> first_lane();
    }
    template <class T>
    WG_MEMBER WG_CONVERGENT unsigned long long match_all(T value, int &all) const {
        return __wg_match_all(mask_, value, &all) >> first_lane();
    }
};

template <unsigned Size, class Parent>
WG_MEMBER thread_block_tile<Size, Parent> tiled_partition(const Parent &parent) {
    return thread_block_tile<Size, Parent>(parent.thread_rank() / Size,
                                           (parent.size() + Size - 1) / Size);
}

/* Sizes known only when the program runs. A tile of a coalesced group counts ranks, not lanes. */
WG_MEMBER coalesced_group tiled_partition(const coalesced_group &parent, unsigned size) {
    unsigned first = parent.thread_rank() / size * size;
    unsigned long long left = parent.mask_, mask = 0;
    for (unsigned rank = 0; left != 0; rank++, left &= left - 1) {
        if (rank >= first && rank < first + size) {
            mask |= left & -left;
        }
    }
    return coalesced_group(mask);
}
WG_MEMBER thread_group tiled_partition(const thread_group &parent, unsigned size) {
    details::check_tile_size(size);
    unsigned long long mask = details::tile_mask(size);
    if (parent.kind_ == details::group_tile && size > parent.size_) {
        return parent;
    }
    return thread_group(details::group_tile, size, mask);
}

/* The threads of a tile or of a coalesced group with the same predicate as this one. */
WG_MEMBER WG_CONVERGENT coalesced_group binary_partition(const thread_group &parent,
                                                         bool predicate) {
    unsigned long long yes = __wg_ballot(parent.mask_, predicate);
    return coalesced_group(predicate ? yes : parent.mask_ & ~yes);
}

coalesced_group binary_partition(const thread_block &, bool) = delete;
coalesced_group binary_partition(const grid_group &, bool) = delete;

template <class Group> WG_MEMBER WG_CONVERGENT void sync(const Group &group) {
    group.sync();
}
template <class Group> WG_MEMBER unsigned thread_rank(const Group &group) {
    return group.thread_rank();
}
template <class Group> WG_MEMBER unsigned group_size(const Group &group) {
    return group.size();
}
template <class Group> WG_MEMBER bool is_valid(const Group &group) {
    return group.is_valid();
}

} // namespace cooperative_groups

#endif
#endif
