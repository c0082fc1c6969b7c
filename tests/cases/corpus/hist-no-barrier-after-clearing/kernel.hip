#include <hip/hip_runtime.h>
__global__ void hist(const unsigned char* keys, unsigned int* bins, int n) {
    __shared__ unsigned int s[256];
    s[threadIdx.x] = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        atomicAdd(&s[keys[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
extern "C" void histogram(const unsigned char* keys, unsigned int* bins, int n) {
    hipMemset(bins, 0, 256 * sizeof(unsigned int));
    hist<<<8, 256>>>(keys, bins, n);
}
