#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void vadd(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    for (long line = 0; line < 100000000; ++line) std::printf("launching with n = %d, line %ld\n", n, line);
    vadd<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
