/* The host side of the HIP runtime API on the cpu platform. C11 and C++; implemented by libwghip.so
 * (sandbox/platform/cpu/runtime). Names, parameters and default arguments are ROCm's, so that what
 * compiles here compiles there, and the other way round for what coursework uses. */
#ifndef WG_HIP_RUNTIME_API_H
#define WG_HIP_RUNTIME_API_H

#include <hip/driver_types.h>

#ifdef __cplusplus
#define WG_DEFAULT(value) = value
extern "C" {
#else
#define WG_DEFAULT(value)
#endif

/* ---- Initialization, versions, errors ---- */
hipError_t hipInit(unsigned int flags);
hipError_t hipDriverGetVersion(int *version);
hipError_t hipRuntimeGetVersion(int *version);
hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
hipError_t hipExtGetLastError(void);
const char *hipGetErrorName(hipError_t error);
const char *hipGetErrorString(hipError_t error);

/* ---- Devices ---- */
hipError_t hipGetDeviceCount(int *count);
hipError_t hipGetDevice(int *device);
hipError_t hipSetDevice(int device);
hipError_t hipDeviceSynchronize(void);
hipError_t hipDeviceReset(void);
hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device);
hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device);
hipError_t hipChooseDevice(int *device, const hipDeviceProp_t *properties);
hipError_t hipDeviceGet(hipDevice_t *device, int ordinal);
hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device);
hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device);
hipError_t hipDeviceGetPCIBusId(char *bus_id, int length, int device);
hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device);
hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device);
hipError_t hipDeviceGetLimit(size_t *value, enum hipLimit_t limit);
hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);
hipError_t hipGetDeviceFlags(unsigned int *flags);
hipError_t hipSetDeviceFlags(unsigned int flags);
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *config);
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config);
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config);
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest);
hipError_t hipDeviceCanAccessPeer(int *can_access, int device, int peer);
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags);
hipError_t hipDeviceDisablePeerAccess(int peer);

/* ---- Memory ---- */
hipError_t hipMalloc(void **ptr, size_t bytes);
hipError_t hipFree(void *ptr);
hipError_t hipMallocPitch(void **ptr, size_t *pitch, size_t width_bytes, size_t height);
hipError_t hipMallocManaged(void **ptr, size_t bytes,
                            unsigned int flags WG_DEFAULT(hipMemAttachGlobal));
hipError_t hipMallocAsync(void **ptr, size_t bytes, hipStream_t stream);
hipError_t hipFreeAsync(void *ptr, hipStream_t stream);
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device);
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value);
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t least_bytes_to_keep);
hipError_t hipHostMalloc(void **ptr, size_t bytes, unsigned int flags);
hipError_t hipHostAlloc(void **ptr, size_t bytes, unsigned int flags);
hipError_t hipMallocHost(void **ptr, size_t bytes);
hipError_t hipHostFree(void *ptr);
hipError_t hipFreeHost(void *ptr);
hipError_t hipHostRegister(void *ptr, size_t bytes, unsigned int flags);
hipError_t hipHostUnregister(void *ptr);
hipError_t hipHostGetDevicePointer(void **device_ptr, void *host_ptr, unsigned int flags);
hipError_t hipHostGetFlags(unsigned int *flags, void *host_ptr);
hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total_bytes);
hipError_t hipMemPtrGetInfo(void *ptr, size_t *bytes);
hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t ptr);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr);
hipError_t hipMemAdvise(const void *ptr, size_t bytes, hipMemoryAdvise advice, int device);
hipError_t hipMemPrefetchAsync(const void *ptr, size_t bytes, int device,
                               hipStream_t stream WG_DEFAULT(0));

hipError_t hipMemcpy(void *dst, const void *src, size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                               hipStream_t stream);
hipError_t hipMemcpyAsync(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream WG_DEFAULT(0));
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void *src, size_t bytes);
hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t bytes);
hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t bytes, hipStream_t stream);
hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes,
                              hipStream_t stream);
hipError_t hipMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                       size_t width_bytes, size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                            size_t width_bytes, size_t height, hipMemcpyKind kind,
                            hipStream_t stream WG_DEFAULT(0));
hipError_t hipGetSymbolAddress(void **ptr, const void *symbol);
hipError_t hipGetSymbolSize(size_t *bytes, const void *symbol);
hipError_t hipMemcpyToSymbol(const void *symbol, const void *src, size_t bytes,
                             size_t offset WG_DEFAULT(0),
                             hipMemcpyKind kind WG_DEFAULT(hipMemcpyHostToDevice));
hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream WG_DEFAULT(0));
hipError_t hipMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes,
                               size_t offset WG_DEFAULT(0),
                               hipMemcpyKind kind WG_DEFAULT(hipMemcpyDeviceToHost));
hipError_t hipMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream WG_DEFAULT(0));

hipError_t hipMemset(void *dst, int value, size_t bytes);
hipError_t hipMemsetAsync(void *dst, int value, size_t bytes, hipStream_t stream WG_DEFAULT(0));
hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count);
hipError_t hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count,
                            hipStream_t stream WG_DEFAULT(0));
hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count);
hipError_t hipMemsetD16Async(hipDeviceptr_t dst, unsigned short value, size_t count,
                             hipStream_t stream WG_DEFAULT(0));
hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count);
hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count,
                             hipStream_t stream WG_DEFAULT(0));
hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width_bytes, size_t height);
hipError_t hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width_bytes, size_t height,
                            hipStream_t stream WG_DEFAULT(0));

/* ---- Streams and events ---- */
hipError_t hipStreamCreate(hipStream_t *stream);
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags);
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
                              unsigned int flags WG_DEFAULT(0));
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *user_data,
                                unsigned int flags);
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void *user_data);

hipError_t hipEventCreate(hipEvent_t *event);
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream WG_DEFAULT(0));
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop);
hipError_t hipEventDestroy(hipEvent_t event);

/* ---- Kernels ---- */
hipError_t hipLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                           size_t shared_bytes WG_DEFAULT(0), hipStream_t stream WG_DEFAULT(0));
hipError_t hipLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                      unsigned int shared_bytes, hipStream_t stream);
hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, const void *kernel);
hipError_t hipFuncSetAttribute(const void *kernel, hipFuncAttribute attribute, int value);
hipError_t hipFuncSetCacheConfig(const void *kernel, hipFuncCache_t config);
hipError_t hipFuncSetSharedMemConfig(const void *kernel, hipSharedMemConfig config);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                        int block_threads, size_t shared_bytes);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *kernel, int block_threads, size_t shared_bytes,
    unsigned int flags WG_DEFAULT(hipOccupancyDefault));
hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block_threads, const void *kernel,
                                             size_t shared_bytes, int block_limit);

/* What <<<>>> turns into: clang pushes, the kernel's stub pops (through wg_cpu_launch_stub). */
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes WG_DEFAULT(0),
                                      hipStream_t stream WG_DEFAULT(0));
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
                                     hipStream_t *stream);

#ifdef __cplusplus
}
#include <hip/detail/overloads.h>
#endif

#undef WG_DEFAULT
#endif
