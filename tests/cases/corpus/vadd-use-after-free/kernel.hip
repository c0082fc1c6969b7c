#include <hip/hip_runtime.h>

__global__ void copy(const float* from, float* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

__global__ void vadd(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    float* scratch;
    hipMalloc(&scratch, n * sizeof(float));
    copy<<<(n + 255) / 256, 256>>>(a, scratch, n);
    hipFree(scratch);
    vadd<<<(n + 255) / 256, 256>>>(scratch, b, c, n);
}
