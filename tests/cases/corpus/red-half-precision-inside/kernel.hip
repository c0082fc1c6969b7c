#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
__global__ void reduce(const float* in, float* sum, int n) {
    __shared__ __half s[256];
    int t = threadIdx.x;
    float own = 0.0f;
    for (int i = t; i < n; i += 256) own += in[i];
    s[t] = __float2half(own);
    __syncthreads();
    for (int step = 128; step > 0; step >>= 1) {
        if (t < step) s[t] = __float2half(__half2float(s[t]) + __half2float(s[t + step]));
        __syncthreads();
    }
    if (t == 0) *sum = __half2float(s[0]);
}
extern "C" void reduction(const float* in, float* sum, int n) {
    reduce<<<1, 256>>>(in, sum, n);
}
