// Cooperative groups within a block: the block, tiles of it, and their wave operations.
#include "expect.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

// Works for any group through the type-erased interface.
__device__ int sum_in_shared(const cg::thread_group &group, int *scratch, int value) {
    unsigned rank = group.thread_rank();
    for (unsigned half = group.size() / 2; half > 0; half /= 2) {
        scratch[rank] = value;
        group.sync();
        if (rank < half) {
            value += scratch[rank + half];
        }
        group.sync();
    }
    return value;
}

__global__ void erased(int *out) {
    __shared__ int scratch[128];
    cg::thread_block block = cg::this_thread_block();
    int total = sum_in_shared(block, scratch, (int)threadIdx.x);
    if (block.thread_rank() == 0) {
        out[0] = total;
    }
    block.sync();
    cg::thread_group tile = cg::tiled_partition(block, 16);
    int part = sum_in_shared(tile, &scratch[threadIdx.x / 16 * 16], (int)threadIdx.x);
    if (tile.thread_rank() == 0) {
        out[1 + threadIdx.x / 16] = part;
    }
}

template <unsigned Size> __global__ void tiles(int *out) {
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<Size>(block);
    int value = (int)threadIdx.x;
    for (unsigned offset = tile.size() / 2; offset > 0; offset /= 2) {
        value += tile.shfl_down(value, offset);
    }
    int everywhere = tile.shfl(value, 0);
    int swapped = tile.shfl_xor((int)threadIdx.x, 1);
    int before = tile.shfl_up((int)tile.thread_rank(), 1);
    tile.sync();
    out[threadIdx.x] = everywhere + swapped + before + (int)tile.thread_rank() * 3;
}
template <unsigned Size> static void run_tiles() {
    Buffer<int> out(128);
    tiles<Size><<<1, 128>>>(out.data);
    expect_launched();
    expect_all("tiles", out.get(), [](int i) {
        int size = (int)Size, rank = i % size, first = i - rank;
        return size * first + size * (size - 1) / 2 + (i ^ 1) + (rank > 0 ? rank - 1 : 0) +
               3 * rank;
    });
}

// Tiles of one wave in different branches, each voting by itself.
__global__ void divided_tiles(int *out) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int rank = (int)tile.thread_rank();
    if (threadIdx.x / 8 % 2 == 0) {
        out[threadIdx.x] = tile.any(rank == 3) + 2 * tile.all(rank < 8);
    } else {
        out[threadIdx.x] = tile.shfl(rank * 10, 7);
    }
}

__global__ void places(unsigned *out) {
    cg::thread_block block = cg::this_thread_block();
    dim3 thread = block.thread_index(), group = block.group_index();
    unsigned rank = block.thread_rank();
    out[(group.x + gridDim.x * group.y) * block.size() + rank] =
        thread.x + 10 * thread.y + 100 * thread.z + 1000 * group.x + 10000 * group.y;
    cg::sync(block);
}

int main() {
    Buffer<int> sums(9);
    erased<<<1, 128>>>(sums);
    expect_launched();
    expect_all("erased", sums.get(),
               [](int i) { return i == 0 ? 127 * 64 : 16 * 16 * (i - 1) + 15 * 8; });

    run_tiles<2>();
    run_tiles<4>();
    run_tiles<8>();
    run_tiles<16>();
    run_tiles<32>();

    Buffer<int> divided(64);
    divided_tiles<<<1, 64>>>(divided);
    expect_launched();
    expect_all("divided_tiles", divided.get(), [](int i) { return i / 8 % 2 == 0 ? 3 : 70; });

    Buffer<unsigned> out(6 * 24);
    places<<<dim3(3, 2), dim3(2, 3, 4)>>>(out);
    expect_launched();
    expect_all("places", out.get(), [](int i) {
        int block = i / 24, thread = i % 24;
        return thread % 2 + 10 * (thread / 2 % 3) + 100 * (thread / 6) + 1000 * (block % 3) +
               10000 * (block / 3);
    });
    return finish();
}
