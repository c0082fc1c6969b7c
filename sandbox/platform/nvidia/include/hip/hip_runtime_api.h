/* The host side of the HIP runtime API over the CUDA runtime. C11 and C++; inline functions only,
 * so that no library of ours stands between a submission and the device. Names, parameters and
 * default arguments are ROCm's. */
#ifndef WG_HIP_RUNTIME_API_H
#define WG_HIP_RUNTIME_API_H

#include <hip/detail/error.h>
#include <hip/detail/properties.h>
#include <hip/driver_types.h>

#ifdef __cplusplus
#define WG_DEFAULT(value) = value
extern "C" {
#else
#define WG_DEFAULT(value)
#endif

/* ---- Initialization and versions ---- */
WG_API hipError_t hipGetDeviceCount(int *count) {
    return __wg_error(cudaGetDeviceCount(count));
}
WG_API hipError_t hipInit(unsigned int flags) {
    int count = 0;
    return flags != 0 ? hipErrorInvalidValue : hipGetDeviceCount(&count);
}
WG_API hipError_t hipDriverGetVersion(int *version) {
    return __wg_error(cudaDriverGetVersion(version));
}
WG_API hipError_t hipRuntimeGetVersion(int *version) {
    return __wg_error(cudaRuntimeGetVersion(version));
}

/* ---- Devices ---- */
WG_API hipError_t hipGetDevice(int *device) {
    return __wg_error(cudaGetDevice(device));
}
WG_API hipError_t hipSetDevice(int device) {
    return __wg_error(cudaSetDevice(device));
}
WG_API hipError_t hipDeviceSynchronize(void) {
    return __wg_error(cudaDeviceSynchronize());
}
WG_API hipError_t hipDeviceReset(void) {
    return __wg_error(cudaDeviceReset());
}
WG_API hipError_t hipDeviceGetLimit(size_t *value, enum hipLimit_t limit) {
    return __wg_error(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}
WG_API hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value) {
    return __wg_error(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}
WG_API hipError_t hipGetDeviceFlags(unsigned int *flags) {
    return __wg_error(cudaGetDeviceFlags(flags));
}
WG_API hipError_t hipSetDeviceFlags(unsigned int flags) {
    return __wg_error(cudaSetDeviceFlags(flags));
}
WG_API hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *config) {
    enum cudaFuncCache now = cudaFuncCachePreferNone;
    hipError_t error = __wg_error(cudaDeviceGetCacheConfig(&now));
    *config = (hipFuncCache_t)now;
    return error;
}
WG_API hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config) {
    return __wg_error(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}
/* Banks have had four bytes for many generations; there is nothing to set. */
WG_API hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config) {
    *config = hipSharedMemBankSizeFourByte;
    return hipSuccess;
}
WG_API hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
    (void)config;
    return hipSuccess;
}
WG_API hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest) {
    return __wg_error(cudaDeviceGetStreamPriorityRange(least, greatest));
}
WG_API hipError_t hipDeviceCanAccessPeer(int *can_access, int device, int peer) {
    return __wg_error(cudaDeviceCanAccessPeer(can_access, device, peer));
}
WG_API hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags) {
    return __wg_error(cudaDeviceEnablePeerAccess(peer, flags));
}
WG_API hipError_t hipDeviceDisablePeerAccess(int peer) {
    return __wg_error(cudaDeviceDisablePeerAccess(peer));
}
WG_API hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
    int count = 0;
    hipError_t error = hipGetDeviceCount(&count);
    if (error == hipSuccess && (ordinal < 0 || ordinal >= count)) {
        return hipErrorInvalidDevice;
    }
    *device = ordinal;
    return error;
}
WG_API hipError_t hipDeviceGetPCIBusId(char *bus_id, int length, int device) {
    return __wg_error(cudaDeviceGetPCIBusId(bus_id, length, device));
}

/* ---- Memory ---- */
WG_API hipError_t hipMalloc(void **ptr, size_t bytes) {
    return __wg_error(cudaMalloc(ptr, bytes));
}
WG_API hipError_t hipFree(void *ptr) {
    return __wg_error(cudaFree(ptr));
}
WG_API hipError_t hipMallocPitch(void **ptr, size_t *pitch, size_t width_bytes, size_t height) {
    return __wg_error(cudaMallocPitch(ptr, pitch, width_bytes, height));
}
WG_API hipError_t hipMallocManaged(void **ptr, size_t bytes,
                                   unsigned int flags WG_DEFAULT(hipMemAttachGlobal)) {
    return __wg_error(cudaMallocManaged(ptr, bytes, flags));
}
WG_API hipError_t hipMallocAsync(void **ptr, size_t bytes, hipStream_t stream) {
    return __wg_error(cudaMallocAsync(ptr, bytes, stream));
}
WG_API hipError_t hipFreeAsync(void *ptr, hipStream_t stream) {
    return __wg_error(cudaFreeAsync(ptr, stream));
}
WG_API hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device) {
    return __wg_error(cudaDeviceGetDefaultMemPool(pool, device));
}
WG_API hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value) {
    return __wg_error(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value));
}
WG_API hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t least_bytes_to_keep) {
    return __wg_error(cudaMemPoolTrimTo(pool, least_bytes_to_keep));
}
/* The flags that only ROCm has are hints. */
WG_API hipError_t hipHostMalloc(void **ptr, size_t bytes, unsigned int flags) {
    return __wg_error(cudaHostAlloc(ptr, bytes, flags & 0x7));
}
WG_API hipError_t hipHostAlloc(void **ptr, size_t bytes, unsigned int flags) {
    return hipHostMalloc(ptr, bytes, flags);
}
WG_API hipError_t hipMallocHost(void **ptr, size_t bytes) {
    return hipHostMalloc(ptr, bytes, hipHostMallocDefault);
}
WG_API hipError_t hipHostFree(void *ptr) {
    return __wg_error(cudaFreeHost(ptr));
}
WG_API hipError_t hipFreeHost(void *ptr) {
    return __wg_error(cudaFreeHost(ptr));
}
WG_API hipError_t hipHostRegister(void *ptr, size_t bytes, unsigned int flags) {
    return __wg_error(cudaHostRegister(ptr, bytes, flags));
}
WG_API hipError_t hipHostUnregister(void *ptr) {
    return __wg_error(cudaHostUnregister(ptr));
}
WG_API hipError_t hipHostGetDevicePointer(void **device_ptr, void *host_ptr, unsigned int flags) {
    return __wg_error(cudaHostGetDevicePointer(device_ptr, host_ptr, flags));
}
WG_API hipError_t hipHostGetFlags(unsigned int *flags, void *host_ptr) {
    return __wg_error(cudaHostGetFlags(flags, host_ptr));
}
WG_API hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    return __wg_error(cudaMemGetInfo(free_bytes, total_bytes));
}
WG_API hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr) {
    struct cudaPointerAttributes known;
    hipError_t error = __wg_error(cudaPointerGetAttributes(&known, ptr));
    if (error == hipSuccess) {
        memset(attributes, 0, sizeof *attributes);
        attributes->type = (enum hipMemoryType)known.type;
        attributes->device = known.device;
        attributes->devicePointer = known.devicePointer;
        attributes->hostPointer = known.hostPointer;
        attributes->isManaged = known.type == cudaMemoryTypeManaged;
    }
    return error;
}
#if CUDART_VERSION >= 13000
WG_API struct cudaMemLocation __wg_location(int device) {
    struct cudaMemLocation location;
    memset(&location, 0, sizeof location);
    location.type = device == hipCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = device == hipCpuDeviceId ? 0 : device;
    return location;
}
#define WG_LOCATION(device)      __wg_location(device)
#define WG_PREFETCH_FLAGS_IF_ANY 0,
#else
#define WG_LOCATION(device) device
#define WG_PREFETCH_FLAGS_IF_ANY
#endif
WG_API hipError_t hipMemAdvise(const void *ptr, size_t bytes, hipMemoryAdvise advice, int device) {
    if (advice >= hipMemAdviseSetCoarseGrain) {
        return hipSuccess; /* a property that only AMD's memory has */
    }
    return __wg_error(
        cudaMemAdvise(ptr, bytes, (enum cudaMemoryAdvise)advice, WG_LOCATION(device)));
}
WG_API hipError_t hipMemPrefetchAsync(const void *ptr, size_t bytes, int device,
                                      hipStream_t stream WG_DEFAULT(0)) {
    return __wg_error(
        cudaMemPrefetchAsync(ptr, bytes, WG_LOCATION(device), WG_PREFETCH_FLAGS_IF_ANY stream));
}
#undef WG_PREFETCH_FLAGS_IF_ANY
#undef WG_LOCATION

WG_API hipError_t hipMemcpy(void *dst, const void *src, size_t bytes, hipMemcpyKind kind) {
    return __wg_error(cudaMemcpy(dst, src, bytes, (enum cudaMemcpyKind)kind));
}
WG_API hipError_t hipMemcpyAsync(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                                 hipStream_t stream WG_DEFAULT(0)) {
    return __wg_error(cudaMemcpyAsync(dst, src, bytes, (enum cudaMemcpyKind)kind, stream));
}
WG_API hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                                      hipStream_t stream) {
    hipError_t error = hipMemcpyAsync(dst, src, bytes, kind, stream);
    return error == hipSuccess ? __wg_error(cudaStreamSynchronize(stream)) : error;
}
WG_API hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void *src, size_t bytes) {
    return hipMemcpy(dst, src, bytes, hipMemcpyHostToDevice);
}
WG_API hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t bytes) {
    return hipMemcpy(dst, src, bytes, hipMemcpyDeviceToHost);
}
WG_API hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes) {
    return hipMemcpy(dst, src, bytes, hipMemcpyDeviceToDevice);
}
WG_API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t bytes,
                                     hipStream_t stream) {
    return hipMemcpyAsync(dst, src, bytes, hipMemcpyHostToDevice, stream);
}
WG_API hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t bytes,
                                     hipStream_t stream) {
    return hipMemcpyAsync(dst, src, bytes, hipMemcpyDeviceToHost, stream);
}
WG_API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes,
                                     hipStream_t stream) {
    return hipMemcpyAsync(dst, src, bytes, hipMemcpyDeviceToDevice, stream);
}
WG_API hipError_t hipMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                              size_t width_bytes, size_t height, hipMemcpyKind kind) {
    return __wg_error(cudaMemcpy2D(dst, dst_pitch, src, src_pitch, width_bytes, height,
                                   (enum cudaMemcpyKind)kind));
}
WG_API hipError_t hipMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                                   size_t width_bytes, size_t height, hipMemcpyKind kind,
                                   hipStream_t stream WG_DEFAULT(0)) {
    return __wg_error(cudaMemcpy2DAsync(dst, dst_pitch, src, src_pitch, width_bytes, height,
                                        (enum cudaMemcpyKind)kind, stream));
}
WG_API hipError_t hipGetSymbolAddress(void **ptr, const void *symbol) {
    return __wg_error(cudaGetSymbolAddress(ptr, symbol));
}
WG_API hipError_t hipGetSymbolSize(size_t *bytes, const void *symbol) {
    return __wg_error(cudaGetSymbolSize(bytes, symbol));
}
WG_API hipError_t hipMemcpyToSymbol(const void *symbol, const void *src, size_t bytes,
                                    size_t offset WG_DEFAULT(0),
                                    hipMemcpyKind kind WG_DEFAULT(hipMemcpyHostToDevice)) {
    return __wg_error(cudaMemcpyToSymbol(symbol, src, bytes, offset, (enum cudaMemcpyKind)kind));
}
WG_API hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes,
                                         size_t offset, hipMemcpyKind kind,
                                         hipStream_t stream WG_DEFAULT(0)) {
    return __wg_error(
        cudaMemcpyToSymbolAsync(symbol, src, bytes, offset, (enum cudaMemcpyKind)kind, stream));
}
WG_API hipError_t hipMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes,
                                      size_t offset WG_DEFAULT(0),
                                      hipMemcpyKind kind WG_DEFAULT(hipMemcpyDeviceToHost)) {
    return __wg_error(cudaMemcpyFromSymbol(dst, symbol, bytes, offset, (enum cudaMemcpyKind)kind));
}
WG_API hipError_t hipMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes,
                                           size_t offset, hipMemcpyKind kind,
                                           hipStream_t stream WG_DEFAULT(0)) {
    return __wg_error(
        cudaMemcpyFromSymbolAsync(dst, symbol, bytes, offset, (enum cudaMemcpyKind)kind, stream));
}

WG_API hipError_t hipMemsetAsync(void *dst, int value, size_t bytes,
                                 hipStream_t stream WG_DEFAULT(0)) {
    return __wg_error(cudaMemsetAsync(dst, value, bytes, stream));
}
WG_API hipError_t hipMemset(void *dst, int value, size_t bytes) {
    return __wg_error(cudaMemset(dst, value, bytes));
}
WG_API hipError_t hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width_bytes,
                                   size_t height, hipStream_t stream WG_DEFAULT(0)) {
    return __wg_error(cudaMemset2DAsync(dst, pitch, value, width_bytes, height, stream));
}
WG_API hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width_bytes,
                              size_t height) {
    return __wg_error(cudaMemset2D(dst, pitch, value, width_bytes, height));
}
/* The runtime sets bytes only: every byte of the words is a column of its own. */
WG_API hipError_t __wg_memset_words(void *dst, unsigned word, size_t word_bytes, size_t count,
                                    hipStream_t stream) {
    hipError_t error = hipSuccess;
    for (size_t i = 0; i < word_bytes && count > 0 && error == hipSuccess; i++) {
        error = hipMemset2DAsync((char *)dst + i, word_bytes, (int)(word >> 8 * i & 0xff), 1, count,
                                 stream);
    }
    return error;
}
WG_API hipError_t hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count,
                                   hipStream_t stream WG_DEFAULT(0)) {
    return hipMemsetAsync(dst, value, count, stream);
}
WG_API hipError_t hipMemsetD16Async(hipDeviceptr_t dst, unsigned short value, size_t count,
                                    hipStream_t stream WG_DEFAULT(0)) {
    return __wg_memset_words(dst, value, sizeof value, count, stream);
}
WG_API hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count,
                                    hipStream_t stream WG_DEFAULT(0)) {
    return __wg_memset_words(dst, (unsigned)value, sizeof value, count, stream);
}
WG_API hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count) {
    return hipMemsetD8Async(dst, value, count, NULL);
}
WG_API hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count) {
    return hipMemsetD16Async(dst, value, count, NULL);
}
WG_API hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count) {
    return hipMemsetD32Async(dst, value, count, NULL);
}

/* ---- Streams and events ---- */
WG_API hipError_t hipStreamCreate(hipStream_t *stream) {
    return __wg_error(cudaStreamCreate(stream));
}
WG_API hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags) {
    return __wg_error(cudaStreamCreateWithFlags(stream, flags));
}
WG_API hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags,
                                              int priority) {
    return __wg_error(cudaStreamCreateWithPriority(stream, flags, priority));
}
WG_API hipError_t hipStreamDestroy(hipStream_t stream) {
    return __wg_error(cudaStreamDestroy(stream));
}
WG_API hipError_t hipStreamQuery(hipStream_t stream) {
    return __wg_error(cudaStreamQuery(stream));
}
WG_API hipError_t hipStreamSynchronize(hipStream_t stream) {
    return __wg_error(cudaStreamSynchronize(stream));
}
WG_API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
                                     unsigned int flags WG_DEFAULT(0)) {
    return __wg_error(cudaStreamWaitEvent(stream, event, flags));
}
WG_API hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags) {
    return __wg_error(cudaStreamGetFlags(stream, flags));
}
WG_API hipError_t hipStreamGetPriority(hipStream_t stream, int *priority) {
    return __wg_error(cudaStreamGetPriority(stream, priority));
}
WG_API hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device) {
#if CUDART_VERSION >= 12080
    return __wg_error(cudaStreamGetDevice(stream, device));
#else
    (void)stream;
    return __wg_error(cudaGetDevice(device));
#endif
}
/* The two callback types differ in the enumeration of the status alone. */
WG_API hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback,
                                       void *user_data, unsigned int flags) {
    return __wg_error(
        cudaStreamAddCallback(stream, (cudaStreamCallback_t)callback, user_data, flags));
}
WG_API hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *user_data) {
    return __wg_error(cudaLaunchHostFunc(stream, function, user_data));
}

/* The flags of ROCm's own are hints. */
WG_API hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
    return __wg_error(cudaEventCreateWithFlags(event, flags & 0x7));
}
WG_API hipError_t hipEventCreate(hipEvent_t *event) {
    return __wg_error(cudaEventCreate(event));
}
WG_API hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream WG_DEFAULT(0)) {
    return __wg_error(cudaEventRecord(event, stream));
}
WG_API hipError_t hipEventSynchronize(hipEvent_t event) {
    return __wg_error(cudaEventSynchronize(event));
}
WG_API hipError_t hipEventQuery(hipEvent_t event) {
    return __wg_error(cudaEventQuery(event));
}
WG_API hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop) {
    return __wg_error(cudaEventElapsedTime(ms, start, stop));
}
WG_API hipError_t hipEventDestroy(hipEvent_t event) {
    return __wg_error(cudaEventDestroy(event));
}

/* ---- Kernels ---- */
WG_API hipError_t hipLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                  size_t shared_bytes WG_DEFAULT(0),
                                  hipStream_t stream WG_DEFAULT(0)) {
    return __wg_error(cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream));
}
WG_API hipError_t hipLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block,
                                             void **arguments, unsigned int shared_bytes,
                                             hipStream_t stream) {
    return __wg_error(
        cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared_bytes, stream));
}
WG_API hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, const void *kernel) {
    struct cudaFuncAttributes known;
    hipError_t error = __wg_error(cudaFuncGetAttributes(&known, kernel));
    if (error == hipSuccess) {
        attributes->binaryVersion = known.binaryVersion;
        attributes->cacheModeCA = known.cacheModeCA;
        attributes->constSizeBytes = known.constSizeBytes;
        attributes->localSizeBytes = known.localSizeBytes;
        attributes->maxDynamicSharedSizeBytes = known.maxDynamicSharedSizeBytes;
        attributes->maxThreadsPerBlock = known.maxThreadsPerBlock;
        attributes->numRegs = known.numRegs;
        attributes->preferredShmemCarveout = known.preferredShmemCarveout;
        attributes->ptxVersion = known.ptxVersion;
        attributes->sharedSizeBytes = known.sharedSizeBytes;
    }
    return error;
}
WG_API hipError_t hipFuncSetAttribute(const void *kernel, hipFuncAttribute attribute, int value) {
    return __wg_error(cudaFuncSetAttribute(kernel, (enum cudaFuncAttribute)attribute, value));
}
WG_API hipError_t hipFuncSetCacheConfig(const void *kernel, hipFuncCache_t config) {
    return __wg_error(cudaFuncSetCacheConfig(kernel, (enum cudaFuncCache)config));
}
WG_API hipError_t hipFuncSetSharedMemConfig(const void *kernel, hipSharedMemConfig config) {
    (void)kernel;
    (void)config;
    return hipSuccess;
}
WG_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                               int block_threads,
                                                               size_t shared_bytes) {
    return __wg_error(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, block_threads, shared_bytes));
}
WG_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *kernel, int block_threads, size_t shared_bytes,
    unsigned int flags WG_DEFAULT(hipOccupancyDefault)) {
    return __wg_error(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, kernel, block_threads, shared_bytes, flags));
}
/* The largest block among those that keep the most threads on a multiprocessor. */
WG_API hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block_threads,
                                                    const void *kernel, size_t shared_bytes,
                                                    int block_limit) {
    int device = 0, processors = 0, warp = 32, best_threads = 0;
    struct cudaFuncAttributes known;
    cudaError_t error = cudaGetDevice(&device);
    error =
        error ? error : cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    error = error ? error : cudaFuncGetAttributes(&known, kernel);
    if (error != cudaSuccess) {
        return __wg_error(error);
    }
    int limit = known.maxThreadsPerBlock;
    limit = block_limit > 0 && block_limit < limit ? block_limit : limit;
    for (int threads = limit < warp ? limit : limit / warp * warp; threads > 0; threads -= warp) {
        int blocks = 0;
        error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes);
        if (error != cudaSuccess) {
            return __wg_error(error);
        }
        if (blocks * threads > best_threads) {
            best_threads = blocks * threads;
            *block_threads = threads;
            *grid = blocks * processors;
        }
    }
    return best_threads > 0 ? hipSuccess : hipErrorInvalidValue;
}

#ifdef __cplusplus
}
#include <hip/detail/overloads.h>
#endif

#undef WG_DEFAULT
#endif
