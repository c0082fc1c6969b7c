#include <hip/hip_runtime.h>
// A tree in shared memory whose last steps trust lockstep execution without volatile or barriers.
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float s[64];
    int row = blockIdx.y, col = blockIdx.x, t = threadIdx.x;
    float v = 0;
    for (int k = t; k < K; k += 64) v += A[row * K + k] * B[k * N + col];
    s[t] = v;
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    if (t == 0) C[row * N + col] = s[0];
}
extern "C" void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    mm<<<dim3(N, M), 64>>>(A, B, C, M, N, K);
}
