// The baseline that speedup is measured against: one thread an element.
#include <hip/hip_runtime.h>

__global__ void vector_add_naive(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void vector_add(const float *a, const float *b, float *c, int n) {
    const int block = 256;
    vector_add_naive<<<(n + block - 1) / block, block>>>(a, b, c, n);
}
