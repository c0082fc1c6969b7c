#include <hip/hip_runtime.h>
__global__ void softmax_kernel(const float* in, float* out, int rows, int columns) {
    __shared__ float s[256];
    const float* x = in + blockIdx.x * columns;
    int t = threadIdx.x;
    float m = -INFINITY;
    for (int i = t; i < columns; i += 256) m = fmaxf(m, x[i]);
    s[t] = m;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) s[t] = fmaxf(s[t], s[t + d]);
    }
    __syncthreads();
    m = s[0];
    float sum = 0;
    for (int i = t; i < columns; i += 256) sum += expf(x[i] - m);
    s[t] = sum;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (t < d) s[t] += s[t + d];
    }
    __syncthreads();
    for (int i = t; i < columns; i += 256) out[blockIdx.x * columns + i] = expf(x[i] - m) / s[0];
}
extern "C" void softmax(const float* in, float* out, int rows, int columns) {
    softmax_kernel<<<rows, 256>>>(in, out, rows, columns);
}
