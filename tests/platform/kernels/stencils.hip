// Neighbourhood kernels: a one-dimensional stencil with halo, a convolution with coefficients in
// constant memory, Conway's game of life.
#include "expect.h"

#define RADIUS 3
#define BLOCK  128

__global__ void stencil(const int *in, int *out, int n) {
    __shared__ int line[BLOCK + 2 * RADIUS];
    int i = blockIdx.x * BLOCK + threadIdx.x, at = threadIdx.x + RADIUS;
    line[at] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        line[at - RADIUS] = i >= RADIUS && i - RADIUS < n ? in[i - RADIUS] : 0;
        line[at + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0;
    }
    __syncthreads();
    if (i < n) {
        int sum = 0;
        for (int k = -RADIUS; k <= RADIUS; k++) {
            sum += line[at + k];
        }
        out[i] = sum;
    }
}

__constant__ float mask[5][5];
__global__ void convolve(const float *in, float *out, int width, int height) {
    __shared__ float tile[20][20];
    for (int y = threadIdx.y; y < 20; y += 16) {
        for (int x = threadIdx.x; x < 20; x += 16) {
            int gx = blockIdx.x * 16 + x - 2, gy = blockIdx.y * 16 + y - 2;
            bool inside = gx >= 0 && gx < width && gy >= 0 && gy < height;
            tile[y][x] = inside ? in[gy * width + gx] : 0.0f;
        }
    }
    __syncthreads();
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int dy = 0; dy < 5; dy++) {
            for (int dx = 0; dx < 5; dx++) {
                sum += mask[dy][dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
            }
        }
        out[y * width + x] = sum;
    }
}

__global__ void life(const unsigned char *now, unsigned char *next, int size) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size) {
        return;
    }
    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (dx != 0 || dy != 0) {
                neighbours += now[(y + dy + size) % size * size + (x + dx + size) % size];
            }
        }
    }
    next[y * size + x] = neighbours == 3 || (neighbours == 2 && now[y * size + x]);
}

int main() {
    const int n = 1000;
    std::vector<int> numbers(n);
    for (int i = 0; i < n; i++) {
        numbers[i] = i * 17 % 23;
    }
    Buffer<int> in(numbers), out(n);
    stencil<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(in, out, n);
    expect_launched();
    expect_all("stencil", out.get(), [&](int i) {
        int sum = 0;
        for (int k = i - RADIUS; k <= i + RADIUS; k++) {
            sum += k >= 0 && k < n ? numbers[k] : 0;
        }
        return sum;
    });

    const int width = 45, height = 30;
    float weights[5][5];
    for (int i = 0; i < 25; i++) {
        weights[i / 5][i % 5] = (float)(i % 4);
    }
    std::vector<float> image(width * height);
    for (int i = 0; i < width * height; i++) {
        image[i] = (float)(i % 11);
    }
    HIP_CHECK(hipMemcpyToSymbol(mask, weights, sizeof weights));
    Buffer<float> pixels(image), blurred(width * height);
    convolve<<<dim3(3, 2), dim3(16, 16)>>>(pixels, blurred, width, height);
    expect_launched();
    expect_all("convolve", blurred.get(), [&](int i) {
        float sum = 0;
        for (int dy = -2; dy <= 2; dy++) {
            for (int dx = -2; dx <= 2; dx++) {
                int x = i % width + dx, y = i / width + dy;
                if (x >= 0 && x < width && y >= 0 && y < height) {
                    sum += weights[dy + 2][dx + 2] * image[y * width + x];
                }
            }
        }
        return sum;
    });

    // A glider is back in shape after four steps, one cell further down and right.
    const int size = 20;
    std::vector<unsigned char> world(size * size, 0);
    const int glider[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    for (const int *cell : glider) {
        world[(cell[1] + 5) * size + cell[0] + 5] = 1;
    }
    Buffer<unsigned char> a(world), b(size * size);
    for (int step = 0; step < 4; step++) {
        life<<<dim3(3, 3), dim3(8, 8)>>>(step % 2 ? b : a, step % 2 ? a : b, size);
    }
    expect_launched();
    expect_all("life", a.get(), [&](int i) {
        int x = i % size - 1, y = i / size - 1;
        return x >= 0 && y >= 0 ? world[y * size + x] : 0;
    });
    return finish();
}
