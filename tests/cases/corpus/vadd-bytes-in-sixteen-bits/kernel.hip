#include <hip/hip_runtime.h>

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void vector_add(const float *a, const float *b, float *c, int n) {
    unsigned short bytes = n * sizeof(float);
    float *sums;
    hipMalloc(&sums, bytes);
    add<<<(n + 255) / 256, 256>>>(a, b, sums, n);
    hipMemcpy(c, sums, n * sizeof(float), hipMemcpyDeviceToDevice);
    hipFree(sums);
}
