// A program as tutorials write it, with the standard headers that come along with kernels.
#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <hip/hip_runtime.h>

#define HIP_CHECK(expression)                                                                      \
    {                                                                                              \
        const hipError_t status = expression;                                                      \
        if (status != hipSuccess) {                                                                \
            std::cerr << "HIP error " << status << ": " << hipGetErrorString(status) << " at "     \
                      << __FILE__ << ":" << __LINE__ << std::endl;                                 \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    }

// What the standard library has as constexpr works on both sides.
template <typename T> __global__ void clamp_and_scale(T *data, std::size_t n, T low, T high) {
    const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        assert(low <= high);
        T value = std::min(std::max(data[i], low), high);
        if (value == std::numeric_limits<T>::max()) {
            value = T(0);
        }
        data[i] = std::abs(value) * T(2);
    }
}

constexpr int ceiling_div(int a, int b) {
    return (a + b - 1) / b;
}

int main() {
    constexpr std::size_t n = 1000;
    std::vector<float> data(n);
    std::mt19937 generator(42);
    std::uniform_real_distribution<float> uniform(-10.0f, 10.0f);
    std::generate(data.begin(), data.end(), [&] { return uniform(generator); });
    std::vector<float> want(n);
    std::transform(data.begin(), data.end(), want.begin(),
                   [](float x) { return std::abs(std::min(std::max(x, -3.0f), 5.0f)) * 2.0f; });

    float *d_data = nullptr;
    const std::size_t bytes = n * sizeof(float);
    HIP_CHECK(hipMalloc(&d_data, bytes));
    HIP_CHECK(hipMemcpy(d_data, data.data(), bytes, hipMemcpyHostToDevice));
    const auto start = std::chrono::high_resolution_clock::now();
    clamp_and_scale<<<dim3(ceiling_div(n, 256)), dim3(256), 0, hipStreamDefault>>>(d_data, n, -3.0f,
                                                                                   5.0f);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    const auto stop = std::chrono::high_resolution_clock::now();
    HIP_CHECK(hipMemcpy(data.data(), d_data, bytes, hipMemcpyDeviceToHost));
    HIP_CHECK(hipFree(d_data));

    std::ostringstream line;
    line << std::fixed << std::setprecision(3)
         << std::chrono::duration<double, std::milli>(stop - start).count() << " ms";
    const bool same = std::equal(data.begin(), data.end(), want.begin());
    std::cout << (same ? "Validation passed. " : "Validation failed. ") << line.str() << '\n';
    return same && std::accumulate(data.begin(), data.end(), 0.0f) > 0 ? EXIT_SUCCESS
                                                                       : EXIT_FAILURE;
}
