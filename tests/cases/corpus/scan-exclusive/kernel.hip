#include <hip/hip_runtime.h>
__global__ void scan_kernel(const float* in, float* out, int n) {
    if (threadIdx.x != 0) return;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        out[i] = sum;
        sum += in[i];
    }
}
extern "C" void scan(const float* in, float* out, int n) {
    scan_kernel<<<1, 64>>>(in, out, n);
}
