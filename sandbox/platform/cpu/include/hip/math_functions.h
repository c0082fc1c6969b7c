/* The math functions in kernels.
 *
 * The C and C++ libraries' headers come first and plainly. libstdc++'s float overloads (std::sqrt
 * of a float) are constexpr, which makes them usable on both sides already; what it takes from the
 * C library (double, and the names with f) is host only. Device overloads of those follow here,
 * over clang's builtins, and are then brought into std as well. */
#ifndef WG_HIP_MATH_FUNCTIONS_H
#define WG_HIP_MATH_FUNCTIONS_H

#include <hip/detail/platform.h>

#ifdef __HIP__

#include <cmath>
#include <limits>
#include <math.h>
#include <type_traits>

#define WG_MATH_1(name)                                                                            \
    WG_DEVICE double name(double x) {                                                              \
        return __builtin_##name(x);                                                                \
    }                                                                                              \
    WG_DEVICE float name##f(float x) {                                                             \
        return __builtin_##name##f(x);                                                             \
    }
#define WG_MATH_2(name)                                                                            \
    WG_DEVICE double name(double x, double y) {                                                    \
        return __builtin_##name(x, y);                                                             \
    }                                                                                              \
    WG_DEVICE float name##f(float x, float y) {                                                    \
        return __builtin_##name##f(x, y);                                                          \
    }

WG_MATH_1(acos)
WG_MATH_1(acosh)
WG_MATH_1(asin)
WG_MATH_1(asinh)
WG_MATH_1(atan)
WG_MATH_1(atanh)
WG_MATH_1(cbrt)
WG_MATH_1(ceil)
WG_MATH_1(cos)
WG_MATH_1(cosh)
WG_MATH_1(erf)
WG_MATH_1(erfc)
WG_MATH_1(exp)
WG_MATH_1(exp10)
WG_MATH_1(exp2)
WG_MATH_1(expm1)
WG_MATH_1(fabs)
WG_MATH_1(floor)
WG_MATH_1(lgamma)
WG_MATH_1(log)
WG_MATH_1(log10)
WG_MATH_1(log1p)
WG_MATH_1(log2)
WG_MATH_1(logb)
WG_MATH_1(nearbyint)
WG_MATH_1(rint)
WG_MATH_1(round)
WG_MATH_1(sin)
WG_MATH_1(sinh)
WG_MATH_1(sqrt)
WG_MATH_1(tan)
WG_MATH_1(tanh)
WG_MATH_1(tgamma)
WG_MATH_1(trunc)
WG_MATH_2(atan2)
WG_MATH_2(copysign)
WG_MATH_2(fdim)
WG_MATH_2(fmax)
WG_MATH_2(fmin)
WG_MATH_2(fmod)
WG_MATH_2(hypot)
WG_MATH_2(nextafter)
WG_MATH_2(pow)
WG_MATH_2(remainder)

/* Mixed arguments, as in pow(2.0f, n): libstdc++'s templates for them end in host functions. The
 * enable_if that is always true makes these the better match. */
template <class A, class B>
using __wg_double_if_mixed_t =
    typename std::enable_if<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value &&
                                !(std::is_same<A, B>::value && std::is_floating_point<A>::value),
                            double>::type;
#define WG_MATH_MIXED(name)                                                                        \
    template <class A, class B>                                                                    \
    WG_DEVICE __wg_double_if_mixed_t<A, B> name(A x, B y) __attribute__((enable_if(true, ""))) {   \
        return __builtin_##name((double)x, (double)y);                                             \
    }
WG_MATH_MIXED(atan2)
WG_MATH_MIXED(copysign)
WG_MATH_MIXED(fdim)
WG_MATH_MIXED(fmax)
WG_MATH_MIXED(fmin)
WG_MATH_MIXED(fmod)
WG_MATH_MIXED(hypot)
WG_MATH_MIXED(nextafter)
WG_MATH_MIXED(pow)
WG_MATH_MIXED(remainder)
#undef WG_MATH_MIXED
WG_DEVICE double pow(double x, int n) {
    return __builtin_pow(x, (double)n);
}
WG_DEVICE float pow(float x, int n) {
    return __builtin_powf(x, (float)n);
}

WG_DEVICE double fma(double x, double y, double z) {
    return __builtin_fma(x, y, z);
}
WG_DEVICE float fmaf(float x, float y, float z) {
    return __builtin_fmaf(x, y, z);
}
WG_DEVICE double ldexp(double x, int e) {
    return __builtin_ldexp(x, e);
}
WG_DEVICE float ldexpf(float x, int e) {
    return __builtin_ldexpf(x, e);
}
WG_DEVICE double scalbn(double x, int e) {
    return __builtin_scalbn(x, e);
}
WG_DEVICE float scalbnf(float x, int e) {
    return __builtin_scalbnf(x, e);
}
WG_DEVICE double scalbln(double x, long e) {
    return __builtin_scalbln(x, e);
}
WG_DEVICE float scalblnf(float x, long e) {
    return __builtin_scalblnf(x, e);
}
WG_DEVICE double remquo(double x, double y, int *quotient) {
    return __builtin_remquo(x, y, quotient);
}
WG_DEVICE float remquof(float x, float y, int *quotient) {
    return __builtin_remquof(x, y, quotient);
}
WG_DEVICE int ilogb(double x) {
    return __builtin_ilogb(x);
}
WG_DEVICE int ilogbf(float x) {
    return __builtin_ilogbf(x);
}
WG_DEVICE long lrint(double x) {
    return __builtin_lrint(x);
}
WG_DEVICE long lrintf(float x) {
    return __builtin_lrintf(x);
}
WG_DEVICE long long llrint(double x) {
    return __builtin_llrint(x);
}
WG_DEVICE long long llrintf(float x) {
    return __builtin_llrintf(x);
}
WG_DEVICE long lround(double x) {
    return __builtin_lround(x);
}
WG_DEVICE long lroundf(float x) {
    return __builtin_lroundf(x);
}
WG_DEVICE long long llround(double x) {
    return __builtin_llround(x);
}
WG_DEVICE long long llroundf(float x) {
    return __builtin_llroundf(x);
}
WG_DEVICE double frexp(double x, int *e) {
    return __builtin_frexp(x, e);
}
WG_DEVICE float frexpf(float x, int *e) {
    return __builtin_frexpf(x, e);
}
WG_DEVICE float frexp(float x, int *e) {
    return __builtin_frexpf(x, e);
}
WG_DEVICE double modf(double x, double *whole) {
    return __builtin_modf(x, whole);
}
WG_DEVICE float modff(float x, float *whole) {
    return __builtin_modff(x, whole);
}
WG_DEVICE float modf(float x, float *whole) {
    return __builtin_modff(x, whole);
}
WG_DEVICE double nan(const char *) {
    return __builtin_nan("");
}
WG_DEVICE float nanf(const char *) {
    return __builtin_nanf("");
}
WG_DEVICE int abs(int x) {
    return __builtin_abs(x);
}
WG_DEVICE long abs(long x) {
    return __builtin_labs(x);
}
WG_DEVICE long long abs(long long x) {
    return __builtin_llabs(x);
}
WG_DEVICE long labs(long x) {
    return __builtin_labs(x);
}
WG_DEVICE long long llabs(long long x) {
    return __builtin_llabs(x);
}

/* What HIP has beyond C. The float overloads of the names without f are ours too here. */
#define WG_EXTRA_1(name, double_value, float_value)                                                \
    WG_DEVICE double name(double x) {                                                              \
        return double_value;                                                                       \
    }                                                                                              \
    WG_DEVICE float name##f(float x) {                                                             \
        return float_value;                                                                        \
    }                                                                                              \
    WG_DEVICE float name(float x) {                                                                \
        return float_value;                                                                        \
    }
WG_EXTRA_1(rsqrt, 1.0 / __builtin_sqrt(x), 1.0f / __builtin_sqrtf(x))
WG_EXTRA_1(rcbrt, 1.0 / __builtin_cbrt(x), 1.0f / __builtin_cbrtf(x))
WG_EXTRA_1(sinpi, __builtin_sin(x * 3.14159265358979323846),
           (float)__builtin_sin(x * 3.14159265358979323846))
WG_EXTRA_1(cospi, __builtin_cos(x * 3.14159265358979323846),
           (float)__builtin_cos(x * 3.14159265358979323846))
WG_EXTRA_1(normcdf, 0.5 * __builtin_erfc(-x * 0.70710678118654752440),
           0.5f * __builtin_erfcf(-x * 0.70710678f))
#undef WG_EXTRA_1
WG_DEVICE float exp10(float x) {
    return __builtin_exp10f(x);
}
WG_DEVICE void sincos(double x, double *sine, double *cosine) {
    *sine = __builtin_sin(x);
    *cosine = __builtin_cos(x);
}
WG_DEVICE void sincosf(float x, float *sine, float *cosine) {
    *sine = __builtin_sinf(x);
    *cosine = __builtin_cosf(x);
}
WG_DEVICE void sincos(float x, float *sine, float *cosine) {
    sincosf(x, sine, cosine);
}
WG_DEVICE double rhypot(double x, double y) {
    return 1.0 / __builtin_hypot(x, y);
}
WG_DEVICE float rhypotf(float x, float y) {
    return 1.0f / __builtin_hypotf(x, y);
}
WG_DEVICE double norm3d(double x, double y, double z) {
    return __builtin_sqrt(x * x + y * y + z * z);
}
WG_DEVICE float norm3df(float x, float y, float z) {
    return __builtin_sqrtf(x * x + y * y + z * z);
}
WG_DEVICE double rnorm3d(double x, double y, double z) {
    return 1.0 / norm3d(x, y, z);
}
WG_DEVICE float rnorm3df(float x, float y, float z) {
    return 1.0f / norm3df(x, y, z);
}
WG_DEVICE double norm4d(double x, double y, double z, double t) {
    return __builtin_sqrt(x * x + y * y + z * z + t * t);
}
WG_DEVICE float norm4df(float x, float y, float z, float t) {
    return __builtin_sqrtf(x * x + y * y + z * z + t * t);
}
WG_DEVICE double rnorm4d(double x, double y, double z, double t) {
    return 1.0 / norm4d(x, y, z, t);
}
WG_DEVICE float rnorm4df(float x, float y, float z, float t) {
    return 1.0f / norm4df(x, y, z, t);
}
WG_DEVICE double norm(int count, const double *values) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += values[i] * values[i];
    }
    return __builtin_sqrt(sum);
}
WG_DEVICE float normf(int count, const float *values) {
    float sum = 0;
    for (int i = 0; i < count; i++) {
        sum += values[i] * values[i];
    }
    return __builtin_sqrtf(sum);
}
WG_DEVICE double rnorm(int count, const double *values) {
    return 1.0 / norm(count, values);
}
WG_DEVICE float rnormf(int count, const float *values) {
    return 1.0f / normf(count, values);
}
WG_DEVICE void sincospi(double x, double *sine, double *cosine) {
    *sine = sinpi(x);
    *cosine = cospi(x);
}
WG_DEVICE void sincospif(float x, float *sine, float *cosine) {
    *sine = sinpif(x);
    *cosine = cospif(x);
}
WG_DEVICE double powi(double x, int n) {
    return __builtin_pow(x, (double)n);
}
WG_DEVICE float powif(float x, int n) {
    return __builtin_powf(x, (float)n);
}
WG_DEVICE float fdividef(float x, float y) {
    return x / y;
}

/* min and max on both sides: plain for equal types, with the usual arithmetic conversions for a
 * mixed pair, as in min(n, blockDim.x). */
#define WG_MIN_MAX(T)                                                                              \
    WG_HOST_DEVICE constexpr T min(T a, T b) {                                                     \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    WG_HOST_DEVICE constexpr T max(T a, T b) {                                                     \
        return a < b ? b : a;                                                                      \
    }
WG_MIN_MAX(int)
WG_MIN_MAX(unsigned)
WG_MIN_MAX(long)
WG_MIN_MAX(unsigned long)
WG_MIN_MAX(long long)
WG_MIN_MAX(unsigned long long)
#undef WG_MIN_MAX
WG_HOST_DEVICE float min(float a, float b) {
    return __builtin_fminf(a, b);
}
WG_HOST_DEVICE float max(float a, float b) {
    return __builtin_fmaxf(a, b);
}
WG_HOST_DEVICE double min(double a, double b) {
    return __builtin_fmin(a, b);
}
WG_HOST_DEVICE double max(double a, double b) {
    return __builtin_fmax(a, b);
}
template <class A, class B>
using __wg_mixed_t =
    typename std::enable_if<std::is_arithmetic<A>::value && std::is_arithmetic<B>::value &&
                                !std::is_same<A, B>::value,
                            decltype(A() + B())>::type;
template <class A, class B> WG_HOST_DEVICE __wg_mixed_t<A, B> min(A a, B b) {
    using T = __wg_mixed_t<A, B>;
    return min((T)a, (T)b);
}
template <class A, class B> WG_HOST_DEVICE __wg_mixed_t<A, B> max(A a, B b) {
    using T = __wg_mixed_t<A, B>;
    return max((T)a, (T)b);
}

namespace std {
#define WG_USING(name)                                                                             \
    using ::name;                                                                                  \
    using ::name##f;
WG_USING(acos)
WG_USING(acosh)
WG_USING(asin)
WG_USING(asinh)
WG_USING(atan)
WG_USING(atan2)
WG_USING(atanh)
WG_USING(cbrt)
WG_USING(ceil)
WG_USING(copysign)
WG_USING(cos)
WG_USING(cosh)
WG_USING(erf)
WG_USING(erfc)
WG_USING(exp)
WG_USING(exp2)
WG_USING(expm1)
WG_USING(fabs)
WG_USING(fdim)
WG_USING(floor)
WG_USING(fma)
WG_USING(fmax)
WG_USING(fmin)
WG_USING(fmod)
WG_USING(frexp)
WG_USING(hypot)
WG_USING(ilogb)
WG_USING(ldexp)
WG_USING(lgamma)
WG_USING(llrint)
WG_USING(llround)
WG_USING(log)
WG_USING(log10)
WG_USING(log1p)
WG_USING(log2)
WG_USING(logb)
WG_USING(lrint)
WG_USING(lround)
WG_USING(modf)
WG_USING(nearbyint)
WG_USING(nextafter)
WG_USING(pow)
WG_USING(remainder)
WG_USING(rint)
WG_USING(round)
WG_USING(scalbn)
WG_USING(sin)
WG_USING(sinh)
WG_USING(sqrt)
WG_USING(tan)
WG_USING(tanh)
WG_USING(tgamma)
WG_USING(trunc)
using ::abs;
using ::labs;
using ::llabs;
#undef WG_USING
} // namespace std

#undef WG_MATH_2
#undef WG_MATH_1

#include <hip/detail/special_functions.h>
#endif
#endif
