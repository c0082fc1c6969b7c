#include <hip/hip_runtime.h>
__global__ void transpose(const float* in, float* out, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns) return;
    out[column * rows + row] = in[row * columns + column];
}
