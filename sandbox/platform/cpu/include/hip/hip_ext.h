/* Launches between two events. */
#ifndef WG_HIP_EXT_H
#define WG_HIP_EXT_H

#include <hip/hip_runtime.h>

#define hipExtAnyOrderLaunch 0x01

#ifdef __HIP__
/* Events may be null; they are recorded in the launch's stream. The flags say in which order
 * launches may begin, and the order of the stream is always one of those. */
static inline hipError_t hipExtLaunchKernel(const void *kernel, dim3 grid, dim3 block,
                                            void **arguments, size_t shared_bytes,
                                            hipStream_t stream, hipEvent_t start, hipEvent_t stop,
                                            int flags) {
    (void)flags;
    hipError_t error = start ? hipEventRecord(start, stream) : hipSuccess;
    if (error == hipSuccess) {
        error = hipLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
    }
    return error == hipSuccess && stop ? hipEventRecord(stop, stream) : error;
}

template <class... Parameters, class... Arguments>
static inline void hipExtLaunchKernelGGL(void (*kernel)(Parameters...), const dim3 &grid,
                                         const dim3 &block, uint32_t shared_bytes,
                                         hipStream_t stream, hipEvent_t start, hipEvent_t stop,
                                         uint32_t flags, Arguments... arguments) {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                  "the kernel takes another number of arguments");
    (void)flags;
    if (start) {
        (void)hipEventRecord(start, stream);
    }
    kernel<<<grid, block, shared_bytes, stream>>>(arguments...);
    if (stop) {
        (void)hipEventRecord(stop, stream);
    }
}
#endif

#endif
