// A product of 512 x 512 matrices in 16 x 16 tiles. Prints: best and median, in GFLOPS.
#include "stopwatch.h"

#define TILE 16

__global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[TILE][TILE], tb[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        int i = start + threadIdx.x, j = start + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = row < n && i < n ? a[row * n + i] : 0.0f;
        tb[threadIdx.y][threadIdx.x] = j < n && column < n ? b[j * n + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < n && column < n) {
        c[row * n + column] = sum;
    }
}

int main() {
    const int n = 512;
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i % 7 - 3);
        b[i] = (float)(i % 5 - 2);
    }
    float *da, *db, *dc;
    HIP_CHECK(hipMalloc(&da, n * n * sizeof(float)));
    HIP_CHECK(hipMalloc(&db, n * n * sizeof(float)));
    HIP_CHECK(hipMalloc(&dc, n * n * sizeof(float)));
    HIP_CHECK(hipMemcpy(da, a.data(), n * n * sizeof(float), hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy(db, b.data(), n * n * sizeof(float), hipMemcpyHostToDevice));
    const dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE), block(TILE, TILE);
    Times times = stopwatch([=] { matmul<<<grid, block>>>(da, db, dc, n); });
    HIP_CHECK(hipMemcpy(c.data(), dc, n * n * sizeof(float), hipMemcpyDeviceToHost));
    for (int at : {0, 1, n - 1, n * n / 2 + 3, n * n - 1}) {
        float want = 0.0f;
        for (int k = 0; k < n; k++) {
            want += a[at / n * n + k] * b[k * n + at % n];
        }
        if (c[at] != want) {
            std::fprintf(stderr, "c[%d] is wrong\n", at);
            return 1;
        }
    }
    const double operations = 2.0 * n * n * n;
    std::printf("%.3f %.3f\n", operations / times.best_s * 1e-9,
                operations / times.median_s * 1e-9);
    HIP_CHECK(hipFree(da));
    HIP_CHECK(hipFree(db));
    HIP_CHECK(hipFree(dc));
    return 0;
}
