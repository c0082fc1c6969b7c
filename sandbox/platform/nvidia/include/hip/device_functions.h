/* Integer, bit, conversion and fast-math intrinsics: nvcc has all but a few that are AMD's. */
#ifndef WG_HIP_DEVICE_FUNCTIONS_H
#define WG_HIP_DEVICE_FUNCTIONS_H

#include <hip/detail/thread.h>
#include <hip/math_functions.h>

#include <hip/detail/bit_fields.h>

#endif
