/* Half precision is CUDA's; its names and HIP's are the same. */
#ifndef WG_HIP_FP16_H
#define WG_HIP_FP16_H

#include <hip/hip_vector_types.h>

#ifdef __CUDACC__
#include <cuda_fp16.h>
#endif

#endif
