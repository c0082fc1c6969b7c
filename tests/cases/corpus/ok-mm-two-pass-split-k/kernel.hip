#include <hip/hip_runtime.h>
__global__ void part(const float* A, const float* B, float* W, int M, int N, int K, int S) {
    int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x, z = blockIdx.z;
    if (row >= M || col >= N) return;
    int per = (K + S - 1) / S, k1 = min(K, (z + 1) * per);
    float s = 0;
    for (int k = z * per; k < k1; ++k) s += A[row * K + k] * __ldg(&B[k * N + col]);
    W[((size_t)z * M + row) * N + col] = s;
}
__global__ void reduce(const float* W, float* C, int total, int S) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        float s = 0;
        for (int z = 0; z < S; ++z) s += W[(size_t)z * total + i];
        C[i] = s;
    }
}
extern "C" void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    const int S = 5;
    float* W = nullptr;
    if (hipMalloc(&W, sizeof(float) * S * M * N) != hipSuccess) return;
    part<<<dim3((N + 31) / 32, (M + 7) / 8, S), dim3(32, 8)>>>(A, B, W, M, N, K, S);
    reduce<<<64, 256>>>(W, C, M * N, S);
    hipFree(W);
}
