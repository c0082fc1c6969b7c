/* Which platform a source sees. The cpu platform behaves like an AMD GPU, so it says so; code that
 * has to know the difference asks for __HIP_PLATFORM_WAVEGRADE_CPU__. */
#ifndef WG_HIP_COMMON_H
#define WG_HIP_COMMON_H

#if defined(__HIP_PLATFORM_NVIDIA__) || defined(__HIP_PLATFORM_NVCC__)
#error "These HIP headers are for the AMD spelling of HIP: do not define __HIP_PLATFORM_NVIDIA__."
#endif
#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#define __HIP_PLATFORM_WAVEGRADE_CPU__ 1

#include <hip/hip_version.h>

#endif
