// hip_fp16.h and hip_bfloat16.h: conversions, arithmetic, comparisons, pairs.
#include "expect.h"

#include <hip/hip_bfloat16.h>
#include <hip/hip_fp16.h>

__global__ void axpy(float a, const __half *x, __half *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = __float2half(a * __half2float(x[i]) + __half2float(y[i]));
    }
}

__global__ void arithmetic(float *out) {
    __half a = __float2half(1.5f), b = __float2half(0.25f), c = a;
    out[0] = __half2float(a + b);
    out[1] = __half2float(__hsub(a, b));
    out[2] = __half2float(__hmul(a, b));
    out[3] = __half2float(a / b);
    out[4] = __half2float(__hfma(a, b, a));
    c += b;
    c *= a;
    out[5] = (float)c;
    out[6] = __half2float(-a);
    out[7] = (__hgt(a, b) ? 1.0f : 0.0f) + (__heq(a, a) ? 2.0f : 0.0f) + (a < b ? 4.0f : 0.0f);
    out[8] = __half2float(hsqrt(__float2half(6.25f)));
    // 2049 is no half: it rounds to the even neighbour.
    out[9] = __half2float(__float2half(2049.0f));
    out[10] = __half2float(__int2half_rn(77));
    out[11] = (float)__half2int_rn(__float2half(3.5f));
    out[12] = (float)__half_as_ushort(__float2half(1.0f));
    out[13] = __half2float(__float2half(65536.0f));
}

__global__ void pairs(float *out) {
    __half2 a = __floats2half2_rn(1.0f, 2.0f), b = __float2half2_rn(0.5f);
    __half2 c = __hadd2(a, b), d = __hmul2(a, b), e = __hfma2(a, b, c);
    out[0] = __low2float(c) + 10 * __high2float(c);
    out[1] = __low2float(d) + 10 * __high2float(d);
    float2 f = __half22float2(e);
    out[2] = f.x + 10 * f.y;
    __half2 g = __halves2half2(__high2half(a), __low2half(a));
    out[3] = __low2float(g) + 10 * __high2float(g);
}

__global__ void brain(const hip_bfloat16 *in, hip_bfloat16 *out, float *as_float, int n) {
    int i = threadIdx.x;
    if (i < n) {
        hip_bfloat16 x = in[i];
        out[i] = x * x + hip_bfloat16(1.0f);
        as_float[i] = float(x) + (x > hip_bfloat16(4.0f) ? 100.0f : 0.0f);
    }
}

int main() {
    const int n = 300;
    std::vector<__half> x(n), y(n);
    for (int i = 0; i < n; i++) {
        x[i] = __float2half((float)(i % 16));
        y[i] = __float2half(0.5f);
    }
    Buffer<__half> dx(x), dy(y);
    axpy<<<3, 128>>>(2.0f, dx, dy, n);
    expect_launched();
    std::vector<__half> got = dy.get();
    for (int i = 0; i < n; i++) {
        EXPECT_EQ(__half2float(got[i]), 2.0f * (i % 16) + 0.5f);
    }

    Buffer<float> out(14);
    arithmetic<<<1, 1>>>(out);
    expect_launched();
    const float want[13] = {1.75f, 1.25f, 0.375f,  6.0f,  1.875f, 2.625f,  -1.5f,
                            3.0f,  2.5f,  2048.0f, 77.0f, 4.0f,   15360.0f};
    std::vector<float> values = out.get();
    for (int i = 0; i < 13; i++) {
        EXPECT_EQ(values[i], want[i]);
    }
    EXPECT(std::isinf(values[13]));

    Buffer<float> two(4);
    pairs<<<1, 1>>>(two);
    expect_launched();
    const float want_pairs[4] = {26.5f, 10.5f, 37.0f, 12.0f};
    expect_all("pairs", two.get(), [&](int i) { return want_pairs[i]; });

    std::vector<hip_bfloat16> b(8);
    for (int i = 0; i < 8; i++) {
        b[i] = hip_bfloat16((float)i);
    }
    Buffer<hip_bfloat16> db(b), result(8);
    Buffer<float> floats(8);
    brain<<<1, 32>>>(db, result, floats, 8);
    expect_launched();
    std::vector<hip_bfloat16> squares = result.get();
    for (int i = 0; i < 8; i++) {
        EXPECT_EQ((float)squares[i], i * i + 1.0f);
    }
    expect_all("brain", floats.get(), [](int i) { return i + (i > 4 ? 100.0f : 0.0f); });
    EXPECT_EQ((float)hip_bfloat16(1.00390625f), 1.0f);
    EXPECT_EQ((float)hip_bfloat16(1.01171875f), 1.015625f);
    return finish();
}
