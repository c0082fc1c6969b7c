#include <hip/hip_runtime.h>
// Blelloch's two sweeps over one block that walks through the vector.
__global__ void scan_kernel(const float* in, float* out, int n) {
    __shared__ float s[1024];
    __shared__ float carry;
    int t = threadIdx.x;
    if (t == 0) carry = 0;
    for (int base = 0; base < n; base += 1024) {
        float a = base + 2 * t < n ? in[base + 2 * t] : 0, b = base + 2 * t + 1 < n ? in[base + 2 * t + 1] : 0;
        s[2 * t] = a;
        s[2 * t + 1] = b;
        int offset = 1;
        for (int d = 512; d > 0; d >>= 1) {
            __syncthreads();
            if (t < d) s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1];
            offset *= 2;
        }
        if (t == 0) s[1023] = 0;
        for (int d = 1; d < 1024; d *= 2) {
            offset >>= 1;
            __syncthreads();
            if (t < d) {
                float x = s[offset * (2 * t + 1) - 1];
                s[offset * (2 * t + 1) - 1] = s[offset * (2 * t + 2) - 1];
                s[offset * (2 * t + 2) - 1] += x;
            }
        }
        __syncthreads();
        if (base + 2 * t < n) out[base + 2 * t] = carry + s[2 * t] + a;
        if (base + 2 * t + 1 < n) out[base + 2 * t + 1] = carry + s[2 * t + 1] + b;
        __syncthreads();
        if (t == 511) carry += s[1023] + b;
        __syncthreads();
    }
}
extern "C" void scan(const float* in, float* out, int n) {
    scan_kernel<<<1, 512>>>(in, out, n);
}
