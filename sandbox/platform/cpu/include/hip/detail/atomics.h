/* Atomics on device and shared memory. They are real atomic instructions, relaxed as on AMD GPUs,
 * so loops that spin on them stay loops. The scope (block, device, system) makes no difference
 * here. */
#ifndef WG_HIP_DETAIL_ATOMICS_H
#define WG_HIP_DETAIL_ATOMICS_H

#include <hip/detail/platform.h>

#ifdef __HIP__

/* *p = next(*p) for what the processor has no instruction for; bits: the integer that carries T. */
template <class T, class Next> WG_DEVICE T __wg_atomic_update(T *p, Next next) {
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, next(old), false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
    return old;
}
template <class F, class Bits, class Next> WG_DEVICE F __wg_atomic_update_float(F *p, Next next) {
    Bits old = __atomic_load_n((Bits *)p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n((Bits *)p, &old,
                                        __builtin_bit_cast(Bits, next(__builtin_bit_cast(F, old))),
                                        false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return __builtin_bit_cast(F, old);
}

/* Each operation comes in the three scopes. */
#define WG_ATOMIC(name, T, expression)                                                             \
    WG_DEVICE T name(T *p, T value) {                                                              \
        return expression;                                                                         \
    }                                                                                              \
    WG_DEVICE T name##_block(T *p, T value) {                                                      \
        return expression;                                                                         \
    }                                                                                              \
    WG_DEVICE T name##_system(T *p, T value) {                                                     \
        return expression;                                                                         \
    }

#define WG_ATOMIC_INTEGER(T)                                                                       \
    WG_ATOMIC(atomicAdd, T, __atomic_fetch_add(p, value, __ATOMIC_RELAXED))                        \
    WG_ATOMIC(atomicSub, T, __atomic_fetch_sub(p, value, __ATOMIC_RELAXED))                        \
    WG_ATOMIC(atomicMin, T, __atomic_fetch_min(p, value, __ATOMIC_RELAXED))                        \
    WG_ATOMIC(atomicMax, T, __atomic_fetch_max(p, value, __ATOMIC_RELAXED))                        \
    WG_ATOMIC(atomicAnd, T, __atomic_fetch_and(p, value, __ATOMIC_RELAXED))                        \
    WG_ATOMIC(atomicOr, T, __atomic_fetch_or(p, value, __ATOMIC_RELAXED))                          \
    WG_ATOMIC(atomicXor, T, __atomic_fetch_xor(p, value, __ATOMIC_RELAXED))                        \
    WG_ATOMIC(atomicExch, T, __atomic_exchange_n(p, value, __ATOMIC_RELAXED))                      \
    WG_DEVICE T atomicCAS(T *p, T compare, T value) {                                              \
        __atomic_compare_exchange_n(p, &compare, value, false, __ATOMIC_RELAXED,                   \
                                    __ATOMIC_RELAXED);                                             \
        return compare;                                                                            \
    }                                                                                              \
    WG_DEVICE T atomicCAS_block(T *p, T compare, T value) {                                        \
        return atomicCAS(p, compare, value);                                                       \
    }                                                                                              \
    WG_DEVICE T atomicCAS_system(T *p, T compare, T value) {                                       \
        return atomicCAS(p, compare, value);                                                       \
    }

WG_ATOMIC_INTEGER(int)
WG_ATOMIC_INTEGER(unsigned)
WG_ATOMIC_INTEGER(long)
WG_ATOMIC_INTEGER(unsigned long)
WG_ATOMIC_INTEGER(long long)
WG_ATOMIC_INTEGER(unsigned long long)

#define WG_ATOMIC_FLOAT(T, Bits)                                                                   \
    WG_ATOMIC(atomicAdd, T, __atomic_fetch_add(p, value, __ATOMIC_RELAXED))                        \
    WG_ATOMIC(atomicSub, T, __atomic_fetch_sub(p, value, __ATOMIC_RELAXED))                        \
    WG_ATOMIC(atomicMin, T, (__wg_atomic_update_float<T, Bits>(p, [=](T old) {                     \
                  return value < old ? value : old;                                                \
              })))                                                                                 \
    WG_ATOMIC(atomicMax, T, (__wg_atomic_update_float<T, Bits>(p, [=](T old) {                     \
                  return value > old ? value : old;                                                \
              })))                                                                                 \
    WG_ATOMIC(                                                                                     \
        atomicExch, T,                                                                             \
        __builtin_bit_cast(                                                                        \
            T, __atomic_exchange_n((Bits *)p, __builtin_bit_cast(Bits, value), __ATOMIC_RELAXED))) \
    WG_DEVICE T atomicCAS(T *p, T compare, T value) {                                              \
        return __builtin_bit_cast(T, atomicCAS((Bits *)p, __builtin_bit_cast(Bits, compare),       \
                                               __builtin_bit_cast(Bits, value)));                  \
    }

WG_ATOMIC_FLOAT(float, unsigned)
WG_ATOMIC_FLOAT(double, unsigned long long)

/* inc: up to value, then 0. dec: down to 0, then value. */
WG_ATOMIC(atomicInc, unsigned,
          __wg_atomic_update(p, [=](unsigned old) { return old >= value ? 0u : old + 1; }))
WG_ATOMIC(atomicDec, unsigned, __wg_atomic_update(p, [=](unsigned old) {
              return old == 0 || old > value ? value : old - 1;
          }))

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

#undef WG_ATOMIC_FLOAT
#undef WG_ATOMIC_INTEGER
#undef WG_ATOMIC
#endif
#endif
