// What an excellent student could hand in: each thread adds up many elements in registers, 16 bytes
// a load, before anything is shared; lanes are added by shuffles, warps through shared memory, and
// blocks by a second kernel of one block. No atomics, so that the same input gives the same sum.
//
// Shuffles go over 32 lanes: that is a warp or half a wave of 64.
#include <hip/hip_runtime.h>

#include <cstdint>

namespace {

constexpr int kBlock = 256;
constexpr int kLanes = 32;
constexpr int kMaxBlocks = 1024;

__device__ float partial_sums[kMaxBlocks];

__device__ float sum_of_lanes(float value) {
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
        value += __shfl_down(value, distance, kLanes);
    }
    return value;
}

// The sum over the block, in thread 0. Called once a kernel.
__device__ float sum_of_block(float value) {
    __shared__ float warps[kBlock / kLanes];
    value = sum_of_lanes(value);
    if (threadIdx.x % kLanes == 0) {
        warps[threadIdx.x / kLanes] = value;
    }
    __syncthreads();
    if (threadIdx.x < kLanes) {
        value = sum_of_lanes(threadIdx.x < kBlock / kLanes ? warps[threadIdx.x] : 0.0f);
    }
    return value;
}

// quads: how many groups of four are read as float4; 0 where in is not aligned.
__global__ __launch_bounds__(kBlock) void sum_parts(const float *__restrict__ in, unsigned quads,
                                                    unsigned n) {
    const unsigned stride = gridDim.x * kBlock;
    const unsigned first = blockIdx.x * kBlock + threadIdx.x;
    const float4 *in4 = reinterpret_cast<const float4 *>(in);
    float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (unsigned i = first; i < quads; i += stride) {
        const float4 x = in4[i];
        four.x += x.x;
        four.y += x.y;
        four.z += x.z;
        four.w += x.w;
    }
    float sum = (four.x + four.y) + (four.z + four.w);
    for (unsigned i = quads * 4 + first; i < n; i += stride) {
        sum += in[i];
    }
    sum = sum_of_block(sum);
    if (threadIdx.x == 0) {
        partial_sums[blockIdx.x] = sum;
    }
}

__global__ __launch_bounds__(kBlock) void sum_of_parts(float *sum, int parts) {
    float value = 0.0f;
    for (int i = threadIdx.x; i < parts; i += kBlock) {
        value += partial_sums[i];
    }
    value = sum_of_block(value);
    if (threadIdx.x == 0) {
        *sum = value;
    }
}

} // namespace

extern "C" void reduction(const float *in, float *sum, int n) {
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(in) % sizeof(float4) == 0;
    const int wanted = (n + 4 * kBlock - 1) / (4 * kBlock);
    const int blocks = wanted < kMaxBlocks ? wanted : kMaxBlocks;
    sum_parts<<<blocks, kBlock>>>(in, is_aligned ? n / 4 : 0, n);
    sum_of_parts<<<1, kBlock>>>(sum, blocks);
}
