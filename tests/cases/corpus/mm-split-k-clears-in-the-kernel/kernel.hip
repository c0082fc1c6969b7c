#include <hip/hip_runtime.h>

__global__ void mm(const float* a, const float* b, float* c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int part = (k + gridDim.z - 1) / gridDim.z;
    int first = blockIdx.z * part;
    if (row < m && col < n) {
        if (blockIdx.z == 0) c[row * n + col] = 0.0f;
        float s = 0.0f;
        for (int i = first; i < k && i < first + part; ++i) s += a[row * k + i] * b[i * n + col];
        atomicAdd(&c[row * n + col], s);
    }
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16, 4);
    mm<<<grid, block>>>(a, b, c, m, n, k);
}
