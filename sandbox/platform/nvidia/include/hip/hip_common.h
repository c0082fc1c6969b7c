/* Which platform a source sees. Editors are often told __HIP_PLATFORM_AMD__ in the source itself;
 * here that is not so, and code that asks must get the answer that fits this compiler. */
#ifndef WG_HIP_COMMON_H
#define WG_HIP_COMMON_H

#undef __HIP_PLATFORM_AMD__
#undef __HIP_PLATFORM_HCC__
#ifndef __HIP_PLATFORM_NVIDIA__
#define __HIP_PLATFORM_NVIDIA__ 1
#endif
#ifdef __CUDACC__
#define __HIPCC__ 1
#endif
#ifdef __CUDA_ARCH__
#define __HIP_DEVICE_COMPILE__ 1
#endif

#include <hip/hip_version.h>

#endif
