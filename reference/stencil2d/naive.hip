// The baseline that speedup is measured against: one thread an element, five loads.
#include <hip/hip_runtime.h>

__global__ void stencil2d_naive(const float *in, float *out, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns) {
        return;
    }
    size_t at = (size_t)row * columns + column;
    if (row == 0 || column == 0 || row == rows - 1 || column == columns - 1) {
        out[at] = in[at];
        return;
    }
    float around = in[at - columns] + in[at + columns] + in[at - 1] + in[at + 1];
    out[at] = 0.5f * in[at] + 0.125f * around;
}

extern "C" void stencil2d(const float *in, float *out, int rows, int columns) {
    dim3 block(16, 16);
    dim3 grid((columns + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
    stencil2d_naive<<<grid, block>>>(in, out, rows, columns);
}
