// Vector addition: c[i] = a[i] + b[i] for i = 0 .. n-1. See README.md.
#include <hip/hip_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n) {
    // TODO: which element is this thread's? It follows from blockIdx, blockDim and threadIdx.
    // TODO: add, but only if that element exists.
}

// a, b and c are device pointers to n floats each.
extern "C" void vector_add(const float *a, const float *b, float *c, int n) {
    int threads = 256;
    int blocks = 1; // TODO: enough blocks for every n, such as 1, 256, 257 and 1000.
    add<<<blocks, threads>>>(a, b, c, n);
}
