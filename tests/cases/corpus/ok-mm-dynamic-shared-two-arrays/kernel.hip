#include <hip/hip_runtime.h>

extern __shared__ float tiles[];

template <int T>
__global__ void mm(const float* a, const float* b, float* c, int m, int n, int k) {
    float* As = tiles;
    float* Bs = tiles + T * (T + 1);
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    float acc = 0.0f;
    for (int p = 0; p < k; p += T) {
        As[ty * (T + 1) + tx] = (row < m && p + tx < k) ? a[row * k + p + tx] : 0.0f;
        Bs[ty * T + tx] = (p + ty < k && col < n) ? b[(p + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < T; ++i) acc += As[ty * (T + 1) + i] * Bs[i * T + tx];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = acc;
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    constexpr int T = 16;
    dim3 block(T, T), grid((n + T - 1) / T, (m + T - 1) / T);
    mm<T><<<grid, block, (T * (T + 1) + T * T) * sizeof(float)>>>(a, b, c, m, n, k);
}
