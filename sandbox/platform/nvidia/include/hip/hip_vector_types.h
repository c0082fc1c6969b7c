/* float4 and its relatives are CUDA's plain structs; what HIP adds are operators. HIP's
 * constructors (float4(1, 2, 3, 4)) cannot be added to a struct from outside: make_float4 works
 * everywhere. */
#ifndef WG_HIP_VECTOR_TYPES_H
#define WG_HIP_VECTOR_TYPES_H

#include <vector_functions.h>
#include <vector_types.h>

#include <hip/detail/platform.h>

#ifdef __cplusplus

#include <type_traits>

#ifdef __CUDACC__
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444 /* CUDA 13 calls double4 and its like old names */
#endif
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

/* Which types are vectors, of what and how many. */
template <class V> struct __wg_vector {
    static constexpr int size = 0;
    using scalar = void;
};
#define WG_VECTOR(V, T, N)                                                                         \
    template <> struct __wg_vector<V> {                                                            \
        static constexpr int size = N;                                                             \
        using scalar = T;                                                                          \
    };
#define WG_VECTORS(name, T)                                                                        \
    WG_VECTOR(name##1, T, 1)                                                                       \
    WG_VECTOR(name##2, T, 2) WG_VECTOR(name##3, T, 3) WG_VECTOR(name##4, T, 4)
WG_VECTORS(char, signed char)
WG_VECTORS(uchar, unsigned char)
WG_VECTORS(short, short)
WG_VECTORS(ushort, unsigned short)
WG_VECTORS(int, int)
WG_VECTORS(uint, unsigned)
WG_VECTORS(long, long)
WG_VECTORS(ulong, unsigned long)
WG_VECTORS(longlong, long long)
WG_VECTORS(ulonglong, unsigned long long)
WG_VECTORS(float, float)
WG_VECTORS(double, double)
#undef WG_VECTORS
#undef WG_VECTOR

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#ifdef __CUDACC__
#pragma nv_diagnostic pop
#endif

/* ---- Operators by component. A scalar may have any arithmetic type and is converted first. ----
 */
#define WG_EACH(op, rhs)                                                                           \
    {                                                                                              \
        using T = typename __wg_vector<V>::scalar;                                                 \
        a.x op rhs(x);                                                                             \
        if constexpr (__wg_vector<V>::size > 1) {                                                  \
            a.y op rhs(y);                                                                         \
        }                                                                                          \
        if constexpr (__wg_vector<V>::size > 2) {                                                  \
            a.z op rhs(z);                                                                         \
        }                                                                                          \
        if constexpr (__wg_vector<V>::size > 3) {                                                  \
            a.w op rhs(w);                                                                         \
        }                                                                                          \
    }
#define WG_OF_B(member)    (T)(b.member)
#define WG_SCALAR(member)  (T)(s)
#define WG_MINUS_A(member) (T)(-a.member)
#define WG_NOT_A(member)   (T)(~a.member)
#define WG_IF(condition)   class = typename std::enable_if<condition>::type
#define WG_IF_VECTOR       WG_IF((__wg_vector<V>::size > 0))
#define WG_IF_INTEGERS     WG_IF(std::is_integral<typename __wg_vector<V>::scalar>::value)
#define WG_IF_SCALAR       WG_IF(std::is_arithmetic<U>::value)
#define WG_BINARY(op, needs)                                                                       \
    template <class V, needs> WG_HOST_DEVICE V &operator op##=(V & a, const V & b) {               \
        WG_EACH(op## =, WG_OF_B)                                                                   \
        return a;                                                                                  \
    }                                                                                              \
    template <class V, class U, needs, WG_IF_SCALAR>                                               \
    WG_HOST_DEVICE V &operator op##=(V & a, U s) {                                                 \
        WG_EACH(op## =, WG_SCALAR)                                                                 \
        return a;                                                                                  \
    }                                                                                              \
    template <class V, needs> WG_HOST_DEVICE V operator op(V a, const V &b) {                      \
        WG_EACH(op## =, WG_OF_B)                                                                   \
        return a;                                                                                  \
    }                                                                                              \
    template <class V, class U, needs, WG_IF_SCALAR> WG_HOST_DEVICE V operator op(V a, U s) {      \
        WG_EACH(op## =, WG_SCALAR)                                                                 \
        return a;                                                                                  \
    }                                                                                              \
    template <class V, class U, needs, WG_IF_SCALAR>                                               \
    WG_HOST_DEVICE V operator op(U s, const V &b) {                                                \
        V a = b;                                                                                   \
        WG_EACH(=, (T)s op WG_OF_B)                                                                \
        return a;                                                                                  \
    }
WG_BINARY(+, WG_IF_VECTOR)
WG_BINARY(-, WG_IF_VECTOR)
WG_BINARY(*, WG_IF_VECTOR)
WG_BINARY(/, WG_IF_VECTOR)
WG_BINARY(%, WG_IF_INTEGERS)
WG_BINARY(&, WG_IF_INTEGERS)
WG_BINARY(|, WG_IF_INTEGERS)
WG_BINARY(^, WG_IF_INTEGERS)
WG_BINARY(<<, WG_IF_INTEGERS)
WG_BINARY(>>, WG_IF_INTEGERS)

template <class V, WG_IF_VECTOR> WG_HOST_DEVICE V operator+(const V &a) {
    return a;
}
template <class V, WG_IF_VECTOR> WG_HOST_DEVICE V operator-(V a) {
    WG_EACH(=, WG_MINUS_A)
    return a;
}
template <class V, WG_IF_INTEGERS> WG_HOST_DEVICE V operator~(V a) {
    WG_EACH(=, WG_NOT_A)
    return a;
}
template <class V, WG_IF_VECTOR> WG_HOST_DEVICE V &operator++(V &a) {
    return a += 1;
}
template <class V, WG_IF_VECTOR> WG_HOST_DEVICE V &operator--(V &a) {
    return a -= 1;
}
template <class V, WG_IF_VECTOR> WG_HOST_DEVICE V operator++(V &a, int) {
    V before = a;
    a += 1;
    return before;
}
template <class V, WG_IF_VECTOR> WG_HOST_DEVICE V operator--(V &a, int) {
    V before = a;
    a -= 1;
    return before;
}

template <class V, WG_IF_VECTOR> WG_HOST_DEVICE bool operator==(const V &a, const V &b) {
    bool same = a.x == b.x;
    if constexpr (__wg_vector<V>::size > 1) {
        same = same && a.y == b.y;
    }
    if constexpr (__wg_vector<V>::size > 2) {
        same = same && a.z == b.z;
    }
    if constexpr (__wg_vector<V>::size > 3) {
        same = same && a.w == b.w;
    }
    return same;
}
template <class V, WG_IF_VECTOR> WG_HOST_DEVICE bool operator!=(const V &a, const V &b) {
    return !(a == b);
}

#undef WG_BINARY
#undef WG_IF_SCALAR
#undef WG_IF_INTEGERS
#undef WG_IF_VECTOR
#undef WG_IF
#undef WG_NOT_A
#undef WG_MINUS_A
#undef WG_SCALAR
#undef WG_OF_B
#undef WG_EACH
#endif
#endif
