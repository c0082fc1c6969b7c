/* Errors. Most have the same number on both sides; those that HIP does not know keep CUDA's. */
#ifndef WG_HIP_DETAIL_ERROR_H
#define WG_HIP_DETAIL_ERROR_H

#include <stdio.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include <hip/driver_types.h>

#define WG_API static inline

#ifdef __cplusplus
extern "C" {
#endif

/* A driver that is missing, or older than the runtime, is a missing device to HIP. */
WG_API hipError_t __wg_error(cudaError_t error) {
    return error == cudaErrorInsufficientDriver || error == cudaErrorStubLibrary
               ? hipErrorNoDevice
               : (hipError_t)error;
}

WG_API hipError_t hipGetLastError(void) {
    return __wg_error(cudaGetLastError());
}
WG_API hipError_t hipExtGetLastError(void) {
    return __wg_error(cudaGetLastError());
}
WG_API hipError_t hipPeekAtLastError(void) {
    return __wg_error(cudaPeekAtLastError());
}

/* Where HIP's name is not CUDA's with another beginning. */
WG_API const char *__wg_own_error_name(hipError_t error) {
    switch ((int)error) {
    case hipErrorOutOfMemory:
        return "hipErrorOutOfMemory";
    case hipErrorNotInitialized:
        return "hipErrorNotInitialized";
    case hipErrorDeinitialized:
        return "hipErrorDeinitialized";
    case hipErrorInvalidImage:
        return "hipErrorInvalidImage";
    case hipErrorInvalidContext:
        return "hipErrorInvalidContext";
    case hipErrorMapFailed:
        return "hipErrorMapFailed";
    case hipErrorUnmapFailed:
        return "hipErrorUnmapFailed";
    case hipErrorNoBinaryForGpu:
        return "hipErrorNoBinaryForGpu";
    case hipErrorECCNotCorrectable:
        return "hipErrorECCNotCorrectable";
    case hipErrorContextAlreadyInUse:
        return "hipErrorContextAlreadyInUse";
    case hipErrorInvalidKernelFile:
        return "hipErrorInvalidKernelFile";
    case hipErrorInvalidHandle:
        return "hipErrorInvalidHandle";
    case hipErrorNotFound:
        return "hipErrorNotFound";
    case hipErrorLaunchTimeOut:
        return "hipErrorLaunchTimeOut";
    default:
        return NULL;
    }
}
WG_API const char *hipGetErrorName(hipError_t error) {
    static __thread char name[64];
    const char *own = __wg_own_error_name(error);
    const char *cuda = cudaGetErrorName((cudaError_t)error);
    if (own != NULL || strncmp(cuda, "cuda", 4) != 0) {
        return own != NULL ? own : "hipErrorUnknown";
    }
    (void)snprintf(name, sizeof name, "hip%s", cuda + 4);
    return name;
}
WG_API const char *hipGetErrorString(hipError_t error) {
    return cudaGetErrorString((cudaError_t)error);
}

#ifdef __cplusplus
}
#endif

#endif
