// Matrix multiplication: c = a * b, all row-major. See README.md.
#include <hip/hip_runtime.h>

__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    // TODO: which row and column of c are this thread's?
    // TODO: sum the products along k, but only if that element exists.
    // Later: load tiles of a and b into __shared__ memory, so that each value is read once a tile.
}

// a (m x k), b (k x n) and c (m x n) are device pointers.
extern "C" void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
    dim3 threads(16, 16);
    dim3 blocks(1, 1); // TODO: enough blocks for every m and n, such as 1, 16, 17 and 1000.
    multiply<<<blocks, threads>>>(a, b, c, m, n, k);
}
