/* Half precision: __half over clang's _Float16, __half2, conversions, arithmetic and the common
 * functions. Every operation rounds to half, as on a GPU. */
#ifndef WG_HIP_FP16_H
#define WG_HIP_FP16_H

#include <hip/hip_vector_types.h>
#include <hip/math_functions.h>

#ifdef __HIP__

struct __half_raw {
    unsigned short x;
};

struct __half {
    _Float16 data;

    __half() = default;
    WG_HD_MEMBER __half(const __half_raw &raw) : data(__builtin_bit_cast(_Float16, raw.x)) {}
    template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value ||
                                                std::is_same<T, _Float16>::value>>
    WG_HD_MEMBER __half(T value) : data((_Float16)value) {}
    template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value ||
                                                std::is_same<T, _Float16>::value>>
    WG_HD_MEMBER operator T() const {
        return (T)data;
    }
    WG_HD_MEMBER operator __half_raw() const {
        return __half_raw{__builtin_bit_cast(unsigned short, data)};
    }
    WG_HD_MEMBER __half operator+() const { return *this; }
    WG_HD_MEMBER __half operator-() const { return __half((_Float16)-data); }
#define WG_HALF_OPERATOR(op)                                                                       \
    friend WG_HD_MEMBER __half operator op(const __half &a, const __half &b) {                     \
        return __half((_Float16)(a.data op b.data));                                               \
    }                                                                                              \
    WG_HD_MEMBER __half &operator op##=(const __half & b) { return *this = *this op b; }
    WG_HALF_OPERATOR(+)
    WG_HALF_OPERATOR(-)
    WG_HALF_OPERATOR(*)
    WG_HALF_OPERATOR(/)
#undef WG_HALF_OPERATOR
#define WG_HALF_COMPARE(op)                                                                        \
    friend WG_HD_MEMBER bool operator op(const __half &a, const __half &b) {                       \
        return a.data op b.data;                                                                   \
    }
    WG_HALF_COMPARE(==)
    WG_HALF_COMPARE(!=)
    WG_HALF_COMPARE(<)
    WG_HALF_COMPARE(<=)
    WG_HALF_COMPARE(>)
    WG_HALF_COMPARE(>=)
#undef WG_HALF_COMPARE
};
typedef __half half;

struct alignas(4) __half2 {
    __half x, y;

    __half2() = default;
    WG_HD_MEMBER __half2(const __half &x_, const __half &y_) : x(x_), y(y_) {}
    WG_HD_MEMBER explicit __half2(const __half &both) : x(both), y(both) {}
#define WG_HALF2_OPERATOR(op)                                                                      \
    friend WG_HD_MEMBER __half2 operator op(const __half2 &a, const __half2 &b) {                  \
        return __half2(a.x op b.x, a.y op b.y);                                                    \
    }                                                                                              \
    WG_HD_MEMBER __half2 &operator op##=(const __half2 & b) { return *this = *this op b; }
    WG_HALF2_OPERATOR(+)
    WG_HALF2_OPERATOR(-)
    WG_HALF2_OPERATOR(*)
    WG_HALF2_OPERATOR(/)
#undef WG_HALF2_OPERATOR
    WG_HD_MEMBER __half2 operator-() const { return __half2(-x, -y); }
    friend WG_HD_MEMBER bool operator==(const __half2 &a, const __half2 &b) {
        return a.x == b.x && a.y == b.y;
    }
    friend WG_HD_MEMBER bool operator!=(const __half2 &a, const __half2 &b) { return !(a == b); }
};
typedef __half2 half2;

/* ---- Conversions ---- */
WG_HOST_DEVICE __half __float2half(float x) {
    return __half(x);
}
WG_HOST_DEVICE __half __float2half_rn(float x) {
    return __half(x);
}
WG_HOST_DEVICE __half __double2half(double x) {
    return __half(x);
}
WG_HOST_DEVICE float __half2float(__half x) {
    return (float)x.data;
}
WG_HOST_DEVICE __half __int2half_rn(int x) {
    return __half(x);
}
WG_HOST_DEVICE __half __uint2half_rn(unsigned x) {
    return __half(x);
}
WG_HOST_DEVICE __half __short2half_rn(short x) {
    return __half(x);
}
WG_HOST_DEVICE __half __ushort2half_rn(unsigned short x) {
    return __half(x);
}
WG_HOST_DEVICE int __half2int_rn(__half x) {
    return (int)__builtin_rintf((float)x.data);
}
WG_HOST_DEVICE int __half2int_rz(__half x) {
    return (int)x.data;
}
WG_HOST_DEVICE unsigned __half2uint_rn(__half x) {
    return (unsigned)__builtin_rintf((float)x.data);
}
WG_HOST_DEVICE unsigned __half2uint_rz(__half x) {
    return (unsigned)x.data;
}
WG_HOST_DEVICE short __half_as_short(__half x) {
    return __builtin_bit_cast(short, x.data);
}
WG_HOST_DEVICE unsigned short __half_as_ushort(__half x) {
    return __builtin_bit_cast(unsigned short, x.data);
}
WG_HOST_DEVICE __half __short_as_half(short x) {
    return __half(__builtin_bit_cast(_Float16, x));
}
WG_HOST_DEVICE __half __ushort_as_half(unsigned short x) {
    return __half(__builtin_bit_cast(_Float16, x));
}
WG_HOST_DEVICE __half2 make_half2(__half x, __half y) {
    return __half2(x, y);
}
WG_HOST_DEVICE __half2 __halves2half2(__half x, __half y) {
    return __half2(x, y);
}
WG_HOST_DEVICE __half2 __half2half2(__half x) {
    return __half2(x, x);
}
WG_HOST_DEVICE __half2 __float2half2_rn(float x) {
    return __half2(__half(x));
}
WG_HOST_DEVICE __half2 __floats2half2_rn(float x, float y) {
    return __half2(__half(x), __half(y));
}
WG_HOST_DEVICE __half2 __float22half2_rn(float2 v) {
    return __floats2half2_rn(v.x, v.y);
}
WG_HOST_DEVICE float2 __half22float2(__half2 v) {
    return float2((float)v.x, (float)v.y);
}
WG_HOST_DEVICE __half __low2half(__half2 v) {
    return v.x;
}
WG_HOST_DEVICE __half __high2half(__half2 v) {
    return v.y;
}
WG_HOST_DEVICE float __low2float(__half2 v) {
    return (float)v.x;
}
WG_HOST_DEVICE float __high2float(__half2 v) {
    return (float)v.y;
}
WG_HOST_DEVICE __half2 __low2half2(__half2 v) {
    return __half2(v.x, v.x);
}
WG_HOST_DEVICE __half2 __high2half2(__half2 v) {
    return __half2(v.y, v.y);
}
WG_HOST_DEVICE __half2 __lows2half2(__half2 a, __half2 b) {
    return __half2(a.x, b.x);
}
WG_HOST_DEVICE __half2 __highs2half2(__half2 a, __half2 b) {
    return __half2(a.y, b.y);
}
WG_HOST_DEVICE __half2 __lowhigh2highlow(__half2 v) {
    return __half2(v.y, v.x);
}

/* ---- Arithmetic and comparison ---- */
WG_DEVICE __half __hadd(__half a, __half b) {
    return a + b;
}
WG_DEVICE __half __hsub(__half a, __half b) {
    return a - b;
}
WG_DEVICE __half __hmul(__half a, __half b) {
    return a * b;
}
WG_DEVICE __half __hdiv(__half a, __half b) {
    return a / b;
}
WG_DEVICE __half __hneg(__half a) {
    return -a;
}
WG_DEVICE __half __habs(__half a) {
    return __half(__builtin_fabsf((float)a));
}
/* The product of two halves is exact in double, so rounding happens once, at the end. */
WG_DEVICE __half __hfma(__half a, __half b, __half c) {
    return __half(__builtin_fma((double)a, (double)b, (double)c));
}
WG_DEVICE __half __hmax(__half a, __half b) {
    return __half(__builtin_fmaxf((float)a, (float)b));
}
WG_DEVICE __half __hmin(__half a, __half b) {
    return __half(__builtin_fminf((float)a, (float)b));
}
WG_DEVICE bool __heq(__half a, __half b) {
    return a == b;
}
WG_DEVICE bool __hne(__half a, __half b) {
    return a != b;
}
WG_DEVICE bool __hlt(__half a, __half b) {
    return a < b;
}
WG_DEVICE bool __hle(__half a, __half b) {
    return a <= b;
}
WG_DEVICE bool __hgt(__half a, __half b) {
    return a > b;
}
WG_DEVICE bool __hge(__half a, __half b) {
    return a >= b;
}
WG_DEVICE bool __hisnan(__half a) {
    return a != a;
}
WG_DEVICE int __hisinf(__half a) {
    return __builtin_isinf((float)a);
}
WG_DEVICE __half2 __hadd2(__half2 a, __half2 b) {
    return a + b;
}
WG_DEVICE __half2 __hsub2(__half2 a, __half2 b) {
    return a - b;
}
WG_DEVICE __half2 __hmul2(__half2 a, __half2 b) {
    return a * b;
}
WG_DEVICE __half2 __h2div(__half2 a, __half2 b) {
    return a / b;
}
WG_DEVICE __half2 __hneg2(__half2 a) {
    return -a;
}
WG_DEVICE __half2 __habs2(__half2 a) {
    return __half2(__habs(a.x), __habs(a.y));
}
WG_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

/* ---- Functions ---- */
#define WG_HALF_FUNCTION(name, expression)                                                         \
    WG_DEVICE __half h##name(__half a) {                                                           \
        float x = (float)a;                                                                        \
        return __half(expression);                                                                 \
    }                                                                                              \
    WG_DEVICE __half2 h2##name(__half2 a) {                                                        \
        return __half2(h##name(a.x), h##name(a.y));                                                \
    }
WG_HALF_FUNCTION(sqrt, __builtin_sqrtf(x))
WG_HALF_FUNCTION(rsqrt, 1.0f / __builtin_sqrtf(x))
WG_HALF_FUNCTION(rcp, 1.0f / x)
WG_HALF_FUNCTION(exp, __builtin_expf(x))
WG_HALF_FUNCTION(exp2, __builtin_exp2f(x))
WG_HALF_FUNCTION(exp10, __builtin_exp10f(x))
WG_HALF_FUNCTION(log, __builtin_logf(x))
WG_HALF_FUNCTION(log2, __builtin_log2f(x))
WG_HALF_FUNCTION(log10, __builtin_log10f(x))
WG_HALF_FUNCTION(sin, __builtin_sinf(x))
WG_HALF_FUNCTION(cos, __builtin_cosf(x))
WG_HALF_FUNCTION(floor, __builtin_floorf(x))
WG_HALF_FUNCTION(ceil, __builtin_ceilf(x))
WG_HALF_FUNCTION(trunc, __builtin_truncf(x))
WG_HALF_FUNCTION(rint, __builtin_rintf(x))
#undef WG_HALF_FUNCTION

#endif
#endif
