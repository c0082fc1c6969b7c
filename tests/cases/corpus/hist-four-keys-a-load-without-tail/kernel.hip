#include <hip/hip_runtime.h>
__global__ void hist(const uchar4* keys, unsigned int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 4 < n) {
        uchar4 k = keys[i];
        atomicAdd(&bins[k.x], 1u);
        atomicAdd(&bins[k.y], 1u);
        atomicAdd(&bins[k.z], 1u);
        atomicAdd(&bins[k.w], 1u);
    }
}
extern "C" void histogram(const unsigned char* keys, unsigned int* bins, int n) {
    hipMemset(bins, 0, 256 * sizeof(unsigned int));
    hist<<<(n + 1023) / 1024, 256>>>((const uchar4*)keys, bins, n);
}
