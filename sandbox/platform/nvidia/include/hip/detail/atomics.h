/* The atomics that HIP has and CUDA lacks: on more types, and under names of its own. */
#ifndef WG_HIP_DETAIL_ATOMICS_H
#define WG_HIP_DETAIL_ATOMICS_H

#include <hip/detail/platform.h>

#ifdef __CUDACC__

/* Each operation comes in three scopes: for the device, for the block, for the system. */
#define WG_EACH_SCOPE(make, ...)                                                                   \
    make(, __VA_ARGS__) make(_block, __VA_ARGS__) make(_system, __VA_ARGS__)

/* op on T as op on U, which has the same bits. */
#define WG_AS(scope, op, T, U)                                                                     \
    WG_DEVICE T op##scope(T *p, T value) {                                                         \
        return (T)op##scope((U *)p, (U)value);                                                     \
    }
#define WG_CAS_AS(scope, T, U)                                                                     \
    WG_DEVICE T atomicCAS##scope(T *p, T compare, T value) {                                       \
        return (T)atomicCAS##scope((U *)p, (U)compare, (U)value);                                  \
    }
#define WG_SUB_BY_ADD(scope, T, U)                                                                 \
    WG_DEVICE T atomicSub##scope(T *p, T value) {                                                  \
        return (T)atomicAdd##scope((U *)p, -(U)value);                                             \
    }

typedef unsigned long long __wg_bits64;
#define WG_COUNTED(T)                                                                              \
    WG_EACH_SCOPE(WG_AS, atomicAdd, T, __wg_bits64)                                                \
    WG_EACH_SCOPE(WG_AS, atomicExch, T, __wg_bits64)                                               \
    WG_EACH_SCOPE(WG_CAS_AS, T, __wg_bits64)
WG_COUNTED(long long)
WG_COUNTED(long)
WG_COUNTED(unsigned long)
WG_EACH_SCOPE(WG_SUB_BY_ADD, long long, __wg_bits64)
WG_EACH_SCOPE(WG_SUB_BY_ADD, unsigned long long, __wg_bits64)
WG_EACH_SCOPE(WG_SUB_BY_ADD, long, __wg_bits64)
WG_EACH_SCOPE(WG_SUB_BY_ADD, unsigned long, __wg_bits64)
WG_EACH_SCOPE(WG_SUB_BY_ADD, float, float)
WG_EACH_SCOPE(WG_SUB_BY_ADD, double, double)
#define WG_ORDERED(T, U)                                                                           \
    WG_EACH_SCOPE(WG_AS, atomicMin, T, U)                                                          \
    WG_EACH_SCOPE(WG_AS, atomicMax, T, U)                                                          \
    WG_EACH_SCOPE(WG_AS, atomicAnd, T, U)                                                          \
    WG_EACH_SCOPE(WG_AS, atomicOr, T, U)                                                           \
    WG_EACH_SCOPE(WG_AS, atomicXor, T, U)
WG_ORDERED(long, long long)
WG_ORDERED(unsigned long, unsigned long long)

/* A float's bits travel as an integer. */
#define WG_FLOAT_CAS(scope, T, U, to_bits, from_bits)                                              \
    WG_DEVICE T atomicCAS##scope(T *p, T compare, T value) {                                       \
        return from_bits(atomicCAS##scope((U *)p, (U)to_bits(compare), (U)to_bits(value)));        \
    }
#define WG_FLOAT_EXTREME(scope, op, T, U, to_bits, from_bits, better)                              \
    WG_DEVICE T op##scope(T *p, T value) {                                                         \
        U old = *(volatile U *)p, seen;                                                            \
        do {                                                                                       \
            seen = old;                                                                            \
            if (!(value better from_bits(seen))) {                                                 \
                break;                                                                             \
            }                                                                                      \
            old = atomicCAS##scope((U *)p, seen, (U)to_bits(value));                               \
        } while (old != seen);                                                                     \
        return from_bits(old);                                                                     \
    }
WG_EACH_SCOPE(WG_FLOAT_CAS, float, unsigned, __float_as_uint, __uint_as_float)
WG_EACH_SCOPE(WG_FLOAT_CAS, double, __wg_bits64, __double_as_longlong, __longlong_as_double)
WG_EACH_SCOPE(WG_FLOAT_EXTREME, atomicMin, float, unsigned, __float_as_uint, __uint_as_float, <)
WG_EACH_SCOPE(WG_FLOAT_EXTREME, atomicMax, float, unsigned, __float_as_uint, __uint_as_float, >)
WG_EACH_SCOPE(WG_FLOAT_EXTREME, atomicMin, double, __wg_bits64, __double_as_longlong,
              __longlong_as_double, <)
WG_EACH_SCOPE(WG_FLOAT_EXTREME, atomicMax, double, __wg_bits64, __double_as_longlong,
              __longlong_as_double, >)
#define WG_DOUBLE_EXCHANGE(scope, T)                                                               \
    WG_DEVICE T atomicExch##scope(T *p, T value) {                                                 \
        return __longlong_as_double((long long)atomicExch##scope(                                  \
            (__wg_bits64 *)p, (__wg_bits64)__double_as_longlong(value)));                          \
    }
WG_EACH_SCOPE(WG_DOUBLE_EXCHANGE, double)

WG_DEVICE float unsafeAtomicAdd(float *p, float value) {
    return atomicAdd(p, value);
}
WG_DEVICE double unsafeAtomicAdd(double *p, double value) {
    return atomicAdd(p, value);
}
WG_DEVICE float safeAtomicAdd(float *p, float value) {
    return atomicAdd(p, value);
}
WG_DEVICE double safeAtomicAdd(double *p, double value) {
    return atomicAdd(p, value);
}

#undef WG_DOUBLE_EXCHANGE
#undef WG_FLOAT_EXTREME
#undef WG_FLOAT_CAS
#undef WG_ORDERED
#undef WG_COUNTED
#undef WG_SUB_BY_ADD
#undef WG_CAS_AS
#undef WG_AS
#undef WG_EACH_SCOPE
#endif
#endif
