#include <hip/hip_runtime.h>
__global__ void reduce(const float* in, float* sum, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int step = 128; step > 0; step >>= 1) {
        if (t < step) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) atomicAdd(sum, s[0]);
}
extern "C" void reduction(const float* in, float* sum, int n) {
    reduce<<<(n + 255) / 256, 256>>>(in, sum, n);
}
