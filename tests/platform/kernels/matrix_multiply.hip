// Matrix products as courses teach them: naive, tiled, with a strip of registers; ragged sizes.
#include "expect.h"

__global__ void naive(const float *a, const float *b, float *c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; i++) {
            sum += a[row * k + i] * b[i * n + column];
        }
        c[row * n + column] = sum;
    }
}

template <int Tile>
__global__ void tiled(const float *__restrict__ a, const float *__restrict__ b,
                      float *__restrict__ c, int m, int n, int k) {
    __shared__ float ta[Tile][Tile], tb[Tile][Tile];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * Tile + ty, column = blockIdx.x * Tile + tx;
    float sum = 0.0f;
    for (int start = 0; start < k; start += Tile) {
        ta[ty][tx] = row < m && start + tx < k ? a[row * k + start + tx] : 0.0f;
        tb[ty][tx] = start + ty < k && column < n ? b[(start + ty) * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < Tile; i++) {
            sum += ta[ty][i] * tb[i][tx];
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}

// 32 x 32 results by 32 x 8 threads, four rows each.
__global__ void strips(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float ta[32][33], tb[32][33];
    const int tx = threadIdx.x, ty = threadIdx.y, column = blockIdx.x * 32 + tx;
    float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int start = 0; start < k; start += 32) {
        for (int r = ty; r < 32; r += 8) {
            const int row = blockIdx.y * 32 + r;
            ta[r][tx] = row < m && start + tx < k ? a[row * k + start + tx] : 0.0f;
            tb[r][tx] = start + r < k && column < n ? b[(start + r) * n + column] : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < 32; i++) {
            for (int s = 0; s < 4; s++) {
                sums[s] += ta[ty + 8 * s][i] * tb[i][tx];
            }
        }
        __syncthreads();
    }
    for (int s = 0; s < 4; s++) {
        const int row = blockIdx.y * 32 + ty + 8 * s;
        if (row < m && column < n) {
            c[row * n + column] = sums[s];
        }
    }
}

static void run(int m, int n, int k) {
    std::vector<float> a(m * k), b(k * n), want(m * n);
    for (int i = 0; i < m * k; i++) {
        a[i] = (float)(i % 7 - 3);
    }
    for (int i = 0; i < k * n; i++) {
        b[i] = (float)(i % 5 - 2);
    }
    for (int r = 0; r < m; r++) {
        for (int c = 0; c < n; c++) {
            float sum = 0;
            for (int i = 0; i < k; i++) {
                sum += a[r * k + i] * b[i * n + c];
            }
            want[r * n + c] = sum;
        }
    }
    Buffer<float> da(a), db(b), dc(m * n);
    auto check = [&](const char *name) {
        expect_launched();
        expect_all(name, dc.get(), [&](int i) { return want[i]; });
        dc.zero();
    };
    naive<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(da, db, dc, m, n, k);
    check("naive");
    tiled<16><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(da, db, dc, m, n, k);
    check("tiled<16>");
    tiled<8><<<dim3((n + 7) / 8, (m + 7) / 8), dim3(8, 8)>>>(da, db, dc, m, n, k);
    check("tiled<8>");
    strips<<<dim3((n + 31) / 32, (m + 31) / 32), dim3(32, 8)>>>(da, db, dc, m, n, k);
    check("strips");
}

int main() {
    run(1, 1, 1);
    run(33, 17, 50);
    run(64, 64, 64);
    run(5, 70, 31);
    return finish();
}
