#include <hip/hip_runtime.h>
__device__ float tf(float x) { return __int_as_float(__float_as_int(x) & 0xffffe000); }
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N) return;
    float s = 0;
    for (int k = 0; k < K; ++k) s += tf(A[row * K + k]) * tf(B[k * N + col]);
    C[row * N + col] = s;
}
extern "C" void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    mm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}
