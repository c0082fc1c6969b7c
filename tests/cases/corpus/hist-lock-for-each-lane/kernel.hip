#include <hip/hip_runtime.h>

__device__ int locks[256];

__global__ void clear(unsigned int *bins) { bins[threadIdx.x] = 0; }

__global__ void count_keys(const unsigned char *keys, unsigned int *bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int key = keys[i];
        while (atomicCAS(&locks[key], 0, 1) != 0) {
        }
        __threadfence();
        bins[key] = bins[key] + 1;
        __threadfence();
        atomicExch(&locks[key], 0);
    }
}

extern "C" void histogram(const unsigned char *keys, unsigned int *bins, int n) {
    clear<<<1, 256>>>(bins);
    count_keys<<<16, 128>>>(keys, bins, n);
}
