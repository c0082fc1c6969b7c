/* Integer, bit, conversion and fast-math intrinsics: nvcc has them all. */
#ifndef WG_HIP_DEVICE_FUNCTIONS_H
#define WG_HIP_DEVICE_FUNCTIONS_H

#include <hip/detail/thread.h>
#include <hip/math_functions.h>

#endif
