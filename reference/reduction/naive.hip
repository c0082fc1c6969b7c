// The baseline that speedup is measured against: a tree in shared memory whose active threads lie
// ever further apart, one element a thread, and an atomic addition a block.
#include <hip/hip_runtime.h>

static const int block = 256;

__global__ void reduction_naive(const float *in, float *sum, int n) {
    __shared__ float terms[block];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    terms[threadIdx.x] = i < n ? in[i] : 0.0f;
    for (int step = 1; step < block; step *= 2) {
        __syncthreads();
        if (threadIdx.x % (2 * step) == 0) {
            terms[threadIdx.x] += terms[threadIdx.x + step];
        }
    }
    if (threadIdx.x == 0) {
        atomicAdd(sum, terms[0]);
    }
}

extern "C" void reduction(const float *in, float *sum, int n) {
    (void)hipMemsetAsync(sum, 0, sizeof *sum, 0);
    reduction_naive<<<(n + block - 1) / block, block>>>(in, sum, n);
}
