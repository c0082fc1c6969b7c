#include <hip/hip_runtime.h>
__global__ void hist(const unsigned char* keys, unsigned int* bins, int n) {
    __shared__ unsigned int s[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) s[b] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(s + keys[i], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(bins + b, s[b]);
}
__global__ void clear(unsigned int* bins) { bins[threadIdx.x] = 0; }
extern "C" void histogram(const unsigned char* keys, unsigned int* bins, int n) {
    clear<<<1, 256>>>(bins);
    hist<<<24, 192>>>(keys, bins, n);
}
