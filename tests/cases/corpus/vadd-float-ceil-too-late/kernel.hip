#include <hip/hip_runtime.h>
#include <cmath>
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    int blocks = (int)ceil(n / 256);
    add<<<blocks, 256>>>(a, b, c, n);
}
