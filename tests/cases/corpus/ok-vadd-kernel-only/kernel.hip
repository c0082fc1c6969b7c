#include <hip/hip_runtime.h>

template <typename T>
__device__ T sum(T x, T y) {
    return x + y;
}

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = sum(a[i], b[i]);
}
