#include <hip/hip_runtime.h>

constexpr int T = 16;

__global__ void mm(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float As[2][T][T];
    __shared__ float Bs[2][T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    float acc = 0.0f;
    int now = 0;
    As[0][ty][tx] = (row < m && tx < k) ? a[row * k + tx] : 0.0f;
    Bs[0][ty][tx] = (ty < k && col < n) ? b[ty * n + col] : 0.0f;
    __syncthreads();
    for (int p = 0; p < k; p += T) {
        int q = p + T, next = now ^ 1;
        if (q < k) {
            As[next][ty][tx] = (row < m && q + tx < k) ? a[row * k + q + tx] : 0.0f;
            Bs[next][ty][tx] = (q + ty < k && col < n) ? b[(q + ty) * n + col] : 0.0f;
        }
        for (int i = 0; i < T; ++i) acc += As[now][ty][i] * Bs[now][i][tx];
        __syncthreads();
        now = next;
    }
    if (row < m && col < n) c[row * n + col] = acc;
}

extern "C" void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);
    mm<<<grid, block>>>(a, b, c, m, n, k);
}
