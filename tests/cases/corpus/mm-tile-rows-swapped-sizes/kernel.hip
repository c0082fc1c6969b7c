#include <hip/hip_runtime.h>

constexpr int TM = 32, TN = 8, TK = 8;

__global__ void mm(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float As[TM][TK];
    __shared__ float Bs[TK][TN];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TM + ty, col = blockIdx.x * TN + tx;
    float acc = 0.0f;
    for (int p = 0; p < k; p += TK) {
        As[tx][ty] = (row < m && p + tx < k) ? a[row * k + p + tx] : 0.0f;
        if (ty < TK) Bs[ty][tx] = (p + ty < k && col < n) ? b[(p + ty) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TK; ++i) acc += As[i][ty] * Bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = acc;
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 block(TN, TM), grid((n + TN - 1) / TN, (m + TM - 1) / TM);
    mm<<<grid, block>>>(a, b, c, m, n, k);
}
