#include <hip/hip_runtime.h>
__global__ void scan_blocks(const float* in, float* out, int n) {
    __shared__ float s[2][512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t, k = 0;
    s[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        s[1 - k][t] = s[k][t] + (t >= d ? s[k][t - d] : 0);
        k = 1 - k;
        __syncthreads();
    }
    if (i < n) out[i] = s[k][t];
}
extern "C" void scan(const float* in, float* out, int n) {
    scan_blocks<<<(n + 511) / 512, 512>>>(in, out, n);
}
