// Who has the same value: __match_any and __match_all, their forms in tiles and coalesced groups,
// partitions by a predicate, and reductions over a mask.
#include "expect.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int threads = 128;

__device__ int key_of(int thread) {
    return thread * 7 % 5 - 2;
}
// The lanes of the wave of `thread` that `accepts`, found without any wave operation.
template <class Accepts> __device__ unsigned long long lanes_with(Accepts accepts) {
    unsigned long long lanes = 0;
    int first = threadIdx.x / warpSize * warpSize;
    for (int lane = 0; lane < warpSize; lane++) {
        lanes |= (unsigned long long)(accepts(first + lane) ? 1 : 0) << lane;
    }
    return lanes;
}
__device__ unsigned long long all_lanes() {
    return warpSize == 64 ? ~0ull : (1ull << warpSize) - 1;
}

__global__ void match(int *wrong) {
    int me = threadIdx.x, key = key_of(me), all = -1;
    unsigned long long peers = lanes_with([=](int other) { return key_of(other) == key; });
    wrong[me] += __match_any(key) != peers;
    wrong[me] += __match_any((double)key * 1e10) != peers;
    wrong[me] += __match_any((long long)key << 40) != peers;
    wrong[me] += __match_any_sync(~0ull, (float)key) != peers;
    wrong[me] += __match_all(key, &all) != 0 || all != 0;
    wrong[me] += __match_all(42u, &all) != all_lanes() || all != 1;
    wrong[me] += __match_all_sync(~0ull, me / 64 + 0.5f, &all) != all_lanes() || all != 1;
}

__global__ void match_in_a_branch(int *wrong) {
    int me = threadIdx.x;
    if (me % 3 == 0) {
        int all = -1;
        unsigned long long odd = lanes_with([=](int i) { return i % 3 == 0 && i % 2 == me % 2; });
        unsigned long long third = lanes_with([](int i) { return i % 3 == 0; });
        wrong[me] += __match_any_sync(third, me % 2) != odd;
        wrong[me] += __match_all_sync(third, 1ull, &all) != third || all != 1;
        wrong[me] += __reduce_add_sync(third, 1) != __popcll(third);
        wrong[me] += __reduce_max_sync(third, me) != me / warpSize * warpSize + 63 - __clzll(third);
    }
}

__global__ void reduce(int *wrong) {
    int me = threadIdx.x, first = me / warpSize * warpSize, last = first + warpSize - 1;
    wrong[me] += __reduce_add_sync(~0ull, me) != (first + last) * warpSize / 2;
    wrong[me] += __reduce_min_sync(~0ull, 100 - me) != 100 - last;
    wrong[me] += __reduce_max_sync(~0ull, (unsigned)me) != (unsigned)last;
    wrong[me] += __reduce_and_sync(~0ull, (unsigned)me | 256u) != (256u | (first & last));
    wrong[me] += __reduce_or_sync(~0ull, 1u << me % 32) != 0xffffffffu;
    wrong[me] += __reduce_xor_sync(~0ull, me % 32 == 3 && me < first + 32 ? 5u : 0u) != 5u;
}

__global__ void groups(int *wrong) {
    int me = threadIdx.x, rank = me % 16, all = -1;
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    wrong[me] += tile.match_any(rank / 4) != 0xfull << rank / 4 * 4;
    wrong[me] += tile.match_all(me / 16, all) != 0xffff || all != 1;
    wrong[me] += tile.match_all(rank, all) != 0 || all != 0;

    cg::coalesced_group half = cg::binary_partition(tile, rank < 6);
    wrong[me] += half.size() != (rank < 6 ? 6u : 10u);
    wrong[me] += half.thread_rank() != (unsigned)(rank < 6 ? rank : rank - 6);
    wrong[me] += half.shfl(me, 0) != me - rank + (rank < 6 ? 0 : 6);
    cg::coalesced_group part = cg::binary_partition(half, rank % 2 == 0);
    wrong[me] += part.size() != (rank < 6 ? 3u : 5u);
    // Of the ranks 0, 2, 4 (1, 3, 5) or 6, 8 ... (7, 9 ...) the first two have the same value.
    unsigned own = part.thread_rank();
    wrong[me] +=
        part.match_any((int)own / 2) != (3ull << own / 2 * 2 & ((1ull << part.size()) - 1));
}

static void run(const char *name, void (*kernel)(int *)) {
    Buffer<int> wrong(threads);
    wrong.zero();
    kernel<<<1, threads>>>(wrong);
    expect_launched();
    expect_all(name, wrong.get(), [](int) { return 0; });
}

int main() {
    run("match", match);
    run("match in a branch", match_in_a_branch);
    run("reduce", reduce);
    run("groups", groups);
    return finish();
}
