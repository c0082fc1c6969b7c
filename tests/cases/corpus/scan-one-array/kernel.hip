#include <hip/hip_runtime.h>
__device__ float totals[8192];
__global__ void scan_blocks(const float* in, float* out, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        if (t >= d) s[t] += s[t - d];
        __syncthreads();
    }
    if (i < n) out[i] = s[t];
    if (t == 255) totals[blockIdx.x] = s[t];
}
__global__ void add_totals(int blocks) {
    for (int b = 1; b < blocks; b++) totals[b] += totals[b - 1];
}
__global__ void add(float* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += totals[blockIdx.x - 1];
}
extern "C" void scan(const float* in, float* out, int n) {
    int blocks = (n + 255) / 256;
    scan_blocks<<<blocks, 256>>>(in, out, n);
    add_totals<<<1, 1>>>(blocks);
    add<<<blocks, 256>>>(out, n);
}
