/* __hip_bfloat16 and __hip_bfloat162: numbers with a float's range and 8 bits of precision. Every
 * operation is done in float and rounded to nearest even. */
#ifndef WG_HIP_BF16_H
#define WG_HIP_BF16_H

#include <hip/hip_bfloat16.h>
#include <hip/hip_vector_types.h>
#include <hip/math_functions.h>

#ifdef __HIP__

struct __hip_bfloat16_raw {
    unsigned short x;
};
struct __hip_bfloat162_raw {
    unsigned short x, y;
};

struct __hip_bfloat16 {
    unsigned short data;

    __hip_bfloat16() = default;
    WG_HD_MEMBER __hip_bfloat16(const __hip_bfloat16_raw &raw) : data(raw.x) {}
    template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>
    WG_HD_MEMBER __hip_bfloat16(T value) : data(hip_bfloat16((float)value).data) {}
    WG_HD_MEMBER operator __hip_bfloat16_raw() const { return __hip_bfloat16_raw{data}; }
    WG_HD_MEMBER operator float() const { return __builtin_bit_cast(float, (unsigned)data << 16); }
    WG_HD_MEMBER __hip_bfloat16 operator+() const { return *this; }
    WG_HD_MEMBER __hip_bfloat16 operator-() const {
        return __hip_bfloat16_raw{(unsigned short)(data ^ 0x8000)};
    }
#define WG_BF16_OPERATOR(op)                                                                       \
    friend WG_HD_MEMBER __hip_bfloat16 operator op(const __hip_bfloat16 &a,                        \
                                                   const __hip_bfloat16 &b) {                      \
        return __hip_bfloat16((float)a op(float) b);                                               \
    }                                                                                              \
    WG_HD_MEMBER __hip_bfloat16 &operator op##=(const __hip_bfloat16 & b) {                        \
        return *this = *this op b;                                                                 \
    }
    WG_BF16_OPERATOR(+)
    WG_BF16_OPERATOR(-)
    WG_BF16_OPERATOR(*)
    WG_BF16_OPERATOR(/)
#undef WG_BF16_OPERATOR
#define WG_BF16_COMPARE(op)                                                                        \
    friend WG_HD_MEMBER bool operator op(const __hip_bfloat16 &a, const __hip_bfloat16 &b) {       \
        return (float)a op(float) b;                                                               \
    }
    WG_BF16_COMPARE(==)
    WG_BF16_COMPARE(!=)
    WG_BF16_COMPARE(<)
    WG_BF16_COMPARE(<=)
    WG_BF16_COMPARE(>)
    WG_BF16_COMPARE(>=)
#undef WG_BF16_COMPARE
    WG_HD_MEMBER __hip_bfloat16 &operator++() { return *this += __hip_bfloat16(1.0f); }
    WG_HD_MEMBER __hip_bfloat16 &operator--() { return *this -= __hip_bfloat16(1.0f); }
};

struct alignas(4) __hip_bfloat162 {
    __hip_bfloat16 x, y;

    __hip_bfloat162() = default;
    WG_HD_MEMBER __hip_bfloat162(const __hip_bfloat16 &x_, const __hip_bfloat16 &y_)
        : x(x_), y(y_) {}
    WG_HD_MEMBER __hip_bfloat162(const __hip_bfloat162_raw &raw)
        : x(__hip_bfloat16_raw{raw.x}), y(__hip_bfloat16_raw{raw.y}) {}
    WG_HD_MEMBER operator __hip_bfloat162_raw() const { return {x.data, y.data}; }
    WG_HD_MEMBER operator float2() const { return float2((float)x, (float)y); }
    WG_HD_MEMBER __hip_bfloat162 operator-() const { return __hip_bfloat162(-x, -y); }
#define WG_BF162_OPERATOR(op)                                                                      \
    friend WG_HD_MEMBER __hip_bfloat162 operator op(const __hip_bfloat162 &a,                      \
                                                    const __hip_bfloat162 &b) {                    \
        return __hip_bfloat162(a.x op b.x, a.y op b.y);                                            \
    }                                                                                              \
    WG_HD_MEMBER __hip_bfloat162 &operator op##=(const __hip_bfloat162 & b) {                      \
        return *this = *this op b;                                                                 \
    }
    WG_BF162_OPERATOR(+)
    WG_BF162_OPERATOR(-)
    WG_BF162_OPERATOR(*)
    WG_BF162_OPERATOR(/)
#undef WG_BF162_OPERATOR
    friend WG_HD_MEMBER bool operator==(const __hip_bfloat162 &a, const __hip_bfloat162 &b) {
        return a.x == b.x && a.y == b.y;
    }
    friend WG_HD_MEMBER bool operator!=(const __hip_bfloat162 &a, const __hip_bfloat162 &b) {
        return !(a == b);
    }
};

/* ---- Conversions. _rn to nearest even, _rz toward zero, _ru up, _rd down. ---- */
WG_HOST_DEVICE __hip_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
    return __hip_bfloat16_raw{bits};
}
WG_HOST_DEVICE __hip_bfloat16 __short_as_bfloat16(short bits) {
    return __hip_bfloat16_raw{(unsigned short)bits};
}
WG_HOST_DEVICE unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) {
    return x.data;
}
WG_HOST_DEVICE short __bfloat16_as_short(__hip_bfloat16 x) {
    return (short)x.data;
}
/* One step away from zero where the dropped half is not zero and `away` holds. */
WG_HOST_DEVICE __hip_bfloat16 __wg_bf16_cut(float x, bool away) {
    unsigned bits = __builtin_bit_cast(unsigned, x);
    bool is_number = (bits & 0x7fffffff) <= 0x7f800000;
    return is_number ? __ushort_as_bfloat16(
                           (unsigned short)((bits >> 16) + (away && (bits & 0xffff) != 0)))
                     : __hip_bfloat16(x);
}
WG_HOST_DEVICE __hip_bfloat16 __float2bfloat16(float x) {
    return __hip_bfloat16(x);
}
WG_HOST_DEVICE __hip_bfloat16 __float2bfloat16_rn(float x) {
    return __hip_bfloat16(x);
}
WG_HOST_DEVICE __hip_bfloat16 __float2bfloat16_rz(float x) {
    return __wg_bf16_cut(x, false);
}
WG_HOST_DEVICE __hip_bfloat16 __float2bfloat16_ru(float x) {
    return __wg_bf16_cut(x, x > 0);
}
WG_HOST_DEVICE __hip_bfloat16 __float2bfloat16_rd(float x) {
    return __wg_bf16_cut(x, x < 0);
}
WG_HOST_DEVICE __hip_bfloat16 __double2bfloat16(double x) {
    return __hip_bfloat16(x);
}
WG_HOST_DEVICE float __bfloat162float(__hip_bfloat16 x) {
    return (float)x;
}
#define WG_BF16_INTEGER(name, type)                                                                \
    WG_HOST_DEVICE __hip_bfloat16 __##name##2bfloat16_rn(type x) {                                 \
        return __hip_bfloat16(x);                                                                  \
    }                                                                                              \
    WG_HOST_DEVICE type __bfloat162##name##_rn(__hip_bfloat16 x) {                                 \
        return (type)__builtin_rintf((float)x);                                                    \
    }                                                                                              \
    WG_HOST_DEVICE type __bfloat162##name##_rz(__hip_bfloat16 x) {                                 \
        return (type)(float)x;                                                                     \
    }                                                                                              \
    WG_HOST_DEVICE type __bfloat162##name##_ru(__hip_bfloat16 x) {                                 \
        return (type)__builtin_ceilf((float)x);                                                    \
    }                                                                                              \
    WG_HOST_DEVICE type __bfloat162##name##_rd(__hip_bfloat16 x) {                                 \
        return (type)__builtin_floorf((float)x);                                                   \
    }
WG_BF16_INTEGER(int, int)
WG_BF16_INTEGER(uint, unsigned)
WG_BF16_INTEGER(short, short)
WG_BF16_INTEGER(ushort, unsigned short)
WG_BF16_INTEGER(ll, long long)
WG_BF16_INTEGER(ull, unsigned long long)
#undef WG_BF16_INTEGER

/* ---- Pairs ---- */
WG_HOST_DEVICE __hip_bfloat162 make_bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) {
    return __hip_bfloat162(x, y);
}
WG_HOST_DEVICE __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) {
    return __hip_bfloat162(x, y);
}
WG_HOST_DEVICE __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 x) {
    return __hip_bfloat162(x, x);
}
WG_HOST_DEVICE __hip_bfloat162 __float2bfloat162_rn(float x) {
    return __hip_bfloat162(x, x);
}
WG_HOST_DEVICE __hip_bfloat162 __floats2bfloat162_rn(float x, float y) {
    return __hip_bfloat162(x, y);
}
WG_HOST_DEVICE __hip_bfloat162 __float22bfloat162_rn(float2 v) {
    return __hip_bfloat162(v.x, v.y);
}
WG_HOST_DEVICE float2 __bfloat1622float2(__hip_bfloat162 v) {
    return float2((float)v.x, (float)v.y);
}
WG_HOST_DEVICE __hip_bfloat16 __low2bfloat16(__hip_bfloat162 v) {
    return v.x;
}
WG_HOST_DEVICE __hip_bfloat16 __high2bfloat16(__hip_bfloat162 v) {
    return v.y;
}
WG_HOST_DEVICE float __low2float(__hip_bfloat162 v) {
    return (float)v.x;
}
WG_HOST_DEVICE float __high2float(__hip_bfloat162 v) {
    return (float)v.y;
}
WG_HOST_DEVICE __hip_bfloat162 __low2bfloat162(__hip_bfloat162 v) {
    return __hip_bfloat162(v.x, v.x);
}
WG_HOST_DEVICE __hip_bfloat162 __high2bfloat162(__hip_bfloat162 v) {
    return __hip_bfloat162(v.y, v.y);
}
WG_HOST_DEVICE __hip_bfloat162 __lowhigh2highlow(__hip_bfloat162 v) {
    return __hip_bfloat162(v.y, v.x);
}

/* ---- Arithmetic and comparison ---- */
#define WG_BF16_NAMED(name, op)                                                                    \
    WG_HOST_DEVICE __hip_bfloat16 __h##name(__hip_bfloat16 a, __hip_bfloat16 b) {                  \
        return a op b;                                                                             \
    }
WG_BF16_NAMED(add, +)
WG_BF16_NAMED(sub, -)
WG_BF16_NAMED(mul, *)
WG_BF16_NAMED(div, /)
#undef WG_BF16_NAMED
WG_HOST_DEVICE __hip_bfloat162 __hadd2(__hip_bfloat162 a, __hip_bfloat162 b) {
    return a + b;
}
WG_HOST_DEVICE __hip_bfloat162 __hsub2(__hip_bfloat162 a, __hip_bfloat162 b) {
    return a - b;
}
WG_HOST_DEVICE __hip_bfloat162 __hmul2(__hip_bfloat162 a, __hip_bfloat162 b) {
    return a * b;
}
WG_HOST_DEVICE __hip_bfloat162 __h2div(__hip_bfloat162 a, __hip_bfloat162 b) {
    return a / b;
}
WG_HOST_DEVICE __hip_bfloat16 __hneg(__hip_bfloat16 a) {
    return -a;
}
WG_HOST_DEVICE __hip_bfloat162 __hneg2(__hip_bfloat162 a) {
    return -a;
}
WG_HOST_DEVICE __hip_bfloat16 __habs(__hip_bfloat16 a) {
    return __ushort_as_bfloat16(a.data & 0x7fff);
}
WG_HOST_DEVICE __hip_bfloat162 __habs2(__hip_bfloat162 a) {
    return __hip_bfloat162(__habs(a.x), __habs(a.y));
}
WG_HOST_DEVICE __hip_bfloat16 __hfma(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c) {
    return __hip_bfloat16(__builtin_fmaf((float)a, (float)b, (float)c));
}
WG_HOST_DEVICE __hip_bfloat162 __hfma2(__hip_bfloat162 a, __hip_bfloat162 b, __hip_bfloat162 c) {
    return __hip_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
WG_HOST_DEVICE __hip_bfloat16 __hmax(__hip_bfloat16 a, __hip_bfloat16 b) {
    return __hip_bfloat16(__builtin_fmaxf((float)a, (float)b));
}
WG_HOST_DEVICE __hip_bfloat16 __hmin(__hip_bfloat16 a, __hip_bfloat16 b) {
    return __hip_bfloat16(__builtin_fminf((float)a, (float)b));
}
WG_HOST_DEVICE __hip_bfloat162 __hmax2(__hip_bfloat162 a, __hip_bfloat162 b) {
    return __hip_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
WG_HOST_DEVICE __hip_bfloat162 __hmin2(__hip_bfloat162 a, __hip_bfloat162 b) {
    return __hip_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
#define WG_BF16_COMPARE(name, op)                                                                  \
    WG_HOST_DEVICE bool __h##name(__hip_bfloat16 a, __hip_bfloat16 b) {                            \
        return a op b;                                                                             \
    }                                                                                              \
    WG_HOST_DEVICE bool __hb##name##2(__hip_bfloat162 a, __hip_bfloat162 b) {                      \
        return a.x op b.x && a.y op b.y;                                                           \
    }                                                                                              \
    WG_HOST_DEVICE __hip_bfloat162 __h##name##2(__hip_bfloat162 a, __hip_bfloat162 b) {            \
        return __hip_bfloat162(a.x op b.x ? 1.0f : 0.0f, a.y op b.y ? 1.0f : 0.0f);                \
    }
WG_BF16_COMPARE(eq, ==)
WG_BF16_COMPARE(ne, !=)
WG_BF16_COMPARE(lt, <)
WG_BF16_COMPARE(le, <=)
WG_BF16_COMPARE(gt, >)
WG_BF16_COMPARE(ge, >=)
#undef WG_BF16_COMPARE
WG_HOST_DEVICE bool __hisnan(__hip_bfloat16 a) {
    return a != a;
}
WG_HOST_DEVICE int __hisinf(__hip_bfloat16 a) {
    return (a.data & 0x7fff) == 0x7f80;
}

/* ---- Functions ---- */
#define WG_BF16_FUNCTION(name, expression)                                                         \
    WG_DEVICE __hip_bfloat16 h##name(__hip_bfloat16 a) {                                           \
        float x = (float)a;                                                                        \
        return __hip_bfloat16(expression);                                                         \
    }                                                                                              \
    WG_DEVICE __hip_bfloat162 h2##name(__hip_bfloat162 a) {                                        \
        return __hip_bfloat162(h##name(a.x), h##name(a.y));                                        \
    }
WG_BF16_FUNCTION(sqrt, __builtin_sqrtf(x))
WG_BF16_FUNCTION(rsqrt, 1.0f / __builtin_sqrtf(x))
WG_BF16_FUNCTION(rcp, 1.0f / x)
WG_BF16_FUNCTION(exp, __builtin_expf(x))
WG_BF16_FUNCTION(exp2, __builtin_exp2f(x))
WG_BF16_FUNCTION(exp10, __builtin_exp10f(x))
WG_BF16_FUNCTION(log, __builtin_logf(x))
WG_BF16_FUNCTION(log2, __builtin_log2f(x))
WG_BF16_FUNCTION(log10, __builtin_log10f(x))
WG_BF16_FUNCTION(sin, __builtin_sinf(x))
WG_BF16_FUNCTION(cos, __builtin_cosf(x))
WG_BF16_FUNCTION(floor, __builtin_floorf(x))
WG_BF16_FUNCTION(ceil, __builtin_ceilf(x))
WG_BF16_FUNCTION(trunc, __builtin_truncf(x))
WG_BF16_FUNCTION(rint, __builtin_rintf(x))
#undef WG_BF16_FUNCTION

#endif
#endif
