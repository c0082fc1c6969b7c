#include <hip/hip_runtime.h>

__global__ void transpose(const float* b, float* bt, int n, int k) {
    __shared__ float tile[16][17];
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row < k && col < n) tile[threadIdx.y][threadIdx.x] = b[row * n + col];
    __syncthreads();
    int tcol = blockIdx.y * 16 + threadIdx.x, trow = blockIdx.x * 16 + threadIdx.y;
    if (trow < n && tcol < k) bt[trow * k + tcol] = tile[threadIdx.x][threadIdx.y];
}

__global__ void __launch_bounds__(256) mm(const float* a, const float* bt, float* c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && col < n) {
        float s = 0.0f;
        for (int i = 0; i < k; ++i) s += a[row * k + i] * bt[col * k + i];
        c[row * n + col] = s;
    }
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    float* bt;
    if (hipMallocAsync(reinterpret_cast<void**>(&bt), sizeof(float) * n * k, nullptr) != hipSuccess) return;
    dim3 block(16, 16);
    transpose<<<dim3((n + 15) / 16, (k + 15) / 16), block>>>(b, bt, n, k);
    mm<<<dim3((n + 15) / 16, (m + 15) / 16), block>>>(a, bt, c, m, n, k);
    hipFreeAsync(bt, nullptr);
}
