#include <hip/hip_runtime.h>
__global__ void step(const float* in, float* out, int rows, int columns) {
    int c = blockIdx.x * blockDim.x + threadIdx.x + 1, r = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (r >= rows - 1 || c >= columns - 1) return;
    int i = r * columns + c;
    out[i] = 0.5f * in[i] + 0.125f * (in[i - columns] + in[i + columns] + in[i - 1] + in[i + 1]);
}
extern "C" void stencil2d(const float* in, float* out, int rows, int columns) {
    step<<<dim3((columns + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(in, out, rows, columns);
}
