// Inverses of the error function, Bessel functions and norms, against the host's C++ library and
// against what they are inverse to.
#include "expect.h"

// In kernels x, on the host v is the argument and got the result.
#define CASES(X, f)                                                                                \
    X(erfinv##f(x / 8 - 0.7f), std::erf(got), v / 8 - 0.7f)                                        \
    X(erfcinv##f(x / 4), std::erfc(got), v / 4)                                                    \
    X(normcdfinv##f(x / 8), 0.5 * std::erfc(-got / std::sqrt(2.0)), v / 8)                         \
    X(normcdf##f(x), got, 0.5 * std::erfc(-v / std::sqrt(2.0)))                                    \
    X(erfcx##f(x), got, std::exp(v *v) * std::erfc(v))                                             \
    X(cyl_bessel_i0##f(x), got, std::cyl_bessel_i(0.0, v))                                         \
    X(cyl_bessel_i1##f(-x), got, -std::cyl_bessel_i(1.0, v))                                       \
    X(j0##f(x), got, std::cyl_bessel_j(0.0, v))                                                    \
    X(j1##f(x), got, std::cyl_bessel_j(1.0, v))                                                    \
    X(jn##f(3, x), got, std::cyl_bessel_j(3.0, v))                                                 \
    X(y0##f(x), got, std::cyl_neumann(0.0, v))                                                     \
    X(y1##f(x), got, std::cyl_neumann(1.0, v))                                                     \
    X(yn##f(2, x), got, std::cyl_neumann(2.0, v))                                                  \
    X(norm3d##f(x, 2, 3), got, std::sqrt(v *v + 13))                                               \
    X(norm4d##f(x, 2, 3, 4), got, std::sqrt(v *v + 29))                                            \
    X(rnorm4d##f(x, 2, 3, 4), got, 1 / std::sqrt(v * v + 29))                                      \
    X(norm##f(5, list), got, std::sqrt(v *v + 30))                                                 \
    X(rnorm##f(5, list), got, 1 / std::sqrt(v * v + 30))

#define COUNT(device, host, want) +1
#define STORE(device, host, want) out[k++] = device;
#define COMPARE(device, host, want)                                                                \
    {                                                                                              \
        double got = all[k++];                                                                     \
        EXPECT_NEAR(host, want, tolerance);                                                        \
    }

constexpr int count = 0 CASES(COUNT, );

__global__ void in_float(float x, float *out) {
    float list[5] = {x, 1, 2, 3, 4};
    int k = 0;
    CASES(STORE, f)
}
__global__ void in_double(double x, double *out) {
    double list[5] = {x, 1, 2, 3, 4};
    int k = 0;
    CASES(STORE, )
}

__global__ void at_the_ends(double *out) {
    out[0] = erfinv(1.0);
    out[1] = erfinv(-1.0);
    out[2] = erfcinv(2.0);
    out[3] = normcdfinv(0.0);
    out[4] = erfinv(1.5);
    out[5] = erfinv(0.0);
    out[6] = erfinv(1e-12) * 1e12;
    out[7] = erfcinv(1e-200);
    out[8] = erfcx(-30.0);
    out[9] = erfcx(1000.0) * 1000;
    sincospi(0.25, &out[10], &out[11]);
    int quotient = 0;
    out[12] = remquo(11.0, 3.0, &quotient) + 10 * quotient;
    out[13] = remquof(7.0f, 2.0f, &quotient) + 10 * quotient;
    out[14] = scalbln(3.0, 4L) + scalblnf(1.0f, 2L);
}

int main() {
    for (double v : {0.25, 0.8125, 1.5, 2.71875, 5.0}) {
        {
            const double tolerance = 1e-6;
            Buffer<float> out(count);
            in_float<<<1, 1>>>((float)v, out);
            expect_launched();
            std::vector<float> all = out.get();
            int k = 0;
            CASES(COMPARE, f)
        }
        {
            const double tolerance = 1e-13;
            Buffer<double> out(count);
            in_double<<<1, 1>>>(v, out);
            expect_launched();
            std::vector<double> all = out.get();
            int k = 0;
            CASES(COMPARE, )
        }
    }
    Buffer<double> ends(15);
    at_the_ends<<<1, 1>>>(ends);
    expect_launched();
    std::vector<double> e = ends.get();
    EXPECT(std::isinf(e[0]) && e[0] > 0);
    EXPECT(std::isinf(e[1]) && e[1] < 0);
    EXPECT(std::isinf(e[2]) && e[2] < 0);
    EXPECT(std::isinf(e[3]) && e[3] < 0);
    EXPECT(std::isnan(e[4]));
    EXPECT_EQ(e[5], 0.0);
    EXPECT_NEAR(e[6], 0.88622692545275801, 1e-13);
    EXPECT_NEAR(std::erfc(e[7]) * 1e200, 1.0, 1e-10);
    EXPECT(std::isinf(e[8]));
    EXPECT_NEAR(e[9], 0.56418930144, 1e-10);
    EXPECT_NEAR(e[10], std::sqrt(0.5), 1e-15);
    EXPECT_NEAR(e[11], std::sqrt(0.5), 1e-15);
    EXPECT_EQ(e[12], -1.0 + 10 * 4);
    EXPECT_EQ(e[13], -1.0 + 10 * 4);
    EXPECT_EQ(e[14], 52.0);
    return finish();
}
