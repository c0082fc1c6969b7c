/* The imaginary device: properties, attributes and settings.
 *
 * Properties and attributes come from one table, so they cannot disagree. Rates and widths are
 * plausible and mean nothing; what has a meaning is what runtime.h lists. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/platform/cpu/runtime/runtime.h"

static const char uuid[16] = "wavegrade-cpu-0";

static hipDeviceProp_t describe(void) {
    hipDeviceProp_t p;
    memset(&p, 0, sizeof p); /* padding too: programs compare and hash it */
    snprintf(p.name, sizeof p.name, "Wavegrade CPU device");
    snprintf(p.gcnArchName, sizeof p.gcnArchName, "cpu");
    memcpy(p.uuid.bytes, uuid, sizeof uuid);
    p.totalGlobalMem = WG_DEVICE_BYTES;
    p.sharedMemPerBlock = WG_SHARED_BYTES;
    p.sharedMemPerBlockOptin = WG_SHARED_BYTES;
    p.sharedMemPerMultiprocessor = WG_SHARED_BYTES;
    p.maxSharedMemoryPerMultiProcessor = WG_SHARED_BYTES;
    p.regsPerBlock = 65536;
    p.regsPerMultiprocessor = 65536;
    p.warpSize = (int)wg_config.warp_size;
    p.memPitch = INT_MAX;
    p.maxThreadsPerBlock = WG_MAX_BLOCK_THREADS;
    for (int i = 0; i < 3; i++) {
        p.maxThreadsDim[i] = WG_MAX_BLOCK_THREADS;
        p.maxGridSize[i] = i == 0 ? (int)WG_MAX_GRID_X : WG_MAX_GRID_YZ;
    }
    p.clockRate = 1000000;
    p.clockInstructionRate = 1000000;
    p.memoryClockRate = 1000000;
    p.memoryBusWidth = 128;
    p.l2CacheSize = 4 << 20;
    p.totalConstMem = INT_MAX;
    p.major = 9;
    p.minor = 0;
    p.textureAlignment = 256;
    p.texturePitchAlignment = 256;
    p.multiProcessorCount = WG_MULTIPROCESSORS;
    p.maxThreadsPerMultiProcessor = WG_THREADS_PER_MULTIPROCESSOR;
    p.maxBlocksPerMultiProcessor = WG_BLOCKS_PER_MULTIPROCESSOR;
    p.deviceOverlap = 1;
    p.canMapHostMemory = 1;
    p.hostRegisterSupported = 1;
    p.concurrentKernels = 1;
    p.asyncEngineCount = 1;
    p.unifiedAddressing = 1;
    p.managedMemory = 1;
    p.concurrentManagedAccess = 1;
    p.memoryPoolsSupported = 1;
    p.streamPrioritiesSupported = 1;
    p.globalL1CacheSupported = 1;
    p.localL1CacheSupported = 1;
    p.cooperativeLaunch = 1;
    p.arch = (hipDeviceArch_t){.hasGlobalInt32Atomics = 1,
                               .hasGlobalFloatAtomicExch = 1,
                               .hasSharedInt32Atomics = 1,
                               .hasSharedFloatAtomicExch = 1,
                               .hasFloatAtomicAdd = 1,
                               .hasGlobalInt64Atomics = 1,
                               .hasSharedInt64Atomics = 1,
                               .hasDoubles = 1,
                               .hasWarpVote = 1,
                               .hasWarpBallot = 1,
                               .hasWarpShuffle = 1,
                               .hasThreadFenceSystem = 1,
                               .hasSyncThreadsExt = 1,
                               .has3dGrid = 1};
    return p;
}

static int clamp(size_t value) {
    return value > INT_MAX ? INT_MAX : (int)value;
}

static bool find_attribute(hipDeviceAttribute_t attribute, int *value) {
    const hipDeviceProp_t p = describe();
    const struct {
        hipDeviceAttribute_t attribute;
        int value;
    } table[] = {
        {hipDeviceAttributeEccEnabled, p.ECCEnabled},
        {hipDeviceAttributeAsyncEngineCount, p.asyncEngineCount},
        {hipDeviceAttributeCanMapHostMemory, p.canMapHostMemory},
        {hipDeviceAttributeCanUseHostPointerForRegisteredMem, 1},
        {hipDeviceAttributeClockRate, p.clockRate},
        {hipDeviceAttributeComputeMode, p.computeMode},
        {hipDeviceAttributeComputePreemptionSupported, p.computePreemptionSupported},
        {hipDeviceAttributeConcurrentKernels, p.concurrentKernels},
        {hipDeviceAttributeConcurrentManagedAccess, p.concurrentManagedAccess},
        {hipDeviceAttributeCooperativeLaunch, p.cooperativeLaunch},
        {hipDeviceAttributeCooperativeMultiDeviceLaunch, p.cooperativeMultiDeviceLaunch},
        {hipDeviceAttributeDeviceOverlap, p.deviceOverlap},
        {hipDeviceAttributeDirectManagedMemAccessFromHost, p.directManagedMemAccessFromHost},
        {hipDeviceAttributeGlobalL1CacheSupported, p.globalL1CacheSupported},
        {hipDeviceAttributeHostNativeAtomicSupported, p.hostNativeAtomicSupported},
        {hipDeviceAttributeIntegrated, p.integrated},
        {hipDeviceAttributeIsMultiGpuBoard, p.isMultiGpuBoard},
        {hipDeviceAttributeKernelExecTimeout, p.kernelExecTimeoutEnabled},
        {hipDeviceAttributeL2CacheSize, p.l2CacheSize},
        {hipDeviceAttributeComputeCapabilityMajor, p.major},
        {hipDeviceAttributeManagedMemory, p.managedMemory},
        {hipDeviceAttributeMaxBlocksPerMultiProcessor, p.maxBlocksPerMultiProcessor},
        {hipDeviceAttributeMaxBlockDimX, p.maxThreadsDim[0]},
        {hipDeviceAttributeMaxBlockDimY, p.maxThreadsDim[1]},
        {hipDeviceAttributeMaxBlockDimZ, p.maxThreadsDim[2]},
        {hipDeviceAttributeMaxGridDimX, p.maxGridSize[0]},
        {hipDeviceAttributeMaxGridDimY, p.maxGridSize[1]},
        {hipDeviceAttributeMaxGridDimZ, p.maxGridSize[2]},
        {hipDeviceAttributeMaxThreadsDim, p.maxThreadsDim[0]},
        {hipDeviceAttributeMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {hipDeviceAttributeMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {hipDeviceAttributeMaxPitch, clamp(p.memPitch)},
        {hipDeviceAttributeMemoryBusWidth, p.memoryBusWidth},
        {hipDeviceAttributeMemoryClockRate, p.memoryClockRate},
        {hipDeviceAttributeComputeCapabilityMinor, p.minor},
        {hipDeviceAttributeMultiprocessorCount, p.multiProcessorCount},
        {hipDeviceAttributePageableMemoryAccess, p.pageableMemoryAccess},
        {hipDeviceAttributePageableMemoryAccessUsesHostPageTables,
         p.pageableMemoryAccessUsesHostPageTables},
        {hipDeviceAttributePciBusId, p.pciBusID},
        {hipDeviceAttributePciDeviceId, p.pciDeviceID},
        {hipDeviceAttributePciDomainID, p.pciDomainID},
        {hipDeviceAttributeMaxRegistersPerBlock, p.regsPerBlock},
        {hipDeviceAttributeMaxRegistersPerMultiprocessor, p.regsPerMultiprocessor},
        {hipDeviceAttributeMaxSharedMemoryPerBlock, clamp(p.sharedMemPerBlock)},
        {hipDeviceAttributeSharedMemPerBlockOptin, clamp(p.sharedMemPerBlockOptin)},
        {hipDeviceAttributeSharedMemPerMultiprocessor, clamp(p.sharedMemPerMultiprocessor)},
        {hipDeviceAttributeSingleToDoublePrecisionPerfRatio, 2},
        {hipDeviceAttributeStreamPrioritiesSupported, p.streamPrioritiesSupported},
        {hipDeviceAttributeTextureAlignment, clamp(p.textureAlignment)},
        {hipDeviceAttributeTexturePitchAlignment, clamp(p.texturePitchAlignment)},
        {hipDeviceAttributeTotalConstantMemory, clamp(p.totalConstMem)},
        {hipDeviceAttributeTotalGlobalMem, clamp(p.totalGlobalMem)},
        {hipDeviceAttributeUnifiedAddressing, p.unifiedAddressing},
        {hipDeviceAttributeWarpSize, p.warpSize},
        {hipDeviceAttributeMemoryPoolsSupported, p.memoryPoolsSupported},
        {hipDeviceAttributeClockInstructionRate, p.clockInstructionRate},
        {hipDeviceAttributeMaxSharedMemoryPerMultiprocessor,
         clamp(p.maxSharedMemoryPerMultiProcessor)},
        {hipDeviceAttributeIsLargeBar, p.isLargeBar},
        {hipDeviceAttributeAsicRevision, p.asicRevision},
        {hipDeviceAttributeCanUseStreamWaitValue, 0},
        {hipDeviceAttributeImageSupport, 0},
        {hipDeviceAttributePhysicalMultiProcessorCount, p.multiProcessorCount},
        {hipDeviceAttributeFineGrainSupport, 1},
        {hipDeviceAttributeWallClockRate, p.clockRate},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].attribute == attribute) {
            *value = table[i].value;
            return true;
        }
    }
    return false;
}

/* Closes a call that only answers a question: `valid` says whether it could. */
static hipError_t answer(hipError_t error, bool valid) {
    return wg_api_end(error != hipSuccess ? error : valid ? hipSuccess : hipErrorInvalidValue);
}

static hipError_t answer_device(hipError_t error, int device, bool valid) {
    return device == 0 ? answer(error, valid)
                       : wg_api_end(error != hipSuccess ? error : hipErrorInvalidDevice);
}

hipError_t hipInit(unsigned int flags) {
    return answer(wg_api_begin(__func__), flags == 0);
}

static hipError_t version(const char *name, int *value) {
    hipError_t error = wg_api_begin(name);
    if (value != NULL) {
        *value = HIP_VERSION;
    }
    return answer(error, value != NULL);
}

hipError_t hipDriverGetVersion(int *value) {
    return version(__func__, value);
}

hipError_t hipRuntimeGetVersion(int *value) {
    return version(__func__, value);
}

hipError_t hipGetDeviceCount(int *count) {
    hipError_t error = wg_api_begin(__func__);
    if (count != NULL) {
        *count = 1;
    }
    return answer(error, count != NULL);
}

hipError_t hipGetDevice(int *device) {
    hipError_t error = wg_api_begin(__func__);
    if (device != NULL) {
        *device = 0;
    }
    return answer(error, device != NULL);
}

hipError_t hipSetDevice(int device) {
    return answer_device(wg_api_begin(__func__), device, true);
}

hipError_t hipDeviceReset(void) {
    wg_api_begin(__func__);
    if (wg_arena_used() > 0) {
        wg_misuse(hipSuccess, WG_SEVERITY_NOTE,
                  "hipDeviceReset frees all memory of the device, also that which its caller was "
                  "given: nothing can be read back from it. Leave it out, or call it at the end of "
                  "main() only.");
    }
    wg_stream_wait_all();
    wg_stream_reset();
    wg_event_reset();
    wg_arena_free_all();
    wg_heap_reset();
    wg_clear_errors();
    return wg_api_end(hipSuccess);
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device) {
    hipError_t error = wg_api_begin(__func__);
    if (properties != NULL && device == 0) {
        *properties = describe();
    }
    return answer_device(error, device, properties != NULL);
}

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
    hipError_t error = wg_api_begin(__func__);
    bool valid = value != NULL && device == 0 && find_attribute(attribute, value);
    return answer_device(error, device, valid);
}

hipError_t hipChooseDevice(int *device, const hipDeviceProp_t *properties) {
    hipError_t error = wg_api_begin(__func__);
    if (device != NULL) {
        *device = 0;
    }
    return answer(error, device != NULL && properties != NULL);
}

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
    hipError_t error = wg_api_begin(__func__);
    if (device != NULL && ordinal == 0) {
        *device = 0;
    }
    return answer_device(error, ordinal, device != NULL);
}

static hipError_t text_answer(const char *name, const char *text, char *out, int length,
                              int device) {
    hipError_t error = wg_api_begin(name);
    bool valid = out != NULL && length > 0;
    if (valid && device == 0) {
        wg_copy_text(out, (size_t)length, text);
    }
    return answer_device(error, device, valid);
}

hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device) {
    return text_answer(__func__, describe().name, name, length, device);
}

hipError_t hipDeviceGetPCIBusId(char *bus_id, int length, int device) {
    return text_answer(__func__, "0000:00:00.0", bus_id, length, device);
}

hipError_t hipDeviceGetUuid(hipUUID *out, hipDevice_t device) {
    hipError_t error = wg_api_begin(__func__);
    if (out != NULL) {
        memcpy(out->bytes, uuid, sizeof uuid);
    }
    return answer_device(error, device, out != NULL);
}

hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
    hipError_t error = wg_api_begin(__func__);
    bool valid = major != NULL && minor != NULL;
    if (valid) {
        const hipDeviceProp_t p = describe();
        *major = p.major;
        *minor = p.minor;
    }
    return answer_device(error, device, valid);
}

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
    hipError_t error = wg_api_begin(__func__);
    if (bytes != NULL) {
        *bytes = WG_DEVICE_BYTES;
    }
    return answer_device(error, device, bytes != NULL);
}

/* ---- Other devices: there are none, and a device is no peer of itself ---- */

hipError_t hipDeviceCanAccessPeer(int *can_access, int device, int peer) {
    hipError_t error = wg_api_begin(__func__);
    if (can_access != NULL) {
        *can_access = 0;
    }
    return answer_device(error, device != 0 ? device : peer, can_access != NULL);
}

static hipError_t refuse_peer(const char *name) {
    hipError_t error = wg_api_begin(name);
    return wg_api_end(error != hipSuccess ? error : hipErrorInvalidDevice);
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags) {
    (void)peer;
    (void)flags;
    return refuse_peer(__func__);
}

hipError_t hipDeviceDisablePeerAccess(int peer) {
    (void)peer;
    return refuse_peer(__func__);
}

/* ---- The pool of hipMallocAsync, which keeps nothing of what is freed ---- */

static int default_pool;

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device) {
    hipError_t error = wg_api_begin(__func__);
    if (pool != NULL && device == 0) {
        *pool = (hipMemPool_t)&default_pool;
    }
    return answer_device(error, device, pool != NULL);
}

static bool is_pool(hipMemPool_t pool) {
    return (void *)pool == &default_pool;
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value) {
    bool can_be_set = attribute >= hipMemPoolReuseFollowEventDependencies &&
                      attribute <= hipMemPoolAttrReleaseThreshold;
    return answer(wg_api_begin(__func__), is_pool(pool) && can_be_set && value != NULL);
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t least_bytes_to_keep) {
    (void)least_bytes_to_keep;
    return answer(wg_api_begin(__func__), is_pool(pool));
}

/* ---- Settings: remembered, without effect ---- */

static size_t limits[hipLimitRange] = {
    [hipLimitStackSize] = 1024,
    [hipLimitPrintfFifoSize] = (size_t)1 << 20,
    [hipLimitMallocHeapSize] = (size_t)8 << 20,
};
static unsigned device_flags = hipDeviceScheduleAuto;
static hipFuncCache_t cache_config = hipFuncCachePreferNone;
static hipSharedMemConfig bank_config = hipSharedMemBankSizeFourByte;

hipError_t hipDeviceGetLimit(size_t *value, enum hipLimit_t limit) {
    hipError_t error = wg_api_begin(__func__);
    if (error == hipSuccess && (unsigned)limit >= hipLimitRange) {
        return wg_api_end(hipErrorUnsupportedLimit);
    }
    if (value != NULL && (unsigned)limit < hipLimitRange) {
        *value = limits[limit];
    }
    return answer(error, value != NULL);
}

hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value) {
    hipError_t error = wg_api_begin(__func__);
    if (error == hipSuccess && (unsigned)limit >= hipLimitRange) {
        return wg_api_end(hipErrorUnsupportedLimit);
    }
    if (error == hipSuccess) {
        limits[limit] = value;
    }
    return wg_api_end(error);
}

hipError_t hipGetDeviceFlags(unsigned int *flags) {
    hipError_t error = wg_api_begin(__func__);
    if (flags != NULL) {
        *flags = device_flags;
    }
    return answer(error, flags != NULL);
}

hipError_t hipSetDeviceFlags(unsigned int flags) {
    const unsigned known = hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax;
    hipError_t error = wg_api_begin(__func__);
    bool valid = (flags & ~known) == 0;
    if (valid) {
        device_flags = flags;
    }
    return answer(error, valid);
}

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *config) {
    hipError_t error = wg_api_begin(__func__);
    if (config != NULL) {
        *config = cache_config;
    }
    return answer(error, config != NULL);
}

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config) {
    hipError_t error = wg_api_begin(__func__);
    cache_config = config;
    return wg_api_end(error);
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config) {
    hipError_t error = wg_api_begin(__func__);
    if (config != NULL) {
        *config = bank_config;
    }
    return answer(error, config != NULL);
}

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
    hipError_t error = wg_api_begin(__func__);
    bank_config = config;
    return wg_api_end(error);
}

hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
    hipError_t error = wg_api_begin(__func__);
    if (least != NULL) {
        *least = 1;
    }
    if (greatest != NULL) {
        *greatest = -1;
    }
    return wg_api_end(error);
}
