/* HIP's keywords are CUDA's. Outside of nvcc (the harness is C) they mean nothing. */
#ifndef WG_HIP_HOST_DEFINES_H
#define WG_HIP_HOST_DEFINES_H

#include <cuda_runtime_api.h>

#endif
