#include <hip/hip_runtime.h>
#define TX 32
#define TY 8
__global__ void step(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
    __shared__ float s[TY + 2][TX + 2];
    int r0 = blockIdx.y * TY - 1, c0 = blockIdx.x * TX - 1;
    for (int k = threadIdx.y * TX + threadIdx.x; k < (TY + 2) * (TX + 2); k += TX * TY) {
        int y = k / (TX + 2), x = k % (TX + 2), r = r0 + y, c = c0 + x;
        s[y][x] = r >= 0 && c >= 0 && r < rows && c < columns ? in[(size_t)r * columns + c] : 0.f;
    }
    __syncthreads();
    int x = threadIdx.x + 1, y = threadIdx.y + 1, r = r0 + y, c = c0 + x;
    if (r >= rows || c >= columns) return;
    float v = s[y][x];
    if (r > 0 && c > 0 && r < rows - 1 && c < columns - 1)
        v = 0.5f * v + 0.125f * (s[y - 1][x] + s[y + 1][x] + s[y][x - 1] + s[y][x + 1]);
    out[(size_t)r * columns + c] = v;
}
extern "C" void stencil2d(const float* in, float* out, int rows, int columns) {
    step<<<dim3((columns + TX - 1) / TX, (rows + TY - 1) / TY), dim3(TX, TY)>>>(in, out, rows, columns);
}
