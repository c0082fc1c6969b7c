#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>
__global__ void rows_of(const float* in, float* out, int rows, int columns) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float* x = in + r * columns;
    float m = x[0], sum = 0;
    for (int i = 1; i < columns; i++) m = fmaxf(m, x[i]);
    for (int i = 0; i < columns; i++) sum += expf(x[i] - m);
    for (int i = 0; i < columns; i++)
        out[r * columns + i] = __half2float(__float2half(expf(x[i] - m))) / sum;
}
extern "C" void softmax(const float* in, float* out, int rows, int columns) {
    rows_of<<<(rows + 63) / 64, 64>>>(in, out, rows, columns);
}
