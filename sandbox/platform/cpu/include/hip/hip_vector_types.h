/* float4 and its relatives: HIP_vector_type<T, N> with ROCm's alignment, constructors and
 * operators, on the host as well. */
#ifndef WG_HIP_VECTOR_TYPES_H
#define WG_HIP_VECTOR_TYPES_H

#include <hip/detail/platform.h>

#ifdef __cplusplus

#include <type_traits>

template <class T, unsigned N> struct HIP_vector_type;

template <class T> struct HIP_vector_type<T, 1> {
    using value_type = T;
    T x;
    HIP_vector_type() = default;
    WG_HD_MEMBER constexpr HIP_vector_type(T x_) : x(x_) {}
};
template <class T> struct alignas(2 * sizeof(T)) HIP_vector_type<T, 2> {
    using value_type = T;
    T x, y;
    HIP_vector_type() = default;
    WG_HD_MEMBER constexpr explicit HIP_vector_type(T all) : x(all), y(all) {}
    WG_HD_MEMBER constexpr HIP_vector_type(T x_, T y_) : x(x_), y(y_) {}
};
template <class T> struct HIP_vector_type<T, 3> {
    using value_type = T;
    T x, y, z;
    HIP_vector_type() = default;
    WG_HD_MEMBER constexpr explicit HIP_vector_type(T all) : x(all), y(all), z(all) {}
    WG_HD_MEMBER constexpr HIP_vector_type(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
};
template <class T> struct alignas(4 * sizeof(T)) HIP_vector_type<T, 4> {
    using value_type = T;
    T x, y, z, w;
    HIP_vector_type() = default;
    WG_HD_MEMBER constexpr explicit HIP_vector_type(T all) : x(all), y(all), z(all), w(all) {}
    WG_HD_MEMBER constexpr HIP_vector_type(T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_) {}
};

#define WG_VECTOR_TYPES(name, T)                                                                   \
    using name##1 = HIP_vector_type<T, 1>;                                                         \
    using name##2 = HIP_vector_type<T, 2>;                                                         \
    using name##3 = HIP_vector_type<T, 3>;                                                         \
    using name##4 = HIP_vector_type<T, 4>;                                                         \
    WG_HOST_DEVICE name##1 make_##name##1(T x) {                                                   \
        return name##1(x);                                                                         \
    }                                                                                              \
    WG_HOST_DEVICE name##2 make_##name##2(T x, T y) {                                              \
        return name##2(x, y);                                                                      \
    }                                                                                              \
    WG_HOST_DEVICE name##3 make_##name##3(T x, T y, T z) {                                         \
        return name##3(x, y, z);                                                                   \
    }                                                                                              \
    WG_HOST_DEVICE name##4 make_##name##4(T x, T y, T z, T w) {                                    \
        return name##4(x, y, z, w);                                                                \
    }
WG_VECTOR_TYPES(char, char)
WG_VECTOR_TYPES(uchar, unsigned char)
WG_VECTOR_TYPES(short, short)
WG_VECTOR_TYPES(ushort, unsigned short)
WG_VECTOR_TYPES(int, int)
WG_VECTOR_TYPES(uint, unsigned int)
WG_VECTOR_TYPES(long, long)
WG_VECTOR_TYPES(ulong, unsigned long)
WG_VECTOR_TYPES(longlong, long long)
WG_VECTOR_TYPES(ulonglong, unsigned long long)
WG_VECTOR_TYPES(float, float)
WG_VECTOR_TYPES(double, double)
#undef WG_VECTOR_TYPES

/* a OP= b for vectors and for a scalar b, then a OP b in terms of them. The scalar may have any
 * arithmetic type and is converted first, as in ROCm. */
#define WG_EACH(op, rhs)                                                                           \
    a.x op rhs(x);                                                                                 \
    if constexpr (N > 1) {                                                                         \
        a.y op rhs(y);                                                                             \
    }                                                                                              \
    if constexpr (N > 2) {                                                                         \
        a.z op rhs(z);                                                                             \
    }                                                                                              \
    if constexpr (N > 3) {                                                                         \
        a.w op rhs(w);                                                                             \
    }
#define WG_OF_B(member)   (T)(b.member)
#define WG_SCALAR(member) (T)(s)
#define WG_IF_SCALAR(U)   class = typename std::enable_if<std::is_arithmetic<U>::value>::type
#define WG_BINARY(op, needs)                                                                       \
    template <class T, unsigned N, needs>                                                          \
    WG_HOST_DEVICE HIP_vector_type<T, N> &operator op##=(HIP_vector_type<T, N> &a,                 \
                                                         const HIP_vector_type<T, N> &b) {         \
        WG_EACH(op## =, WG_OF_B)                                                                   \
        return a;                                                                                  \
    }                                                                                              \
    template <class T, unsigned N, class U, needs, WG_IF_SCALAR(U)>                                \
    WG_HOST_DEVICE HIP_vector_type<T, N> &operator op##=(HIP_vector_type<T, N> &a, U s) {          \
        WG_EACH(op## =, WG_SCALAR)                                                                 \
        return a;                                                                                  \
    }                                                                                              \
    template <class T, unsigned N, needs>                                                          \
    WG_HOST_DEVICE HIP_vector_type<T, N> operator op(HIP_vector_type<T, N> a,                      \
                                                     const HIP_vector_type<T, N> &b) {             \
        return a op## = b;                                                                         \
    }                                                                                              \
    template <class T, unsigned N, class U, needs, WG_IF_SCALAR(U)>                                \
    WG_HOST_DEVICE HIP_vector_type<T, N> operator op(HIP_vector_type<T, N> a, U s) {               \
        return a op## = s;                                                                         \
    }                                                                                              \
    template <class T, unsigned N, class U, needs, WG_IF_SCALAR(U)>                                \
    WG_HOST_DEVICE HIP_vector_type<T, N> operator op(U s, const HIP_vector_type<T, N> &b) {        \
        HIP_vector_type<T, N> a = b;                                                               \
        WG_EACH(=, (T)s op WG_OF_B)                                                                \
        return a;                                                                                  \
    }
#define WG_ANY      class = void
#define WG_INTEGERS class = typename std::enable_if<std::is_integral<T>::value>::type
WG_BINARY(+, WG_ANY)
WG_BINARY(-, WG_ANY)
WG_BINARY(*, WG_ANY)
WG_BINARY(/, WG_ANY)
WG_BINARY(%, WG_INTEGERS)
WG_BINARY(&, WG_INTEGERS)
WG_BINARY(|, WG_INTEGERS)
WG_BINARY(^, WG_INTEGERS)
WG_BINARY(<<, WG_INTEGERS)
WG_BINARY(>>, WG_INTEGERS)

template <class T, unsigned N>
WG_HOST_DEVICE HIP_vector_type<T, N> operator+(const HIP_vector_type<T, N> &a) {
    return a;
}
#define WG_MINUS_A(member) (T)(-a.member)
#define WG_NOT_A(member)   (T)(~a.member)
template <class T, unsigned N>
WG_HOST_DEVICE HIP_vector_type<T, N> operator-(HIP_vector_type<T, N> a) {
    WG_EACH(=, WG_MINUS_A)
    return a;
}
template <class T, unsigned N, WG_INTEGERS>
WG_HOST_DEVICE HIP_vector_type<T, N> operator~(HIP_vector_type<T, N> a) {
    WG_EACH(=, WG_NOT_A)
    return a;
}
template <class T, unsigned N>
WG_HOST_DEVICE HIP_vector_type<T, N> &operator++(HIP_vector_type<T, N> &a) {
    return a += (T)1;
}
template <class T, unsigned N>
WG_HOST_DEVICE HIP_vector_type<T, N> &operator--(HIP_vector_type<T, N> &a) {
    return a -= (T)1;
}
template <class T, unsigned N>
WG_HOST_DEVICE HIP_vector_type<T, N> operator++(HIP_vector_type<T, N> &a, int) {
    HIP_vector_type<T, N> before = a;
    a += (T)1;
    return before;
}
template <class T, unsigned N>
WG_HOST_DEVICE HIP_vector_type<T, N> operator--(HIP_vector_type<T, N> &a, int) {
    HIP_vector_type<T, N> before = a;
    a -= (T)1;
    return before;
}

template <class T, unsigned N>
WG_HOST_DEVICE bool operator==(const HIP_vector_type<T, N> &a, const HIP_vector_type<T, N> &b) {
    bool same = a.x == b.x;
    if constexpr (N > 1) {
        same = same && a.y == b.y;
    }
    if constexpr (N > 2) {
        same = same && a.z == b.z;
    }
    if constexpr (N > 3) {
        same = same && a.w == b.w;
    }
    return same;
}
template <class T, unsigned N>
WG_HOST_DEVICE bool operator!=(const HIP_vector_type<T, N> &a, const HIP_vector_type<T, N> &b) {
    return !(a == b);
}
#define WG_COMPARE_SCALAR(op)                                                                      \
    template <class T, unsigned N, class U, WG_IF_SCALAR(U)>                                       \
    WG_HOST_DEVICE bool operator op(const HIP_vector_type<T, N> &a, U s) {                         \
        return a op HIP_vector_type<T, N>((T)s);                                                   \
    }                                                                                              \
    template <class T, unsigned N, class U, WG_IF_SCALAR(U)>                                       \
    WG_HOST_DEVICE bool operator op(U s, const HIP_vector_type<T, N> &b) {                         \
        return HIP_vector_type<T, N>((T)s) op b;                                                   \
    }
WG_COMPARE_SCALAR(==)
WG_COMPARE_SCALAR(!=)

#undef WG_COMPARE_SCALAR
#undef WG_NOT_A
#undef WG_MINUS_A
#undef WG_INTEGERS
#undef WG_ANY
#undef WG_BINARY
#undef WG_IF_SCALAR
#undef WG_SCALAR
#undef WG_OF_B
#undef WG_EACH
#endif
#endif
