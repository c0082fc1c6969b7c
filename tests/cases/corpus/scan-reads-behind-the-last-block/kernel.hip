#include <hip/hip_runtime.h>
__global__ void scan_kernel(const float* in, float* out, int n) {
    __shared__ float s[2][256];
    __shared__ float carry;
    int t = threadIdx.x;
    if (t == 0) carry = 0;
    __syncthreads();
    for (int base = 0; base < n; base += 256) {
        int k = 0;
        s[0][t] = in[base + t];
        __syncthreads();
        for (int d = 1; d < 256; d *= 2) {
            s[1 - k][t] = s[k][t] + (t >= d ? s[k][t - d] : 0);
            k = 1 - k;
            __syncthreads();
        }
        if (base + t < n) out[base + t] = carry + s[k][t];
        __syncthreads();
        if (t == 255) carry += s[k][t];
        __syncthreads();
    }
}
extern "C" void scan(const float* in, float* out, int n) {
    scan_kernel<<<1, 256>>>(in, out, n);
}
