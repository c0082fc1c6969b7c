/* What a device is like. */
#ifndef WG_HIP_DETAIL_PROPERTIES_H
#define WG_HIP_DETAIL_PROPERTIES_H

#include <hip/detail/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* CUDA's attribute for HIP's; -1: it has none. */
WG_API int __wg_attribute(hipDeviceAttribute_t attribute) {
    static const short known[][2] = {
        {hipDeviceAttributeEccEnabled, cudaDevAttrEccEnabled},
        {hipDeviceAttributeAsyncEngineCount, cudaDevAttrAsyncEngineCount},
        {hipDeviceAttributeCanMapHostMemory, cudaDevAttrCanMapHostMemory},
        {hipDeviceAttributeCanUseHostPointerForRegisteredMem,
         cudaDevAttrCanUseHostPointerForRegisteredMem},
        {hipDeviceAttributeClockRate, cudaDevAttrClockRate},
        {hipDeviceAttributeComputeMode, cudaDevAttrComputeMode},
        {hipDeviceAttributeComputePreemptionSupported, cudaDevAttrComputePreemptionSupported},
        {hipDeviceAttributeConcurrentKernels, cudaDevAttrConcurrentKernels},
        {hipDeviceAttributeConcurrentManagedAccess, cudaDevAttrConcurrentManagedAccess},
        {hipDeviceAttributeCooperativeLaunch, cudaDevAttrCooperativeLaunch},
        {hipDeviceAttributeDeviceOverlap, cudaDevAttrGpuOverlap},
        {hipDeviceAttributeDirectManagedMemAccessFromHost,
         cudaDevAttrDirectManagedMemAccessFromHost},
        {hipDeviceAttributeGlobalL1CacheSupported, cudaDevAttrGlobalL1CacheSupported},
        {hipDeviceAttributeHostNativeAtomicSupported, cudaDevAttrHostNativeAtomicSupported},
        {hipDeviceAttributeIntegrated, cudaDevAttrIntegrated},
        {hipDeviceAttributeIsMultiGpuBoard, cudaDevAttrIsMultiGpuBoard},
        {hipDeviceAttributeKernelExecTimeout, cudaDevAttrKernelExecTimeout},
        {hipDeviceAttributeL2CacheSize, cudaDevAttrL2CacheSize},
        {hipDeviceAttributeComputeCapabilityMajor, cudaDevAttrComputeCapabilityMajor},
        {hipDeviceAttributeComputeCapabilityMinor, cudaDevAttrComputeCapabilityMinor},
        {hipDeviceAttributeManagedMemory, cudaDevAttrManagedMemory},
        {hipDeviceAttributeMaxBlocksPerMultiProcessor, cudaDevAttrMaxBlocksPerMultiprocessor},
        {hipDeviceAttributeMaxBlockDimX, cudaDevAttrMaxBlockDimX},
        {hipDeviceAttributeMaxBlockDimY, cudaDevAttrMaxBlockDimY},
        {hipDeviceAttributeMaxBlockDimZ, cudaDevAttrMaxBlockDimZ},
        {hipDeviceAttributeMaxGridDimX, cudaDevAttrMaxGridDimX},
        {hipDeviceAttributeMaxGridDimY, cudaDevAttrMaxGridDimY},
        {hipDeviceAttributeMaxGridDimZ, cudaDevAttrMaxGridDimZ},
        {hipDeviceAttributeMaxThreadsDim, cudaDevAttrMaxBlockDimX},
        {hipDeviceAttributeMaxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock},
        {hipDeviceAttributeMaxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor},
        {hipDeviceAttributeMaxPitch, cudaDevAttrMaxPitch},
        {hipDeviceAttributeMemoryBusWidth, cudaDevAttrGlobalMemoryBusWidth},
        {hipDeviceAttributeMemoryClockRate, cudaDevAttrMemoryClockRate},
        {hipDeviceAttributeMultiprocessorCount, cudaDevAttrMultiProcessorCount},
        {hipDeviceAttributePhysicalMultiProcessorCount, cudaDevAttrMultiProcessorCount},
        {hipDeviceAttributePageableMemoryAccess, cudaDevAttrPageableMemoryAccess},
        {hipDeviceAttributePageableMemoryAccessUsesHostPageTables,
         cudaDevAttrPageableMemoryAccessUsesHostPageTables},
        {hipDeviceAttributePciBusId, cudaDevAttrPciBusId},
        {hipDeviceAttributePciDeviceId, cudaDevAttrPciDeviceId},
        {hipDeviceAttributePciDomainID, cudaDevAttrPciDomainId},
        {hipDeviceAttributeMaxRegistersPerBlock, cudaDevAttrMaxRegistersPerBlock},
        {hipDeviceAttributeMaxRegistersPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor},
        {hipDeviceAttributeMaxSharedMemoryPerBlock, cudaDevAttrMaxSharedMemoryPerBlock},
        {hipDeviceAttributeSharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin},
        {hipDeviceAttributeSharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
        {hipDeviceAttributeMaxSharedMemoryPerMultiprocessor,
         cudaDevAttrMaxSharedMemoryPerMultiprocessor},
        {hipDeviceAttributeSingleToDoublePrecisionPerfRatio,
         cudaDevAttrSingleToDoublePrecisionPerfRatio},
        {hipDeviceAttributeStreamPrioritiesSupported, cudaDevAttrStreamPrioritiesSupported},
        {hipDeviceAttributeTextureAlignment, cudaDevAttrTextureAlignment},
        {hipDeviceAttributeTexturePitchAlignment, cudaDevAttrTexturePitchAlignment},
        {hipDeviceAttributeTotalConstantMemory, cudaDevAttrTotalConstantMemory},
        {hipDeviceAttributeUnifiedAddressing, cudaDevAttrUnifiedAddressing},
        {hipDeviceAttributeWarpSize, cudaDevAttrWarpSize},
        {hipDeviceAttributeMemoryPoolsSupported, cudaDevAttrMemoryPoolsSupported},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i][0] == (short)attribute) {
            return known[i][1];
        }
    }
    return -1;
}
WG_API hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
    int known = __wg_attribute(attribute);
    return known < 0
               ? hipErrorInvalidValue
               : __wg_error(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)known, device));
}

WG_API hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device) {
    struct cudaDeviceProp known;
    hipDeviceProp_t *out = properties;
    hipError_t error = __wg_error(cudaGetDeviceProperties(&known, device));
    if (error != hipSuccess) {
        return error;
    }
    memset(out, 0, sizeof *out);
    memcpy(out->name, known.name, sizeof out->name);
    memcpy(out->uuid.bytes, known.uuid.bytes, sizeof out->uuid.bytes);
    (void)snprintf(out->gcnArchName, sizeof out->gcnArchName, "sm_%d%d", known.major, known.minor);
#define WG_SAME(member) out->member = known.member
    WG_SAME(totalGlobalMem);
    WG_SAME(sharedMemPerBlock);
    WG_SAME(regsPerBlock);
    WG_SAME(warpSize);
    WG_SAME(memPitch);
    WG_SAME(maxThreadsPerBlock);
    WG_SAME(totalConstMem);
    WG_SAME(major);
    WG_SAME(minor);
    WG_SAME(textureAlignment);
    WG_SAME(texturePitchAlignment);
    WG_SAME(multiProcessorCount);
    WG_SAME(integrated);
    WG_SAME(canMapHostMemory);
    WG_SAME(concurrentKernels);
    WG_SAME(ECCEnabled);
    WG_SAME(pciBusID);
    WG_SAME(pciDeviceID);
    WG_SAME(pciDomainID);
    WG_SAME(tccDriver);
    WG_SAME(asyncEngineCount);
    WG_SAME(unifiedAddressing);
    WG_SAME(memoryBusWidth);
    WG_SAME(l2CacheSize);
    WG_SAME(maxThreadsPerMultiProcessor);
    WG_SAME(streamPrioritiesSupported);
    WG_SAME(globalL1CacheSupported);
    WG_SAME(localL1CacheSupported);
    WG_SAME(sharedMemPerMultiprocessor);
    WG_SAME(regsPerMultiprocessor);
    WG_SAME(managedMemory);
    WG_SAME(isMultiGpuBoard);
    WG_SAME(hostNativeAtomicSupported);
    WG_SAME(pageableMemoryAccess);
    WG_SAME(concurrentManagedAccess);
    WG_SAME(computePreemptionSupported);
    WG_SAME(cooperativeLaunch);
    WG_SAME(sharedMemPerBlockOptin);
    WG_SAME(pageableMemoryAccessUsesHostPageTables);
    WG_SAME(directManagedMemAccessFromHost);
    WG_SAME(maxBlocksPerMultiProcessor);
    WG_SAME(hostRegisterSupported);
    WG_SAME(memoryPoolsSupported);
#undef WG_SAME
    for (int i = 0; i < 3; i++) {
        out->maxThreadsDim[i] = known.maxThreadsDim[i];
        out->maxGridSize[i] = known.maxGridSize[i];
    }
    out->maxSharedMemoryPerMultiProcessor = known.sharedMemPerMultiprocessor;
    out->deviceOverlap = known.asyncEngineCount > 0;
    memset(&out->arch, 0xff, sizeof out->arch);
    /* Not in the structure since CUDA 13. */
    (void)cudaDeviceGetAttribute(&out->clockRate, cudaDevAttrClockRate, device);
    (void)cudaDeviceGetAttribute(&out->memoryClockRate, cudaDevAttrMemoryClockRate, device);
    (void)cudaDeviceGetAttribute(&out->computeMode, cudaDevAttrComputeMode, device);
    (void)cudaDeviceGetAttribute(&out->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout,
                                 device);
    out->clockInstructionRate = out->clockRate;
    return hipSuccess;
}
WG_API hipError_t hipChooseDevice(int *device, const hipDeviceProp_t *properties) {
    (void)properties;
    *device = 0;
    return hipSuccess;
}
WG_API hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device) {
    hipDeviceProp_t properties;
    hipError_t error = hipGetDeviceProperties(&properties, device);
    if (error == hipSuccess && length > 0) {
        (void)snprintf(name, (size_t)length, "%s", properties.name);
    }
    return error;
}
WG_API hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device) {
    hipDeviceProp_t properties;
    hipError_t error = hipGetDeviceProperties(&properties, device);
    if (error == hipSuccess) {
        *uuid = properties.uuid;
    }
    return error;
}
WG_API hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
    hipError_t error =
        hipDeviceGetAttribute(major, hipDeviceAttributeComputeCapabilityMajor, device);
    return error == hipSuccess
               ? hipDeviceGetAttribute(minor, hipDeviceAttributeComputeCapabilityMinor, device)
               : error;
}
WG_API hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
    hipDeviceProp_t properties;
    hipError_t error = hipGetDeviceProperties(&properties, device);
    if (error == hipSuccess) {
        *bytes = properties.totalGlobalMem;
    }
    return error;
}

#ifdef __cplusplus
}
#endif

#endif
