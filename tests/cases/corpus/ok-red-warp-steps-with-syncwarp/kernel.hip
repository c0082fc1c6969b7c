#include <hip/hip_runtime.h>
__global__ void reduce(const float* in, float* sum, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    s[t] = (i < n ? in[i] : 0.0f) + (i + 256 < n ? in[i + 256] : 0.0f);
    __syncthreads();
    for (int step = 128; step > 16; step >>= 1) {
        if (t < step) s[t] += s[t + step];
        __syncthreads();
    }
    if (t < 32) {
        float v = s[t];
        for (int step = 16; step > 0; step >>= 1) {
            float other = s[t + step];
            __syncwarp();
            v += other;
            s[t] = v;
            __syncwarp();
        }
        if (t == 0) atomicAdd(sum, v);
    }
}
extern "C" void reduction(const float* in, float* sum, int n) {
    hipMemset(sum, 0, sizeof(float));
    reduce<<<(n + 511) / 512, 256>>>(in, sum, n);
}
