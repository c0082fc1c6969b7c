#include <hip/hip_runtime.h>

__global__ void mm(const float* a, const float* b, float* c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && col < n) {
        double s = 0.0;
        for (int i = 0; i < k; ++i) s += double(a[row * k + i]) * double(b[i * n + col]);
        c[row * n + col] = float(s);
    }
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);
    mm<<<grid, block>>>(a, b, c, m, n, k);
}
