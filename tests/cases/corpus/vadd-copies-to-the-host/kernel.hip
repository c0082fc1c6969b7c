#include <hip/hip_runtime.h>

#include <vector>

extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    std::vector<float> x(n), y(n);
    hipMemcpy(x.data(), a, n * sizeof(float), hipMemcpyDeviceToHost);
    hipMemcpy(y.data(), b, n * sizeof(float), hipMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) x[i] += y[i];
    hipMemcpy(c, x.data(), n * sizeof(float), hipMemcpyHostToDevice);
}
