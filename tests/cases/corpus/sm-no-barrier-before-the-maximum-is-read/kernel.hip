#include <hip/hip_runtime.h>
__global__ void softmax_kernel(const float* in, float* out, int rows, int columns) {
    __shared__ float s[128], top, total;
    const float* x = in + blockIdx.x * columns;
    int t = threadIdx.x;
    float m = x[0];
    for (int i = t; i < columns; i += 128) m = fmaxf(m, x[i]);
    s[t] = m;
    __syncthreads();
    if (t == 0) {
        for (int i = 1; i < 128; i++) m = fmaxf(m, s[i]);
        top = m;
    }
    float sum = 0;
    for (int i = t; i < columns; i += 128) sum += expf(x[i] - top);
    __syncthreads();
    s[t] = sum;
    __syncthreads();
    if (t == 0) {
        sum = 0;
        for (int i = 0; i < 128; i++) sum += s[i];
        total = sum;
    }
    __syncthreads();
    for (int i = t; i < columns; i += 128) out[blockIdx.x * columns + i] = expf(x[i] - top) / total;
}
extern "C" void softmax(const float* in, float* out, int rows, int columns) {
    softmax_kernel<<<rows, 128>>>(in, out, rows, columns);
}
