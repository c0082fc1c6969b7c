#include <hip/hip_runtime.h>
// As in slides of 2007: volatile, and no barrier inside a warp.
__device__ void warp_reduce(volatile float* s, int t) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}
__global__ void reduce(const float* in, float* sum, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (t < 128) s[t] += s[t + 128];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) warp_reduce(s, t);
    if (t == 0) atomicAdd(sum, s[0]);
}
extern "C" void reduction(const float* in, float* sum, int n) {
    hipMemset(sum, 0, sizeof(float));
    reduce<<<(n + 255) / 256, 256>>>(in, sum, n);
}
