#include <hip/hip_runtime.h>
#define T 16
// Single buffered tile with the next tile loaded in registers, but no barrier before the store.
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[T][T], Bs[T][T];
    int ty = threadIdx.y, tx = threadIdx.x, row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
    auto la = [&](int p) { return row < M && p + tx < K ? A[row * K + p + tx] : 0.f; };
    auto lb = [&](int p) { return col < N && p + ty < K ? B[(p + ty) * N + col] : 0.f; };
    float s = 0, ra = la(0), rb = lb(0);
    for (int p = 0; p < K; p += T) {
        As[ty][tx] = ra;
        Bs[ty][tx] = rb;
        __syncthreads();
        ra = la(p + T);
        rb = lb(p + T);
        for (int k = 0; k < T; ++k) s += As[ty][k] * Bs[k][tx];
    }
    if (row < M && col < N) C[row * N + col] = s;
}
extern "C" void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    mm<<<dim3((N + T - 1) / T, (M + T - 1) / T), dim3(T, T)>>>(A, B, C, M, N, K);
}
