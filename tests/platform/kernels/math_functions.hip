// The math functions in float and double, with and without f, plain and in std, against the host's.
#include "expect.h"

// Each entry is one expression of x; the host computes the same in double.
#define FLOAT_CASES(X)                                                                             \
    X(sqrtf(x), std::sqrt(v))                                                                      \
    X(sqrt(x), std::sqrt(v))                                                                       \
    X(std::sqrt(x), std::sqrt(v))                                                                  \
    X(rsqrtf(x), 1 / std::sqrt(v))                                                                 \
    X(cbrtf(x), std::cbrt(v))                                                                      \
    X(expf(x), std::exp(v))                                                                        \
    X(std::exp(x), std::exp(v))                                                                    \
    X(exp2f(x), std::exp2(v))                                                                      \
    X(exp10f(x), std::pow(10.0, v))                                                                \
    X(expm1f(x), std::expm1(v))                                                                    \
    X(logf(x), std::log(v))                                                                        \
    X(log(x), std::log(v))                                                                         \
    X(log2f(x), std::log2(v))                                                                      \
    X(log10f(x), std::log10(v))                                                                    \
    X(log1pf(x), std::log1p(v))                                                                    \
    X(sinf(x), std::sin(v))                                                                        \
    X(cosf(x), std::cos(v))                                                                        \
    X(std::cos(x), std::cos(v))                                                                    \
    X(tanf(x), std::tan(v))                                                                        \
    X(atanf(x), std::atan(v))                                                                      \
    X(asinf(x / 8), std::asin(v / 8))                                                              \
    X(acosf(x / 8), std::acos(v / 8))                                                              \
    X(sinhf(x), std::sinh(v))                                                                      \
    X(coshf(x), std::cosh(v))                                                                      \
    X(tanhf(x), std::tanh(v))                                                                      \
    X(asinhf(x), std::asinh(v))                                                                    \
    X(acoshf(1 + x), std::acosh(1 + v))                                                            \
    X(atanhf(x / 8), std::atanh(v / 8))                                                            \
    X(atan2f(x, 2.0f), std::atan2(v, 2.0))                                                         \
    X(powf(x, 1.5f), std::pow(v, 1.5))                                                             \
    X(pow(x, 2), v *v)                                                                             \
    X(std::pow(x, 3), v *v *v)                                                                     \
    X(hypotf(x, 3.0f), std::hypot(v, 3.0))                                                         \
    X(fmodf(x, 0.7f), std::fmod(v, (double)0.7f))                                                  \
    X(fabsf(-x), v)                                                                                \
    X(fabs(-x), v)                                                                                 \
    X(std::abs(-x), v)                                                                             \
    X(floorf(x), std::floor(v))                                                                    \
    X(ceilf(x), std::ceil(v))                                                                      \
    X(roundf(x), std::round(v))                                                                    \
    X(truncf(-x), std::trunc(-v))                                                                  \
    X(rintf(x), std::rint(v))                                                                      \
    X(fminf(x, 2.0f), std::fmin(v, 2.0))                                                           \
    X(fmaxf(x, 2.0f), std::fmax(v, 2.0))                                                           \
    X(min(x, 2.0f), std::fmin(v, 2.0))                                                             \
    X(max(x, 2.0f), std::fmax(v, 2.0))                                                             \
    X(fmaf(x, x, 1.0f), v *v + 1)                                                                  \
    X(copysignf(x, -1.0f), -v)                                                                     \
    X(fdimf(x, 1.0f), std::fdim(v, 1.0))                                                           \
    X(erff(x), std::erf(v))                                                                        \
    X(erfcf(x / 4), std::erfc(v / 4))                                                              \
    X(tgammaf(x), std::tgamma(v))                                                                  \
    X(lgammaf(x + 3), std::lgamma(v + 3))                                                          \
    X(ldexpf(x, 3), v * 8)                                                                         \
    X(normcdff(x), 0.5 * std::erfc(-v / std::sqrt(2.0)))                                           \
    X(sinpif(x), std::sin(v * 3.14159265358979323846))                                             \
    X(__expf(x), std::exp(v))                                                                      \
    X(__logf(x), std::log(v))                                                                      \
    X(__sinf(x), std::sin(v))                                                                      \
    X(__fdividef(x, 3.0f), v / 3)                                                                  \
    X(__saturatef(x), v > 1 ? 1.0 : v)                                                             \
    X(__fmaf_rn(x, 2.0f, 1.0f), 2 * v + 1)                                                         \
    X(__fadd_rn(x, 1.0f), v + 1)                                                                   \
    X(__fmul_rn(x, 3.0f), v * 3)                                                                   \
    X(__frcp_rn(x), 1 / v)                                                                         \
    X(__fsqrt_rn(x), std::sqrt(v))

#define DOUBLE_CASES(X)                                                                            \
    X(sqrt(x), std::sqrt(v))                                                                       \
    X(std::sqrt(x), std::sqrt(v))                                                                  \
    X(rsqrt(x), 1 / std::sqrt(v))                                                                  \
    X(exp(x), std::exp(v))                                                                         \
    X(log(x), std::log(v))                                                                         \
    X(std::log(x), std::log(v))                                                                    \
    X(sin(x), std::sin(v))                                                                         \
    X(cos(x), std::cos(v))                                                                         \
    X(tan(x), std::tan(v))                                                                         \
    X(tanh(x), std::tanh(v))                                                                       \
    X(pow(x, 0.3), std::pow(v, 0.3))                                                               \
    X(pow(x, 2), v *v)                                                                             \
    X(pow(2.0f, x), std::pow(2.0, v))                                                              \
    X(atan2(x, 3.0), std::atan2(v, 3.0))                                                           \
    X(hypot(x, 1.0), std::hypot(v, 1.0))                                                           \
    X(fmod(x, 0.3), std::fmod(v, 0.3))                                                             \
    X(fabs(-x), v)                                                                                 \
    X(abs(-x), v)                                                                                  \
    X(floor(x), std::floor(v))                                                                     \
    X(ceil(x), std::ceil(v))                                                                       \
    X(round(x), std::round(v))                                                                     \
    X(fma(x, x, x), v *v + v)                                                                      \
    X(fmin(x, 2.0), std::fmin(v, 2.0))                                                             \
    X(fmax(x, 2.0), std::fmax(v, 2.0))                                                             \
    X(min(x, 2.0), std::fmin(v, 2.0))                                                              \
    X(erf(x), std::erf(v))                                                                         \
    X(cbrt(x), std::cbrt(v))                                                                       \
    X(log2(x), std::log2(v))                                                                       \
    X(log10(x), std::log10(v))                                                                     \
    X(exp2(x), std::exp2(v))                                                                       \
    X(tgamma(x), std::tgamma(v))                                                                   \
    X(__dadd_rn(x, 1.0), v + 1)                                                                    \
    X(__fma_rn(x, 2.0, 1.0), 2 * v + 1)

#define COUNT(device, host)   +1
#define STORE(device, host)   out[k++] = device;
#define COMPARE(device, host) EXPECT_NEAR(got[k++], host, tolerance);

template <class T> struct Cases;
template <> struct Cases<float> {
    static constexpr int count = 0 FLOAT_CASES(COUNT);
};
template <> struct Cases<double> {
    static constexpr int count = 0 DOUBLE_CASES(COUNT);
};

__global__ void float_kernel(float x, float *out) {
    int k = 0;
    FLOAT_CASES(STORE)
}
__global__ void double_kernel(double x, double *out) {
    int k = 0;
    DOUBLE_CASES(STORE)
}

__global__ void several_results(float *f, int *i) {
    float s, c, whole;
    int e;
    sincosf(0.5f, &s, &c);
    f[0] = s;
    f[1] = c;
    f[2] = modff(3.25f, &whole);
    f[3] = whole;
    f[4] = frexpf(24.0f, &e);
    i[0] = e;
    double ds, dc;
    sincos(0.5, &ds, &dc);
    f[5] = (float)(ds + dc);
    i[1] = isnan(f[0] - f[0]) ? 1 : 0;
    i[2] = isinf(1.0f / (f[0] - f[0])) ? 1 : 0;
    i[3] = isfinite(f[1]) ? 1 : 0;
    i[4] = signbit(-f[1]) ? 1 : 0;
    i[5] = std::isnan(nanf("")) ? 1 : 0;
    i[6] = (int)lroundf(2.5f) + (int)lrintf(2.5f) + ilogbf(9.0f);
    i[7] = abs(-4) + (int)labs(-5L) + (int)llabs(-6LL);
    i[8] = min(3, 4) + max(3u, 4u) + (int)min(7LL, 9LL) + max(2, (int)threadIdx.x);
    i[9] = (int)sqrt(17) + (int)floor(3);
}

int main() {
    constexpr int float_count = Cases<float>::count, double_count = Cases<double>::count;
    for (double v : {0.25, 0.8125, 1.5, 2.71875, 5.0}) {
        {
            const double tolerance = 5e-6;
            Buffer<float> out(float_count);
            float_kernel<<<1, 1>>>((float)v, out);
            expect_launched();
            std::vector<float> got = out.get();
            int k = 0;
            FLOAT_CASES(COMPARE)
        }
        {
            const double tolerance = 1e-13;
            Buffer<double> out(double_count);
            double_kernel<<<1, 1>>>(v, out);
            expect_launched();
            std::vector<double> got = out.get();
            int k = 0;
            DOUBLE_CASES(COMPARE)
        }
    }

    Buffer<float> floats(6);
    Buffer<int> ints(10);
    several_results<<<1, 1>>>(floats, ints);
    expect_launched();
    std::vector<float> f = floats.get();
    EXPECT_NEAR(f[0], std::sin(0.5), 1e-6);
    EXPECT_NEAR(f[1], std::cos(0.5), 1e-6);
    EXPECT_EQ(f[2], 0.25f);
    EXPECT_EQ(f[3], 3.0f);
    EXPECT_EQ(f[4], 0.75f);
    EXPECT_NEAR(f[5], std::sin(0.5) + std::cos(0.5), 1e-6);
    const int want[10] = {5, 0, 1, 1, 1, 1, 3 + 2 + 3, 15, 3 + 4 + 7 + 2, 4 + 3};
    expect_all("several_results", ints.get(), [&](int i) { return want[i]; });
    return finish();
}
