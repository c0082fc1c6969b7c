#include <hip/hip_runtime.h>
#include <cfloat>
__device__ float reduce(float v, float* s, bool maximum) {
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] = maximum ? fmaxf(s[t], s[t + d]) : s[t] + s[t + d];
        __syncthreads();
    }
    v = s[0];
    __syncthreads();
    return v;
}
// A bare kernel: a block a row.
__global__ void softmax(const float* in, float* out, int rows, int columns) {
    __shared__ float s[1024];
    size_t base = (size_t)blockIdx.x * columns;
    float m = -FLT_MAX, sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) m = fmaxf(m, in[base + i]);
    m = reduce(m, s, true);
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(in[base + i] - m);
    sum = reduce(sum, s, false);
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[base + i] = expf(in[base + i] - m) / sum;
}
