#include <hip/hip_runtime.h>
// The counter itself releases and acquires: no fence is needed.
__device__ unsigned int done;
__device__ float parts[64];
__global__ void reduce(const float* in, float* sum, int n) {
    __shared__ float s[128];
    __shared__ bool last;
    int t = threadIdx.x;
    float v = 0.0f;
    for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) v += in[i];
    s[t] = v;
    __syncthreads();
    for (int step = 64; step > 0; step >>= 1) {
        if (t < step) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) {
        parts[blockIdx.x] = s[0];
        last = __hip_atomic_fetch_add(&done, 1u, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float all = 0.0f;
        for (unsigned int b = 0; b < gridDim.x; b++) all += parts[b];
        *sum = all;
        done = 0;
    }
}
extern "C" void reduction(const float* in, float* sum, int n) {
    reduce<<<64, 128>>>(in, sum, n);
}
