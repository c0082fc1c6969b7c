// hip_complex.h, with the Mandelbrot set as its use.
#include "expect.h"

#include <hip/hip_complex.h>

__host__ __device__ int escape(float x, float y, int limit) {
    hipFloatComplex c = make_hipFloatComplex(x, y), z = make_hipFloatComplex(0.0f, 0.0f);
    int k = 0;
    while (k < limit && hipCabsf(z) < 2.0f) {
        z = hipCaddf(hipCmulf(z, z), c);
        k++;
    }
    return k;
}

__global__ void mandelbrot(int *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        out[y * width + x] = escape(-2.0f + x * 0.0625f, -1.0f + y * 0.0625f, 50);
    }
}

__global__ void divide(double *out) {
    hipDoubleComplex q = hipCdiv(make_hipDoubleComplex(1, 2), make_hipDoubleComplex(3, -4));
    out[0] = hipCreal(q);
    out[1] = hipCimag(q);
    out[2] = hipCabs(make_hipDoubleComplex(3, 4));
    out[3] = hipCimag(hipConj(q));
}

int main() {
    const int width = 49, height = 33;
    Buffer<int> out(width * height);
    mandelbrot<<<dim3(4, 3), dim3(16, 16)>>>(out, width, height);
    expect_launched();
    std::vector<int> got = out.get();
    int differ = 0, inside = 0;
    for (int i = 0; i < width * height; i++) {
        // The two sides may fuse differently, which can move a point at the rim.
        differ += got[i] != escape(-2.0f + i % width * 0.0625f, -1.0f + i / width * 0.0625f, 50);
        inside += got[i] == 50;
    }
    EXPECT(differ <= width * height / 50);
    EXPECT(inside > 100 && inside < 800);

    Buffer<double> quotient(4);
    divide<<<1, 1>>>(quotient);
    expect_launched();
    std::vector<double> q = quotient.get();
    EXPECT_NEAR(q[0], -0.2, 1e-15);
    EXPECT_NEAR(q[1], 0.4, 1e-15);
    EXPECT_NEAR(q[2], 5.0, 1e-15);
    EXPECT_NEAR(q[3], -0.4, 1e-15);
    return finish();
}
