#include <hip/hip_runtime.h>
__global__ void hist(const unsigned char* keys, unsigned int* bins, int n) {
    __shared__ unsigned int s[256];
    int t = threadIdx.x;
    if (t < 256) s[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64)
        atomicAdd(&s[keys[i]], 1u);
    __syncthreads();
    for (int b = t; b < 256; b += 64) atomicAdd(&bins[b], s[b]);
}
extern "C" void histogram(const unsigned char* keys, unsigned int* bins, int n) {
    hipMemset(bins, 0, 256 * sizeof(unsigned int));
    hist<<<16, 64>>>(keys, bins, n);
}
