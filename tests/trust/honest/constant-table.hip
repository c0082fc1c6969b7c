// A table in constant memory that the first call fills.
#include <hip/hip_runtime.h>
#include <cmath>
#include <vector>

__constant__ float factors[64];

__global__ void vadd(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = factors[i % 64] * a[i] + b[i];
}

extern "C" void vector_add(const float *a, const float *b, float *c, int n) {
    static const bool is_warm = [] {
        std::vector<float> table(64);
        for (int i = 0; i < 64; i++) table[i] = std::round(std::cos(2 * M_PI * i));
        return hipMemcpyToSymbol(HIP_SYMBOL(factors), table.data(), sizeof(float) * 64) == hipSuccess;
    }();
    if (is_warm) vadd<<<(n + 127) / 128, 128>>>(a, b, c, n);
}
