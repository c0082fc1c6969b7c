/* The math functions in kernels: nvcc has them all. */
#ifndef WG_HIP_MATH_FUNCTIONS_H
#define WG_HIP_MATH_FUNCTIONS_H

#include <hip/detail/platform.h>

#ifdef __cplusplus
#include <cmath>
#endif
#include <math.h>

#endif
