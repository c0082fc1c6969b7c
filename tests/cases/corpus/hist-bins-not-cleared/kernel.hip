#include <hip/hip_runtime.h>
// Counts on top of whatever bins holds.
__global__ void histogram_kernel(const unsigned char* keys, unsigned int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[keys[i]], 1u);
}
extern "C" void histogram(const unsigned char* keys, unsigned int* bins, int n) {
    histogram_kernel<<<(n + 255) / 256, 256>>>(keys, bins, n);
}
