#include <hip/hip_runtime.h>

// A grid-stride loop that forgot its stride.
__global__ void add(const float* a, const float* b, float* c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 0) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
