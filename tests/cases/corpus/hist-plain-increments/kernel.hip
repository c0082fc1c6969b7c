#include <hip/hip_runtime.h>
__global__ void histogram_kernel(const unsigned char* keys, unsigned int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bins[keys[i]]++;
}
extern "C" void histogram(const unsigned char* keys, unsigned int* bins, int n) {
    hipMemset(bins, 0, 256 * sizeof(unsigned int));
    histogram_kernel<<<(n + 255) / 256, 256>>>(keys, bins, n);
}
