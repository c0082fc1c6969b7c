/* How libraries over HIP call the types of their operands. */
#ifndef WG_HIP_LIBRARY_TYPES_H
#define WG_HIP_LIBRARY_TYPES_H

#include <hip/hip_common.h>

typedef enum hipDataType {
    HIP_R_32F = 0,
    HIP_R_64F = 1,
    HIP_R_16F = 2,
    HIP_C_32F = 4,
    HIP_C_64F = 5,
    HIP_C_16F = 6
} hipDataType;

typedef enum hipLibraryPropertyType {
    HIP_LIBRARY_MAJOR_VERSION,
    HIP_LIBRARY_MINOR_VERSION,
    HIP_LIBRARY_PATCH_LEVEL
} hipLibraryPropertyType;

#endif
