#include <hip/hip_runtime.h>

constexpr int T = 16;

__global__ void mm(const float* a, const float* b, float* c, int m, int n, int k) {
    extern __shared__ float tiles[];
    float* As = tiles;
    float* Bs = tiles + T * T;
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    float acc = 0.0f;
    for (int p = 0; p < k; p += T) {
        As[ty * T + tx] = (row < m && p + tx < k) ? a[row * k + p + tx] : 0.0f;
        Bs[ty * T + tx] = (p + ty < k && col < n) ? b[(p + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < T; ++i) acc += As[ty * T + i] * Bs[i * T + tx];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = acc;
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);
    mm<<<grid, block, T * T * sizeof(float)>>>(a, b, c, m, n, k);
}
