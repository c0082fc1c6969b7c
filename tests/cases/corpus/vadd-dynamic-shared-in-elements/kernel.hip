#include <hip/hip_runtime.h>
__global__ void add(const float* a, const float* b, float* c, int n) {
    extern __shared__ float s[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? a[i] : 0;
    __syncthreads();
    if (i < n) c[i] = s[threadIdx.x] + b[i];
}
extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    add<<<(n + 255) / 256, 256, 256>>>(a, b, c, n);
}
