#include <hip/hip_runtime.h>

__device__ unsigned int finished;

// The block that finishes last resets the counter: a fence, then an atomic.
__global__ void vadd(const float* a, const float* b, float* c, int n) {
    __shared__ bool last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(&finished, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) finished = 0;
}

extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    vadd<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
