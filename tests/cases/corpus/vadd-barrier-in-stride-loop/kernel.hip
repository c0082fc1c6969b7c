#include <hip/hip_runtime.h>
// Grid-stride loop with a barrier inside: the last round is not run by all threads.
__global__ void add(const float* a, const float* b, float* c, int n) {
    __shared__ float s[256];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        s[threadIdx.x] = a[i] + b[i];
        __syncthreads();
        c[i] = s[threadIdx.x];
    }
}
extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    add<<<2, 256>>>(a, b, c, n);
}
