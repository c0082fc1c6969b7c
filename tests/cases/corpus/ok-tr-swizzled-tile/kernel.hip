#include <hip/hip_runtime.h>
// No padding: the column of the tile is mixed with the row instead, so that no bank is asked twice.
constexpr int T = 32;
__global__ void swizzled(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
    extern __shared__ float tile[];
    int tx = threadIdx.x, ty = threadIdx.y;
    int c = blockIdx.x * T + tx, r = blockIdx.y * T + ty;
    tile[ty * T + (tx ^ ty)] = r < rows && c < columns ? in[(size_t)r * columns + c] : 0.f;
    __syncthreads();
    c = blockIdx.y * T + tx;
    r = blockIdx.x * T + ty;
    if (r < columns && c < rows) out[(size_t)r * rows + c] = tile[tx * T + (tx ^ ty)];
}
extern "C" void transpose(const float* in, float* out, int rows, int columns) {
    swizzled<<<dim3((columns + T - 1) / T, (rows + T - 1) / T), dim3(T, T), T * T * sizeof(float)>>>(in, out, rows, columns);
}
