#include <hip/hip_runtime.h>
#define T 16
__global__ void tiled(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[T][T + 1];
    int c = blockIdx.x * T + threadIdx.x, r = blockIdx.y * T + threadIdx.y;
    if (r < rows && c < columns)
        tile[threadIdx.y][threadIdx.x] = in[r * columns + c];
    c = blockIdx.y * T + threadIdx.x;
    r = blockIdx.x * T + threadIdx.y;
    if (r < columns && c < rows)
        out[r * rows + c] = tile[threadIdx.x][threadIdx.y];
}
extern "C" void transpose(const float* in, float* out, int rows, int columns) {
    dim3 b(T, T), g((columns + T - 1) / T, (rows + T - 1) / T);
    tiled<<<g, b>>>(in, out, rows, columns);
}
