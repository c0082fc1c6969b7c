#include <hip/hip_runtime.h>
__global__ void accumulate(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] += a[i];
}
static float* t; static int cap;
extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    size_t bytes = n * sizeof(float);
    if (n > cap) { if (t) hipFree(t); hipMalloc((void**)&t, bytes); cap = n; }
    hipStream_t s, side;
    hipStreamCreate(&s);
    hipStreamCreateWithFlags(&side, hipStreamNonBlocking);
    /* The default stream waits for s and s for the default stream; the host waits for side. */
    hipMemsetAsync(c, 0, bytes, s);
    accumulate<<<(n + 255) / 256, 256, 0, s>>>(a, c, n);
    hipMemcpyAsync(t, c, bytes, hipMemcpyDeviceToDevice, NULL);
    accumulate<<<(n + 255) / 256, 256, 0, s>>>(b, t, n);
    hipStreamSynchronize(s);
    hipMemcpyAsync(c, t, bytes, hipMemcpyDeviceToDevice, side);
    hipStreamSynchronize(side);
    hipStreamDestroy(s);
    hipStreamDestroy(side);
    hipMemcpy(t, c, bytes, hipMemcpyDeviceToDevice);
    hipMemset(t, 0, bytes);
}
