#include <hip/hip_runtime.h>
#define TILE 32
__global__ void __launch_bounds__(TILE * 8) gemmKernel(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
    __shared__ float As[TILE][TILE + 1];
    __shared__ float Bs[TILE][TILE + 1];
    const int col = blockIdx.x * TILE + threadIdx.x;
    float acc[4] = {0.f, 0.f, 0.f, 0.f};
    for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
#pragma unroll
        for (int r = 0; r < 4; ++r) {
            int y = threadIdx.y + r * 8, row = blockIdx.y * TILE + y, k = t * TILE + threadIdx.x;
            As[y][threadIdx.x] = row < M && k < K ? A[(size_t)row * K + k] : 0.f;
            int kb = t * TILE + y;
            Bs[y][threadIdx.x] = kb < K && col < N ? B[(size_t)kb * N + col] : 0.f;
        }
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
#pragma unroll
            for (int r = 0; r < 4; ++r) acc[r] = fmaf(As[threadIdx.y + r * 8][k], Bs[k][threadIdx.x], acc[r]);
        __syncthreads();
    }
    for (int r = 0; r < 4; ++r) {
        int row = blockIdx.y * TILE + threadIdx.y + r * 8;
        if (row < M && col < N) C[(size_t)row * N + col] = acc[r];
    }
}
extern "C" void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    gemmKernel<<<dim3((N + TILE - 1) / TILE, (M + TILE - 1) / TILE), dim3(TILE, 8)>>>(A, B, C, M, N, K);
}
