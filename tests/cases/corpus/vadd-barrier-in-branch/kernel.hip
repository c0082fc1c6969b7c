#include <hip/hip_runtime.h>

__global__ void vadd(const float* a, const float* b, float* c, int n) {
    __shared__ float stage[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    stage[threadIdx.x] = i < n ? a[i] : 0.0f;
    if (threadIdx.x % 2 == 0) {
        __syncthreads();
    } else {
        __syncthreads();
    }
    if (i < n) c[i] = stage[threadIdx.x] + b[i];
}

extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    vadd<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
