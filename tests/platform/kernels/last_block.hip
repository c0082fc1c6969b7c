// One launch that sums everything: blocks publish partial sums behind a fence, and whichever block
// draws the last ticket adds them up. Right in any order of blocks.
#include "expect.h"

__device__ unsigned finished_blocks = 0;

__global__ void sum(const float *in, int n, float *partial, float *total) {
    __shared__ float values[128];
    __shared__ bool is_last;
    int t = threadIdx.x;
    float mine = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        mine += in[i];
    }
    values[t] = mine;
    __syncthreads();
    for (int stride = 64; stride > 0; stride /= 2) {
        if (t < stride) {
            values[t] += values[t + stride];
        }
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = values[0];
        __threadfence();
        unsigned ticket = atomicInc(&finished_blocks, gridDim.x - 1);
        __threadfence();
        is_last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && t == 0) {
        float all = 0.0f;
        for (unsigned b = 0; b < gridDim.x; b++) {
            all += partial[b];
        }
        *total = all;
    }
}

int main() {
    std::vector<float> numbers(10007);
    double want = 0;
    for (int i = 0; i < 10007; i++) {
        numbers[i] = (float)(i % 17);
        want += numbers[i];
    }
    Buffer<float> in(numbers), partial(12), total(1);
    for (int round = 0; round < 3; round++) {
        sum<<<12, 128>>>(in, 10007, partial, total);
        expect_launched();
        EXPECT_EQ(total.get()[0], (float)want);
    }
    return finish();
}
