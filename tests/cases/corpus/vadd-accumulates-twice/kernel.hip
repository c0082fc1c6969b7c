#include <hip/hip_runtime.h>

__global__ void first(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i];
}
__global__ void second(const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] += b[i];
}

extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    first<<<(n + 255) / 256, 256>>>(a, c, n);
    second<<<(n + 255) / 256, 256>>>(b, c, n);
    second<<<(n + 255) / 256, 256>>>(b, c, n);
}
