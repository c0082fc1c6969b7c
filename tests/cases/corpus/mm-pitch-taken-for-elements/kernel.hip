#include <hip/hip_runtime.h>
__global__ void mm(const float* A, size_t pa, const float* B, float* C, int M, int N, int K) {
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= M || col >= N) return;
    float s = 0;
    for (int k = 0; k < K; ++k) s += A[row * pa + k] * B[k * N + col];
    C[row * N + col] = s;
}
extern "C" void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    void* p; size_t pitch;
    hipMallocPitch(&p, &pitch, K * sizeof(float), M);
    hipMemcpy2D(p, pitch, A, K * sizeof(float), K * sizeof(float), M, hipMemcpyDeviceToDevice);
    mm<<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>((float*)p, pitch, B, C, M, N, K);
    hipFree(p);
}
