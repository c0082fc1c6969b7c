#include <hip/hip_runtime.h>
#define T 16
__global__ void step(const float* in, float* out, int rows, int columns) {
    __shared__ float s[T][T];
    int x = threadIdx.x, y = threadIdx.y;
    int c = blockIdx.x * (T - 2) + x - 1, r = blockIdx.y * (T - 2) + y - 1;
    bool inside = r >= 0 && c >= 0 && r < rows && c < columns;
    s[y][x] = inside ? in[r * columns + c] : 0;
    __syncthreads();
    bool inner = inside && x > 0 && y > 0 && x < T - 1 && y < T - 1;
    bool border = r == 0 || c == 0 || r == rows - 1 || c == columns - 1;
    if (inner && !border)
        s[y][x] = 0.5f * s[y][x] + 0.125f * (s[y - 1][x] + s[y + 1][x] + s[y][x - 1] + s[y][x + 1]);
    __syncthreads();
    if (inner) out[r * columns + c] = s[y][x];
}
extern "C" void stencil2d(const float* in, float* out, int rows, int columns) {
    dim3 g((columns + T - 3) / (T - 2), (rows + T - 3) / (T - 2));
    step<<<g, dim3(T, T)>>>(in, out, rows, columns);
}
