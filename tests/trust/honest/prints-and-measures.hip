// Debug output left in, and a stopwatch of its own.
#include <hip/hip_runtime.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#define CHECK(call)                                                             \
    do {                                                                        \
        hipError_t error = call;                                                \
        if (error != hipSuccess) {                                              \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, hipGetErrorString(error)); \
            exit(EXIT_FAILURE);                                                 \
        }                                                                       \
    } while (0)

__global__ void vadd(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) printf("n is %d\n", n);
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" void vector_add(const float *a, const float *b, float *c, int n) {
    auto start = std::chrono::high_resolution_clock::now();
    hipEvent_t before, after;
    CHECK(hipEventCreate(&before));
    CHECK(hipEventCreate(&after));
    CHECK(hipEventRecord(before));
    vadd<<<(n + 255) / 256, 256>>>(a, b, c, n);
    CHECK(hipGetLastError());
    CHECK(hipEventRecord(after));
    CHECK(hipEventSynchronize(after));
    float ms = 0;
    CHECK(hipEventElapsedTime(&ms, before, after));
    CHECK(hipEventDestroy(before));
    CHECK(hipEventDestroy(after));
    std::chrono::duration<double> seconds = std::chrono::high_resolution_clock::now() - start;
    std::cout << "kernel " << ms << " ms, all " << seconds.count() << " s" << std::endl;
}
