#include <hip/hip_runtime.h>
__device__ float totals[8192];
__global__ void scan_blocks(const float* in, float* out, int n) {
    __shared__ float s[2][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, k = 0;
    s[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        s[1 - k][t] = s[k][t] + (t >= d ? s[k][t - d] : 0);
        k = 1 - k;
        __syncthreads();
    }
    if (i < n) out[i] = s[k][t];
    if (t == 255) totals[blockIdx.x] = s[k][t];
}
__global__ void add(float* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += totals[blockIdx.x - 1];
}
extern "C" void scan(const float* in, float* out, int n) {
    scan_blocks<<<(n + 255) / 256, 256>>>(in, out, n);
    add<<<(n + 255) / 256, 256>>>(out, n);
}
