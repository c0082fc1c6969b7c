#include <hip/hip_runtime.h>
#include <cstring>
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
static float *h, *t; static hipStream_t s[2]; static int cap;
extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    if (!s[0]) for (auto& x : s) hipStreamCreate(&x);
    if (n > cap) {
        hipFree(t); hipHostFree(h);
        hipMalloc(&t, n * sizeof(float)); hipHostMalloc(&h, n * sizeof(float), hipHostMallocMapped);
        cap = n;
    }
    int half = (n + 1) / 2;
    for (int p = 0; p < 2; ++p) {
        int o = p * half, m = p ? n - half : half;
        if (m == 0) continue;
        add<<<(m + 63) / 64, 64, 0, s[p]>>>(a + o, b + o, t + o, m);
        hipMemcpyAsync(h + o, t + o, m * sizeof(float), hipMemcpyDeviceToHost, s[p]);
    }
    for (auto x : s) hipStreamSynchronize(x);
    float* v = new float[n];
    memcpy(v, h, n * sizeof(float));
    hipMemcpy(c, v, n * sizeof(float), hipMemcpyHostToDevice);
    delete[] v;
}
