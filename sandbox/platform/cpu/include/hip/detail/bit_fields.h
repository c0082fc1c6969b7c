/* AMD's functions for parts of a number. The nvidia platform has a copy of this file. */
#ifndef WG_HIP_DETAIL_BIT_FIELDS_H
#define WG_HIP_DETAIL_BIT_FIELDS_H

#include <hip/device_functions.h>

#if defined(__HIP__) || defined(__CUDACC__)

/* The lowest bit that is set, counted from 0; all ones if none is. */
WG_DEVICE unsigned __lastbit_u32_u32(unsigned x) {
    return (unsigned)__ffs((int)x) - 1;
}
WG_DEVICE unsigned __lastbit_u32_u64(unsigned long long x) {
    return (unsigned)__ffsll((long long)x) - 1;
}
/* width bits from bit `offset` on; offset and width modulo the size of T. */
#define WG_BIT_FIELDS(suffix, T, limit)                                                            \
    WG_DEVICE T __bitextract_##suffix(T x, unsigned offset, unsigned width) {                      \
        return x >> (offset & (limit)) & (((T)1 << (width & (limit))) - 1);                        \
    }                                                                                              \
    WG_DEVICE T __bitinsert_##suffix(T x, T bits, unsigned offset, unsigned width) {               \
        T mask = ((T)1 << (width & (limit))) - 1;                                                  \
        return (x & ~(mask << (offset & (limit)))) | (bits & mask) << (offset & (limit));          \
    }
WG_BIT_FIELDS(u32, unsigned, 31)
WG_BIT_FIELDS(u64, uint64_t, 63)
#undef WG_BIT_FIELDS
/* The bit that is the offset-th set one from bit `base` on, up or (negative) down; offset 0: is bit
 * `base` set? -1: there is none. */
WG_DEVICE int __fns64(unsigned long long mask, unsigned base, int offset) {
    int step = offset < 0 ? -1 : 1, left = offset < 0 ? -offset : offset;
    for (int bit = (int)base; bit >= 0 && bit < 64; bit += step) {
        left -= (int)(mask >> bit & 1);
        if (left <= 0 && (mask >> bit & 1)) {
            return bit;
        }
        if (offset == 0) {
            return -1;
        }
    }
    return -1;
}
WG_DEVICE int __fns32(unsigned long long mask, unsigned base, int offset) {
    return __fns64(mask, base, offset);
}
#ifdef __HIP__ /* CUDA has this one */
WG_DEVICE int __fns(unsigned mask, unsigned base, int offset) {
    return __fns64(mask, base, offset);
}
#endif

#endif
#endif
