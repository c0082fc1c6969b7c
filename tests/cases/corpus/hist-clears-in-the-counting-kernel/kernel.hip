#include <hip/hip_runtime.h>
__global__ void hist(const unsigned char* keys, unsigned int* bins, int n) {
    if (blockIdx.x == 0) bins[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) atomicAdd(&bins[keys[i]], 1u);
}
extern "C" void histogram(const unsigned char* keys, unsigned int* bins, int n) {
    hist<<<(n + 255) / 256, 256>>>(keys, bins, n);
}
