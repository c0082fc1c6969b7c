#include <hip/hip_runtime.h>
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
static hipStream_t s, q; static hipEvent_t e;
__global__ void neg(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i];
}
extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    if (!s) { hipStreamCreate(&s); hipStreamCreate(&q); hipEventCreate(&e); }
    hipEventRecord(e, s);
    neg<<<(n + 255) / 256, 256, 0, s>>>(a, c, n);
    hipStreamWaitEvent(q, e, 0);
    add<<<(n + 255) / 256, 256, 0, q>>>(c, b, c, n);
    hipDeviceSynchronize();
}
