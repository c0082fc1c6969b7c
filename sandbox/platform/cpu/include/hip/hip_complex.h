/* Complex numbers over float2 and double2. The nvidia platform has a copy of this file. */
#ifndef WG_HIP_COMPLEX_H
#define WG_HIP_COMPLEX_H

#include <hip/hip_vector_types.h>
#include <hip/math_functions.h>

#ifdef __cplusplus

#include <math.h>

typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;

/* s: the f of the float functions, or nothing. Division scales by the larger part of the divisor,
 * so that neither the square nor the quotient overflows. */
#define WG_COMPLEX(C, T, name, s)                                                                  \
    WG_HOST_DEVICE C make_##name(T real, T imaginary) {                                            \
        return C{real, imaginary};                                                                 \
    }                                                                                              \
    WG_HOST_DEVICE T hipCreal##s(C z) {                                                            \
        return z.x;                                                                                \
    }                                                                                              \
    WG_HOST_DEVICE T hipCimag##s(C z) {                                                            \
        return z.y;                                                                                \
    }                                                                                              \
    WG_HOST_DEVICE C hipConj##s(C z) {                                                             \
        return C{z.x, -z.y};                                                                       \
    }                                                                                              \
    WG_HOST_DEVICE T hipCsqabs##s(C z) {                                                           \
        return z.x * z.x + z.y * z.y;                                                              \
    }                                                                                              \
    WG_HOST_DEVICE T hipCabs##s(C z) {                                                             \
        return hypot##s(z.x, z.y);                                                                 \
    }                                                                                              \
    WG_HOST_DEVICE C hipCadd##s(C a, C b) {                                                        \
        return C{a.x + b.x, a.y + b.y};                                                            \
    }                                                                                              \
    WG_HOST_DEVICE C hipCsub##s(C a, C b) {                                                        \
        return C{a.x - b.x, a.y - b.y};                                                            \
    }                                                                                              \
    WG_HOST_DEVICE C hipCmul##s(C a, C b) {                                                        \
        return C{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                    \
    }                                                                                              \
    WG_HOST_DEVICE C hipCfma##s(C a, C b, C c) {                                                   \
        return hipCadd##s(hipCmul##s(a, b), c);                                                    \
    }                                                                                              \
    WG_HOST_DEVICE C hipCdiv##s(C a, C b) {                                                        \
        if (fabs##s(b.x) >= fabs##s(b.y)) {                                                        \
            T r = b.y / b.x, d = b.x + b.y * r;                                                    \
            return C{(a.x + a.y * r) / d, (a.y - a.x * r) / d};                                    \
        }                                                                                          \
        T r = b.x / b.y, d = b.x * r + b.y;                                                        \
        return C{(a.x * r + a.y) / d, (a.y * r - a.x) / d};                                        \
    }
WG_COMPLEX(hipFloatComplex, float, hipFloatComplex, f)
WG_COMPLEX(hipDoubleComplex, double, hipDoubleComplex, )
#undef WG_COMPLEX
WG_HOST_DEVICE hipComplex make_hipComplex(float real, float imaginary) {
    return hipComplex{real, imaginary};
}
WG_HOST_DEVICE hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z) {
    return hipDoubleComplex{z.x, z.y};
}
WG_HOST_DEVICE hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z) {
    return hipFloatComplex{(float)z.x, (float)z.y};
}

#endif
#endif
