#include <hip/hip_runtime.h>
__global__ void mm(const float *a, const float *b, float *c, int n, int k) {
    __shared__ float row[1024];
    for (int i = threadIdx.x; i < k; i += blockDim.x) row[i] = a[blockIdx.x * k + i];
    __syncthreads();
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        float s = 0;
        for (int i = 0; i < k; ++i) s += row[i] * b[i * n + j];
        c[blockIdx.x * n + j] = s;
    }
}
extern "C" void matmul(const float *a, const float *b, float *c, int m, int n, int k) { mm<<<m, 256>>>(a, b, c, n, k); }
