/* A program around one kernel of the corpus, for compute-sanitizer: some sizes, data that say little, no checking. */
#include <cstdio>
#include <vector>
#include <hip/hip_runtime.h>

#ifdef MATMUL
extern "C" void matmul(const float *a, const float *b, float *c, int m, int n, int k);
#else
extern "C" void vector_add(const float *a, const float *b, float *c, int n);
#endif

static float *make(size_t count, bool is_filled) {
    float *device = nullptr;
    hipMalloc((void **)&device, count * sizeof(float));
    if (is_filled) { // an output is not: reading it is what initcheck finds
        std::vector<float> host(count);
        for (size_t i = 0; i < count; i++) host[i] = (float)(i * 2654435761u % 1000) / 500 - 1;
        hipMemcpy(device, host.data(), count * sizeof(float), hipMemcpyHostToDevice);
    }
    return device;
}

static void take(float *c, size_t count) {
    std::vector<float> host(count);
    hipMemcpy(host.data(), c, count * sizeof(float), hipMemcpyDeviceToHost);
}

static void call(int m, int n, int k) {
#ifdef MATMUL
    float *a = make((size_t)m * k, true), *b = make((size_t)k * n, true), *c = make((size_t)m * n, false);
    matmul(a, b, c, m, n, k);
    take(c, (size_t)m * n);
#else
    (void)n;
    (void)k;
    float *a = make(m, true), *b = make(m, true), *c = make(m, false);
    vector_add(a, b, c, m);
    take(c, m);
#endif
    hipFree(a);
    hipFree(b);
    hipFree(c);
}

int main() {
#ifdef MATMUL
    call(37, 71, 103);
    call(32, 64, 128);
#else
    call(1000, 0, 0);
    call(257, 0, 0);
    call(5003, 0, 0);
#endif
    hipError_t error = hipDeviceSynchronize();
    if (error != hipSuccess) printf("error %s\n", hipGetErrorName(error));
    return 0;
}
