/* Inverses of the error function and Bessel functions, in double; the float forms are those,
 * rounded. */
#ifndef WG_HIP_DETAIL_SPECIAL_FUNCTIONS_H
#define WG_HIP_DETAIL_SPECIAL_FUNCTIONS_H

#include <hip/math_functions.h>

#ifdef __HIP__

/* A first guess within 1e-2 for the x > 0 with erfc(x) = y, for y of 0 .. 1. */
WG_DEVICE double __wg_erfcinv_guess(double y) {
    double t = __builtin_sqrt(-2 * __builtin_log(y / 2));
    return 0.70710678118654752440 *
           (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)));
}
/* Halley's method, which triples the digits in each step. */
WG_DEVICE double __wg_erfinv_step(double x, double error) {
    return x - error / (1.12837916709551257390 * __builtin_exp(-x * x) + x * error);
}
WG_DEVICE double erfcinv(double y) {
    if (!(y > 0 && y < 2)) {
        return y == 0 ? __builtin_huge_val() : y == 2 ? -__builtin_huge_val() : __builtin_nan("");
    }
    double small = y > 1 ? 2 - y : y;
    double x = __wg_erfcinv_guess(small);
    for (int i = 0; i < 3; i++) {
        x = __wg_erfinv_step(x, small - __builtin_erfc(x));
    }
    return y > 1 ? -x : x;
}
WG_DEVICE double erfinv(double y) {
    double size = __builtin_fabs(y);
    if (!(size <= 0.5)) {
        return __builtin_copysign(erfcinv(1 - size), y);
    }
    double x = __wg_erfcinv_guess(1 - size);
    for (int i = 0; i < 3; i++) {
        x = __wg_erfinv_step(x, __builtin_erf(x) - size);
    }
    return __builtin_copysign(x, y);
}
WG_DEVICE double normcdfinv(double p) {
    return -1.41421356237309504880 * erfcinv(2 * p);
}
/* exp(x * x) * erfc(x); for large x, where one factor overflows, by its asymptotic series. */
WG_DEVICE double erfcx(double x) {
    if (x < 20) {
        return __builtin_exp(x * x) * __builtin_erfc(x);
    }
    double r = 1 / (2 * x * x);
    return 0.56418958354775628695 / x * (1 - r * (1 - 3 * r * (1 - 5 * r * (1 - 7 * r))));
}

/* The power series of I_order / (x / 2)^order, whose terms are all positive. */
WG_DEVICE double __wg_bessel_series(double x, int order) {
    double square = x * x / 4, term = 1, sum = 1;
    for (int k = 1; k < 2000 && term > sum * 1e-17; k++) {
        term *= square / ((double)k * (k + order));
        sum += term;
    }
    return sum;
}
WG_DEVICE double cyl_bessel_i0(double x) {
    return __wg_bessel_series(x, 0);
}
WG_DEVICE double cyl_bessel_i1(double x) {
    return x / 2 * __wg_bessel_series(x, 1);
}

extern "C" {
__device__ double __wg_j0(double x) __asm__("j0");
__device__ double __wg_j1(double x) __asm__("j1");
__device__ double __wg_jn(int n, double x) __asm__("jn");
__device__ double __wg_y0(double x) __asm__("y0");
__device__ double __wg_y1(double x) __asm__("y1");
__device__ double __wg_yn(int n, double x) __asm__("yn");
}
WG_DEVICE double jn(int n, double x) {
    return __wg_jn(n, x);
}
WG_DEVICE float jnf(int n, float x) {
    return (float)__wg_jn(n, x);
}
WG_DEVICE double yn(int n, double x) {
    return __wg_yn(n, x);
}
WG_DEVICE float ynf(int n, float x) {
    return (float)__wg_yn(n, x);
}

#define WG_FLOAT_FORM(name, of)                                                                    \
    WG_DEVICE float name##f(float x) {                                                             \
        return (float)of(x);                                                                       \
    }
#define WG_FROM_LIBM(name)                                                                         \
    WG_DEVICE double name(double x) {                                                              \
        return __wg_##name(x);                                                                     \
    }                                                                                              \
    WG_FLOAT_FORM(name, __wg_##name)
WG_FLOAT_FORM(erfcinv, erfcinv)
WG_FLOAT_FORM(erfinv, erfinv)
WG_FLOAT_FORM(normcdfinv, normcdfinv)
WG_FLOAT_FORM(erfcx, erfcx)
WG_FLOAT_FORM(cyl_bessel_i0, cyl_bessel_i0)
WG_FLOAT_FORM(cyl_bessel_i1, cyl_bessel_i1)
WG_FROM_LIBM(j0)
WG_FROM_LIBM(j1)
WG_FROM_LIBM(y0)
WG_FROM_LIBM(y1)
#undef WG_FROM_LIBM
#undef WG_FLOAT_FORM

#endif
#endif
