// Grids and blocks of one, two and three dimensions: every thread runs once and knows its place.
#include "expect.h"

__global__ void count_visits(int *visits, int *sizes) {
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned block_size = blockDim.x * blockDim.y * blockDim.z;
    visits[block * block_size + thread] += 1;
    if (block == 0 && thread == 0) {
        sizes[0] = (int)gridDim.x;
        sizes[1] = (int)gridDim.y;
        sizes[2] = (int)gridDim.z;
        sizes[3] = (int)blockDim.x;
        sizes[4] = (int)blockDim.y;
        sizes[5] = (int)blockDim.z;
    }
}

static void run(dim3 grid, dim3 block) {
    size_t n = (size_t)grid.x * grid.y * grid.z * block.x * block.y * block.z;
    Buffer<int> visits(n), sizes(6);
    visits.zero();
    count_visits<<<grid, block>>>(visits, sizes);
    expect_launched();
    expect_all("visits", visits.get(), [](int) { return 1; });
    std::vector<int> seen = sizes.get();
    EXPECT_EQ(seen[0], (int)grid.x);
    EXPECT_EQ(seen[1], (int)grid.y);
    EXPECT_EQ(seen[2], (int)grid.z);
    EXPECT_EQ(seen[3], (int)block.x);
    EXPECT_EQ(seen[4], (int)block.y);
    EXPECT_EQ(seen[5], (int)block.z);
}

// The built-in variables as values, and the older HIP spelling.
__device__ unsigned flatten(dim3 at, dim3 size) {
    return at.x + size.x * (at.y + size.y * at.z);
}

__global__ void as_values(unsigned *out) {
    dim3 me = threadIdx;
    uint3 mine = threadIdx;
    const dim3 block = blockDim;
    auto copy = blockIdx;
    unsigned rank = flatten(threadIdx, blockDim);
    unsigned same =
        hipThreadIdx_x + hipBlockDim_x * (hipThreadIdx_y + hipBlockDim_y * hipThreadIdx_z);
    unsigned base = (hipBlockIdx_x + hipGridDim_x * hipBlockIdx_y) * block.x * block.y * block.z;
    out[base + rank] =
        me.x + mine.y * 10 + me.z * 100 + copy.x * 1000 + (same == rank ? 100000 : 0);
}

int main() {
    run(dim3(1), dim3(1));
    run(dim3(5), dim3(256));
    run(dim3(3, 7), dim3(16, 16));
    run(dim3(2, 3, 4), dim3(4, 3, 5));
    run(dim3(1, 1, 9), dim3(1, 1, 64));
    run(dim3(2), dim3(1024));
    run(dim3(300, 2), dim3(1, 33));

    Buffer<unsigned> out(2 * 24);
    as_values<<<2, dim3(2, 3, 4)>>>(out);
    expect_launched();
    expect_all("as_values", out.get(), [](int i) {
        int thread = i % 24, x = thread % 2, y = thread / 2 % 3, z = thread / 6;
        return x + 10 * y + 100 * z + 1000 * (i / 24) + 100000;
    });
    return finish();
}
