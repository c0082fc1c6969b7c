#include <hip/hip_runtime.h>

__device__ volatile float ends[4096];
__device__ volatile int ready[4096];

__global__ void clear() {
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) ready[i] = 0;
}

__global__ void sums(const float *in, float *out, int n) {
    if (threadIdx.x != 0) return;
    int block = blockIdx.x;
    float sum = 0;
    if (block > 0) {
        while (ready[block - 1] == 0) {}
        sum = ends[block - 1];
    }
    for (int i = block * 256; i < n && i < (block + 1) * 256; i++) {
        sum += in[i];
        out[i] = sum;
    }
    ends[block] = sum;
    __threadfence();
    ready[block] = 1;
}

extern "C" void scan(const float *in, float *out, int n) {
    clear<<<1, 256>>>();
    sums<<<(n + 255) / 256, 64>>>(in, out, n);
}
