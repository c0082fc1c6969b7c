#include <hip/hip_runtime.h>

constexpr int R = 4;

__global__ void mm(const float* a, const float* b, float* c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col0 = (blockIdx.x * blockDim.x + threadIdx.x) * R;
    if (row >= m) return;
    float acc[R];
    for (int j = 0; j <= R; ++j) acc[j] = 0.0f;
    for (int i = 0; i < k; ++i)
        for (int j = 0; j < R; ++j)
            if (col0 + j < n) acc[j] += a[row * k + i] * b[i * n + col0 + j];
    for (int j = 0; j < R; ++j)
        if (col0 + j < n) c[row * n + col0 + j] = acc[j];
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 block(16, 16), grid((n + 16 * R - 1) / (16 * R), (m + 15) / 16);
    mm<<<grid, block>>>(a, b, c, m, n, k);
}
