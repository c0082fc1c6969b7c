#include <hip/hip_runtime.h>
// The exponentials are written once and scaled in place.
__global__ void softmax_kernel(const float* in, float* out, int rows, int columns) {
    int lane = threadIdx.x, r = blockIdx.x * blockDim.y + threadIdx.y;
    bool inside = r < rows;
    const float* x = in + (size_t)(inside ? r : 0) * columns;
    float* y = out + (size_t)(inside ? r : 0) * columns;
    float m = x[0], sum = 0;
    for (int i = lane; i < columns; i += 16) m = fmaxf(m, x[i]);
    for (int d = 8; d > 0; d /= 2) m = fmaxf(m, __shfl_xor(m, d, 16));
    for (int i = lane; i < columns; i += 16) {
        float e = expf(x[i] - m);
        if (inside) y[i] = e;
        sum += e;
    }
    for (int d = 8; d > 0; d /= 2) sum += __shfl_xor(sum, d, 16);
    for (int i = lane; inside && i < columns; i += 16) y[i] /= sum;
}
extern "C" void softmax(const float* in, float* out, int rows, int columns) {
    softmax_kernel<<<(rows + 7) / 8, dim3(16, 8)>>>(in, out, rows, columns);
}
