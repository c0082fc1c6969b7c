#include <hip/hip_runtime.h>
#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

struct Range {
    int first, last, step, length, spare;
    __device__ Range(int from, int to, int by)
        : first(from), last(to), step(by), length(to - from), spare(0) {}
};

__device__ float sum_of(Range range, const float *in) {
    float sum = 0;
    for (int i = range.first; i < range.last; i += range.step) {
        sum += in[i];
    }
    return sum;
}

template <class Group> __device__ float sum_over(Group group, float value) {
    for (unsigned distance = group.size() / 2; distance > 0; distance /= 2) {
        value += group.shfl_down(value, distance);
    }
    return value;
}

__global__ void clear(float *sum) { *sum = 0; }

__global__ void add_up(const float *in, float *sum, int n) {
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    Range range(blockIdx.x * blockDim.x + threadIdx.x, n, gridDim.x * blockDim.x);
    float own = sum_over(tile, sum_of(range, in));
    if (tile.thread_rank() == 0) {
        atomicAdd(sum, own);
    }
}

extern "C" void reduction(const float *in, float *sum, int n) {
    clear<<<1, 1>>>(sum);
    add_up<<<8, 128>>>(in, sum, n);
}
