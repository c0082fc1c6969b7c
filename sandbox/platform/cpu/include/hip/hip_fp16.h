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
    WG_HD_MEMBER __half &operator++() { return *this += __half(1); }
    WG_HD_MEMBER __half operator++(int) {
        __half before = *this;
        *this += __half(1);
        return before;
    }
    WG_HD_MEMBER __half &operator--() { return *this -= __half(1); }
    WG_HD_MEMBER __half operator--(int) {
        __half before = *this;
        *this -= __half(1);
        return before;
    }
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

struct __half2_raw {
    unsigned short x, y;
};

struct alignas(4) __half2 {
    __half x, y;

    __half2() = default;
    WG_HD_MEMBER __half2(const __half &x_, const __half &y_) : x(x_), y(y_) {}
    WG_HD_MEMBER explicit __half2(const __half &both) : x(both), y(both) {}
    WG_HD_MEMBER __half2(const __half2_raw &raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
    WG_HD_MEMBER operator __half2_raw() const {
        return {__builtin_bit_cast(unsigned short, x.data),
                __builtin_bit_cast(unsigned short, y.data)};
    }
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
    WG_HD_MEMBER __half2 &operator++() { return *this += __half2(__half(1)); }
    WG_HD_MEMBER __half2 operator++(int) {
        __half2 before = *this;
        *this += __half2(__half(1));
        return before;
    }
    WG_HD_MEMBER __half2 &operator--() { return *this -= __half2(__half(1)); }
    WG_HD_MEMBER __half2 operator--(int) {
        __half2 before = *this;
        *this -= __half2(__half(1));
        return before;
    }
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
WG_HOST_DEVICE __half __double2half(double x) {
    return __half(x);
}
WG_HOST_DEVICE float __half2float(__half x) {
    return (float)x.data;
}
/* _rn to nearest even, _rz toward zero, _ru up, _rd down. */
WG_HOST_DEVICE __half __wg_half_toward(long double x, bool up) {
    _Float16 nearest = (_Float16)x;
    short bits = __builtin_bit_cast(short, nearest);
    bool is_off = up ? nearest < x : nearest > x;
    if (is_off && nearest == 0) {
        bits = (short)(up ? 0x0001 : 0x8001);
    } else if (is_off) {
        bits = (short)(bits + ((nearest > 0) == up ? 1 : -1));
    }
    return __half(__builtin_bit_cast(_Float16, bits));
}
#define WG_TO_HALF(name, type)                                                                     \
    WG_HOST_DEVICE __half __##name##2half_rn(type x) {                                             \
        return __half(x);                                                                          \
    }                                                                                              \
    WG_HOST_DEVICE __half __##name##2half_rz(type x) {                                             \
        return __wg_half_toward(x, x < 0);                                                         \
    }                                                                                              \
    WG_HOST_DEVICE __half __##name##2half_ru(type x) {                                             \
        return __wg_half_toward(x, true);                                                          \
    }                                                                                              \
    WG_HOST_DEVICE __half __##name##2half_rd(type x) {                                             \
        return __wg_half_toward(x, false);                                                         \
    }
#define WG_HALF_AND_INTEGER(name, type)                                                            \
    WG_TO_HALF(name, type)                                                                         \
    WG_HOST_DEVICE type __half2##name##_rn(__half x) {                                             \
        return (type)__builtin_rintf((float)x.data);                                               \
    }                                                                                              \
    WG_HOST_DEVICE type __half2##name##_rz(__half x) {                                             \
        return (type)x.data;                                                                       \
    }                                                                                              \
    WG_HOST_DEVICE type __half2##name##_ru(__half x) {                                             \
        return (type)__builtin_ceilf((float)x.data);                                               \
    }                                                                                              \
    WG_HOST_DEVICE type __half2##name##_rd(__half x) {                                             \
        return (type)__builtin_floorf((float)x.data);                                              \
    }
WG_TO_HALF(float, float)
WG_HALF_AND_INTEGER(int, int)
WG_HALF_AND_INTEGER(uint, unsigned)
WG_HALF_AND_INTEGER(short, short)
WG_HALF_AND_INTEGER(ushort, unsigned short)
WG_HALF_AND_INTEGER(ll, long long)
WG_HALF_AND_INTEGER(ull, unsigned long long)
#undef WG_HALF_AND_INTEGER
#undef WG_TO_HALF
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
/* In order: the plain form is false when an operand is NaN, the one with u is true then. */
#define WG_HALF_COMPARE(name, op)                                                                  \
    WG_DEVICE bool __h##name(__half a, __half b) {                                                 \
        return a op b;                                                                             \
    }                                                                                              \
    WG_DEVICE bool __h##name##u(__half a, __half b) {                                              \
        return a.data op b.data || __builtin_isunordered((float)a, (float)b);                      \
    }                                                                                              \
    WG_DEVICE __half2 __h##name##2(__half2 a, __half2 b) {                                         \
        return __half2(__half(__h##name(a.x, b.x)), __half(__h##name(a.y, b.y)));                  \
    }                                                                                              \
    WG_DEVICE __half2 __h##name##u2(__half2 a, __half2 b) {                                        \
        return __half2(__half(__h##name##u(a.x, b.x)), __half(__h##name##u(a.y, b.y)));            \
    }                                                                                              \
    WG_DEVICE bool __hb##name##2(__half2 a, __half2 b) {                                           \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }                                                                                              \
    WG_DEVICE bool __hb##name##u2(__half2 a, __half2 b) {                                          \
        return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                   \
    }
WG_HALF_COMPARE(eq, ==)
WG_HALF_COMPARE(ne, !=)
WG_HALF_COMPARE(lt, <)
WG_HALF_COMPARE(le, <=)
WG_HALF_COMPARE(gt, >)
WG_HALF_COMPARE(ge, >=)
#undef WG_HALF_COMPARE
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

WG_DEVICE __half2 __hmax2(__half2 a, __half2 b) {
    return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
WG_DEVICE __half2 __hmin2(__half2 a, __half2 b) {
    return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
WG_DEVICE __half __hmax_nan(__half a, __half b) {
    return a != a ? a : b != b ? b : __hmax(a, b);
}
WG_DEVICE __half __hmin_nan(__half a, __half b) {
    return a != a ? a : b != b ? b : __hmin(a, b);
}
WG_DEVICE __half2 __hisnan2(__half2 a) {
    return __half2(__half(__hisnan(a.x)), __half(__hisnan(a.y)));
}
WG_DEVICE __half2 __hisinf2(__half2 a) {
    return __half2(__half(__hisinf(a.x) != 0), __half(__hisinf(a.y) != 0));
}

/* _sat: clamped to 0 .. 1, and 0 for NaN. */
WG_DEVICE __half __wg_saturate(__half a) {
    return a > __half(0) ? (a < __half(1) ? a : __half(1)) : __half(0);
}
#define WG_HALF_SATURATED(name, op)                                                                \
    WG_DEVICE __half __h##name##_sat(__half a, __half b) {                                         \
        return __wg_saturate(a op b);                                                              \
    }                                                                                              \
    WG_DEVICE __half2 __h##name##2_sat(__half2 a, __half2 b) {                                     \
        return __half2(__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y));                      \
    }
WG_HALF_SATURATED(add, +)
WG_HALF_SATURATED(sub, -)
WG_HALF_SATURATED(mul, *)
#undef WG_HALF_SATURATED
WG_DEVICE __half __hfma_sat(__half a, __half b, __half c) {
    return __wg_saturate(__hfma(a, b, c));
}
WG_DEVICE __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
    return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
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
