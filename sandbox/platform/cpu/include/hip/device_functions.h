/* Integer, bit, conversion and fast-math intrinsics. Conversions have all four rounding modes, and
 * arithmetic rounds to nearest only. */
#ifndef WG_HIP_DEVICE_FUNCTIONS_H
#define WG_HIP_DEVICE_FUNCTIONS_H

#include <hip/detail/thread.h>
#include <hip/math_functions.h>

#ifdef __HIP__

/* ---- Bits ---- */
WG_DEVICE unsigned __popc(unsigned x) {
    return (unsigned)__builtin_popcount(x);
}
WG_DEVICE unsigned __popcll(unsigned long long x) {
    return (unsigned)__builtin_popcountll(x);
}
WG_DEVICE int __clz(int x) {
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}
WG_DEVICE int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
WG_DEVICE int __ffs(int x) {
    return __builtin_ffs(x);
}
WG_DEVICE int __ffs(unsigned x) {
    return __builtin_ffs((int)x);
}
WG_DEVICE int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
WG_DEVICE int __ffsll(unsigned long long x) {
    return __builtin_ffsll((long long)x);
}
WG_DEVICE int __ffsll(unsigned long x) {
    return __builtin_ffsll((long long)x);
}
WG_DEVICE unsigned __brev(unsigned x) {
    return __builtin_bitreverse32(x);
}
WG_DEVICE unsigned long long __brevll(unsigned long long x) {
    return __builtin_bitreverse64(x);
}
WG_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    unsigned long long pair = (unsigned long long)high << 32 | low;
    return (unsigned)(pair << (shift & 31) >> 32);
}
WG_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    unsigned long long pair = (unsigned long long)high << 32 | low;
    return (unsigned)(pair >> (shift & 31));
}
/* The forms that clamp the shift to 32 instead of taking it modulo 32. */
WG_DEVICE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift < 32 ? __funnelshift_l(low, high, shift) : low;
}
WG_DEVICE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift < 32 ? __funnelshift_r(low, high, shift) : high;
}
/* Byte i of the result is byte (selector >> 4i) & 7 of the eight bytes y:x. */
WG_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    unsigned long long pair = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned long long byte = pair >> 8 * (selector >> 4 * i & 7) & 0xff;
        result |= (unsigned)byte << 8 * i;
    }
    return result;
}

/* ---- Integer arithmetic ---- */
WG_DEVICE int __mul24(int a, int b) {
    return (a << 8 >> 8) * (b << 8 >> 8);
}
WG_DEVICE int __umul24(unsigned a, unsigned b) {
    return (int)((a & 0xffffff) * (b & 0xffffff));
}
WG_DEVICE int __mulhi(int a, int b) {
    return (int)((long long)a * b >> 32);
}
WG_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}
WG_DEVICE long long __mul64hi(long long a, long long b) {
    return (long long)((__int128)a * b >> 64);
}
WG_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
WG_DEVICE unsigned __sad(int a, int b, unsigned c) {
    return (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a) + c;
}
WG_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) {
    return (a > b ? a - b : b - a) + c;
}
WG_DEVICE int __hadd(int a, int b) {
    return (int)(((long long)a + b) >> 1);
}
WG_DEVICE int __rhadd(int a, int b) {
    return (int)(((long long)a + b + 1) >> 1);
}
WG_DEVICE unsigned __uhadd(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
WG_DEVICE unsigned __urhadd(unsigned a, unsigned b) {
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}

/* ---- The same bits as another type ---- */
WG_DEVICE int __float_as_int(float x) {
    return __builtin_bit_cast(int, x);
}
WG_DEVICE unsigned __float_as_uint(float x) {
    return __builtin_bit_cast(unsigned, x);
}
WG_DEVICE float __int_as_float(int x) {
    return __builtin_bit_cast(float, x);
}
WG_DEVICE float __uint_as_float(unsigned x) {
    return __builtin_bit_cast(float, x);
}
WG_DEVICE long long __double_as_longlong(double x) {
    return __builtin_bit_cast(long long, x);
}
WG_DEVICE double __longlong_as_double(long long x) {
    return __builtin_bit_cast(double, x);
}
WG_DEVICE int __double2hiint(double x) {
    return (int)(__double_as_longlong(x) >> 32);
}
WG_DEVICE int __double2loint(double x) {
    return (int)__double_as_longlong(x);
}
WG_DEVICE double __hiloint2double(int high, int low) {
    return __longlong_as_double(
        (long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

/* ---- Conversions. _rn to nearest even, _rz toward zero, _ru up, _rd down. ---- */
#define WG_TO_INTEGER(from, suffix, to, type)                                                      \
    WG_DEVICE type __##from##2##to##_rn(from x) {                                                  \
        return (type)__builtin_rint##suffix(x);                                                    \
    }                                                                                              \
    WG_DEVICE type __##from##2##to##_rz(from x) {                                                  \
        return (type)x;                                                                            \
    }                                                                                              \
    WG_DEVICE type __##from##2##to##_ru(from x) {                                                  \
        return (type)__builtin_ceil##suffix(x);                                                    \
    }                                                                                              \
    WG_DEVICE type __##from##2##to##_rd(from x) {                                                  \
        return (type)__builtin_floor##suffix(x);                                                   \
    }
WG_TO_INTEGER(float, f, int, int)
WG_TO_INTEGER(float, f, uint, unsigned)
WG_TO_INTEGER(float, f, ll, long long)
WG_TO_INTEGER(float, f, ull, unsigned long long)
WG_TO_INTEGER(double, , int, int)
WG_TO_INTEGER(double, , uint, unsigned)
WG_TO_INTEGER(double, , ll, long long)
WG_TO_INTEGER(double, , ull, unsigned long long)
#undef WG_TO_INTEGER
/* The float that is not below x (up), or not above it. */
WG_DEVICE float __wg_float_toward(long double x, bool up) {
    float nearest = (float)x;
    if (up ? nearest < x : nearest > x) {
        nearest =
            __builtin_nextafterf(nearest, up ? __builtin_huge_valf() : -__builtin_huge_valf());
    }
    return nearest;
}
WG_DEVICE double __wg_double_toward(long double x, bool up) {
    double nearest = (double)x;
    if (up ? nearest < x : nearest > x) {
        nearest = __builtin_nextafter(nearest, up ? __builtin_huge_val() : -__builtin_huge_val());
    }
    return nearest;
}
#define WG_TO_FLOATING(from, type, to)                                                             \
    WG_DEVICE to __##from##2##to##_rn(type x) {                                                    \
        return (to)x;                                                                              \
    }                                                                                              \
    WG_DEVICE to __##from##2##to##_rz(type x) {                                                    \
        return __wg_##to##_toward((long double)x, x < 0);                                          \
    }                                                                                              \
    WG_DEVICE to __##from##2##to##_ru(type x) {                                                    \
        return __wg_##to##_toward((long double)x, true);                                           \
    }                                                                                              \
    WG_DEVICE to __##from##2##to##_rd(type x) {                                                    \
        return __wg_##to##_toward((long double)x, false);                                          \
    }
WG_TO_FLOATING(int, int, float)
WG_TO_FLOATING(uint, unsigned, float)
WG_TO_FLOATING(ll, long long, float)
WG_TO_FLOATING(ull, unsigned long long, float)
WG_TO_FLOATING(double, double, float)
WG_TO_FLOATING(ll, long long, double)
WG_TO_FLOATING(ull, unsigned long long, double)
#undef WG_TO_FLOATING
WG_DEVICE double __int2double_rn(int x) {
    return (double)x;
}
WG_DEVICE double __uint2double_rn(unsigned x) {
    return (double)x;
}

/* ---- Arithmetic that is never fused with its neighbours ---- */
#define WG_UNFUSED(name, type, expression)                                                         \
    WG_DEVICE type name(type a, type b) {                                                          \
        _Pragma("clang fp contract(off)") return expression;                                       \
    }
WG_UNFUSED(__fadd_rn, float, a + b)
WG_UNFUSED(__fsub_rn, float, a - b)
WG_UNFUSED(__fmul_rn, float, a *b)
WG_UNFUSED(__fdiv_rn, float, a / b)
WG_UNFUSED(__dadd_rn, double, a + b)
WG_UNFUSED(__dsub_rn, double, a - b)
WG_UNFUSED(__dmul_rn, double, a *b)
WG_UNFUSED(__ddiv_rn, double, a / b)
#undef WG_UNFUSED
WG_DEVICE float __fmaf_rn(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
WG_DEVICE double __fma_rn(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
WG_DEVICE float __frcp_rn(float x) {
    return 1.0f / x;
}
WG_DEVICE double __drcp_rn(double x) {
    return 1.0 / x;
}
WG_DEVICE float __fsqrt_rn(float x) {
    return __builtin_sqrtf(x);
}
WG_DEVICE double __dsqrt_rn(double x) {
    return __builtin_sqrt(x);
}
WG_DEVICE float __frsqrt_rn(float x) {
    return 1.0f / __builtin_sqrtf(x);
}

/* ---- Fast math: here as exact as the plain functions ---- */
WG_DEVICE float __expf(float x) {
    return __builtin_expf(x);
}
WG_DEVICE float __exp10f(float x) {
    return __builtin_exp10f(x);
}
WG_DEVICE float __logf(float x) {
    return __builtin_logf(x);
}
WG_DEVICE float __log2f(float x) {
    return __builtin_log2f(x);
}
WG_DEVICE float __log10f(float x) {
    return __builtin_log10f(x);
}
WG_DEVICE float __sinf(float x) {
    return __builtin_sinf(x);
}
WG_DEVICE float __cosf(float x) {
    return __builtin_cosf(x);
}
WG_DEVICE float __tanf(float x) {
    return __builtin_tanf(x);
}
WG_DEVICE void __sincosf(float x, float *sine, float *cosine) {
    *sine = __builtin_sinf(x);
    *cosine = __builtin_cosf(x);
}
WG_DEVICE float __powf(float x, float y) {
    return __builtin_powf(x, y);
}
WG_DEVICE float __fdividef(float a, float b) {
    return a / b;
}
WG_DEVICE float __saturatef(float x) {
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

/* ---- Loads that a GPU may route through another cache ---- */
template <class T> WG_DEVICE T __ldg(const T *p) {
    return *p;
}
template <class T> WG_DEVICE T __ldca(const T *p) {
    return *p;
}
template <class T> WG_DEVICE T __ldcg(const T *p) {
    return *p;
}
template <class T> WG_DEVICE T __ldcs(const T *p) {
    return *p;
}

#include <hip/detail/bit_fields.h>

#endif
#endif
