#include <hip/hip_runtime.h>
#define T 32
__global__ void tiled(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[T][T + 1];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    bool inside = x < columns && y < rows;
    if (inside) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * T + threadIdx.x;
    y = blockIdx.x * T + threadIdx.y;
    if (inside) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
extern "C" void transpose(const float* in, float* out, int rows, int columns) {
    tiled<<<dim3((columns + T - 1) / T, (rows + T - 1) / T), dim3(T, T)>>>(in, out, rows, columns);
}
