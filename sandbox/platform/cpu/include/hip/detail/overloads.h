/* ROCm's overloads for C++, over the C functions: typed pointers, symbols by reference, kernels by
 * name. The nvidia platform has a copy of this file. */
#ifndef WG_HIP_DETAIL_OVERLOADS_H
#define WG_HIP_DETAIL_OVERLOADS_H

#include <hip/hip_runtime_api.h>

template <class T> static inline hipError_t hipMalloc(T **ptr, size_t bytes) {
    return hipMalloc((void **)ptr, bytes);
}
template <class T>
static inline hipError_t hipMallocAsync(T **ptr, size_t bytes, hipStream_t stream) {
    return hipMallocAsync((void **)ptr, bytes, stream);
}
template <class T>
static inline hipError_t hipMallocPitch(T **ptr, size_t *pitch, size_t width_bytes, size_t height) {
    return hipMallocPitch((void **)ptr, pitch, width_bytes, height);
}
template <class T>
static inline hipError_t hipMallocManaged(T **ptr, size_t bytes,
                                          unsigned int flags = hipMemAttachGlobal) {
    return hipMallocManaged((void **)ptr, bytes, flags);
}
template <class T>
static inline hipError_t hipHostMalloc(T **ptr, size_t bytes,
                                       unsigned int flags = hipHostMallocDefault) {
    return hipHostMalloc((void **)ptr, bytes, flags);
}
template <class T>
static inline hipError_t hipHostAlloc(T **ptr, size_t bytes,
                                      unsigned int flags = hipHostAllocDefault) {
    return hipHostAlloc((void **)ptr, bytes, flags);
}
template <class T> static inline hipError_t hipMallocHost(T **ptr, size_t bytes) {
    return hipMallocHost((void **)ptr, bytes);
}

template <class T> static inline hipError_t hipGetSymbolAddress(void **ptr, const T &symbol) {
    return hipGetSymbolAddress(ptr, (const void *)&symbol);
}
template <class T> static inline hipError_t hipGetSymbolSize(size_t *bytes, const T &symbol) {
    return hipGetSymbolSize(bytes, (const void *)&symbol);
}
template <class T>
static inline hipError_t hipMemcpyToSymbol(const T &symbol, const void *src, size_t bytes,
                                           size_t offset = 0,
                                           hipMemcpyKind kind = hipMemcpyHostToDevice) {
    return hipMemcpyToSymbol((const void *)&symbol, src, bytes, offset, kind);
}
template <class T>
static inline hipError_t hipMemcpyToSymbolAsync(const T &symbol, const void *src, size_t bytes,
                                                size_t offset, hipMemcpyKind kind,
                                                hipStream_t stream = 0) {
    return hipMemcpyToSymbolAsync((const void *)&symbol, src, bytes, offset, kind, stream);
}
template <class T>
static inline hipError_t hipMemcpyFromSymbol(void *dst, const T &symbol, size_t bytes,
                                             size_t offset = 0,
                                             hipMemcpyKind kind = hipMemcpyDeviceToHost) {
    return hipMemcpyFromSymbol(dst, (const void *)&symbol, bytes, offset, kind);
}
template <class T>
static inline hipError_t hipMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t bytes,
                                                  size_t offset, hipMemcpyKind kind,
                                                  hipStream_t stream = 0) {
    return hipMemcpyFromSymbolAsync(dst, (const void *)&symbol, bytes, offset, kind, stream);
}

template <class T>
static inline hipError_t hipLaunchCooperativeKernel(T kernel, dim3 grid, dim3 block,
                                                    void **arguments, unsigned int shared_bytes,
                                                    hipStream_t stream) {
    return hipLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel), grid, block,
                                      arguments, shared_bytes, stream);
}
template <class T>
static inline hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, T *kernel) {
    return hipFuncGetAttributes(attributes, reinterpret_cast<const void *>(kernel));
}
template <class T>
static inline hipError_t hipFuncSetAttribute(T *kernel, hipFuncAttribute attribute, int value) {
    return hipFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}
template <class T>
static inline hipError_t hipFuncSetCacheConfig(T *kernel, hipFuncCache_t config) {
    return hipFuncSetCacheConfig(reinterpret_cast<const void *>(kernel), config);
}
template <class T>
static inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel,
                                                                      int block_threads,
                                                                      size_t shared_bytes) {
    return hipOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, reinterpret_cast<const void *>(kernel), block_threads, shared_bytes);
}
template <class T>
static inline hipError_t
hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T kernel, int block_threads,
                                                      size_t shared_bytes, unsigned int flags) {
    return hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, reinterpret_cast<const void *>(kernel), block_threads, shared_bytes, flags);
}
template <class T>
static inline hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block_threads, T kernel,
                                                           size_t shared_bytes = 0,
                                                           int block_limit = 0) {
    return hipOccupancyMaxPotentialBlockSize(
        grid, block_threads, reinterpret_cast<const void *>(kernel), shared_bytes, block_limit);
}

#endif
