#include <hip/hip_runtime.h>
__global__ void accumulate(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] += a[i];
}
extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    hipStream_t work, clear;
    hipStreamCreate(&work);
    hipStreamCreate(&clear);
    hipMemsetAsync(c, 0, n * sizeof(float), clear);
    accumulate<<<(n + 255) / 256, 256, 0, work>>>(a, c, n);
    accumulate<<<(n + 255) / 256, 256, 0, work>>>(b, c, n);
    hipDeviceSynchronize();
    hipStreamDestroy(work);
    hipStreamDestroy(clear);
}
