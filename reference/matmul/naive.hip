// The baseline that speedup is measured against: one thread an element, no shared memory.
#include <hip/hip_runtime.h>

__global__ void matmul_naive(const float *a, const float *b, float *c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int p = 0; p < k; ++p) {
            sum += a[row * k + p] * b[p * n + column];
        }
        c[row * n + column] = sum;
    }
}

extern "C" void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
    dim3 block(16, 16);
    dim3 grid((n + block.x - 1) / block.x, (m + block.y - 1) / block.y);
    matmul_naive<<<grid, block>>>(a, b, c, m, n, k);
}
