/* Allocation calls of the API, and questions about pointers. */
#include "sandbox/platform/cpu/runtime/runtime.h"

enum { PITCH_BYTES = 256 };

static hipError_t allocate(void **ptr, size_t bytes, enum wg_memory_kind kind, unsigned flags) {
    if (ptr == NULL) {
        return wg_misuse(hipErrorInvalidValue, WG_SEVERITY_WARNING,
                         "%s was given a null pointer for its result.", wg_api_name());
    }
    const struct wg_cpu_variable *variable = wg_module_find_symbol(ptr);
    if (variable != NULL && !variable->is_managed) {
        wg_misuse(hipSuccess, WG_SEVERITY_WARNING,
                  "%s puts the pointer into the host's copy of %s, a __device__ variable: kernels "
                  "still see a null pointer. Keep it in an ordinary variable and hand it to the "
                  "kernel, or copy it with hipMemcpyToSymbol.",
                  wg_api_name(), variable->name);
    }
    *ptr = NULL;
    if (bytes == 0) {
        return hipSuccess;
    }
    struct wg_allocation *allocation = wg_arena_alloc(bytes, kind, flags);
    if (allocation == NULL) {
        return wg_misuse(hipErrorOutOfMemory, WG_SEVERITY_WARNING,
                         "%s cannot get %zu bytes: the device has %zu MiB, of which %zu MiB are in "
                         "use.",
                         wg_api_name(), bytes, WG_DEVICE_BYTES >> 20, wg_arena_used() >> 20);
    }
    *ptr = allocation->base;
    return hipSuccess;
}

static hipError_t allocate_call(const char *name, void **ptr, size_t bytes,
                                enum wg_memory_kind kind, unsigned flags) {
    hipError_t error = wg_api_begin(name);
    return wg_api_end(error != hipSuccess ? error : allocate(ptr, bytes, kind, flags));
}

hipError_t hipMalloc(void **ptr, size_t bytes) {
    return allocate_call(__func__, ptr, bytes, WG_MEMORY_DEVICE, 0);
}

hipError_t hipMallocManaged(void **ptr, size_t bytes, unsigned int flags) {
    return allocate_call(__func__, ptr, bytes, WG_MEMORY_MANAGED, flags);
}

hipError_t hipHostMalloc(void **ptr, size_t bytes, unsigned int flags) {
    return allocate_call(__func__, ptr, bytes, WG_MEMORY_PINNED, flags);
}

hipError_t hipHostAlloc(void **ptr, size_t bytes, unsigned int flags) {
    return allocate_call(__func__, ptr, bytes, WG_MEMORY_PINNED, flags);
}

hipError_t hipMallocHost(void **ptr, size_t bytes) {
    return allocate_call(__func__, ptr, bytes, WG_MEMORY_PINNED, hipHostMallocDefault);
}

hipError_t hipMallocPitch(void **ptr, size_t *pitch, size_t width_bytes, size_t height) {
    hipError_t error = wg_api_begin(__func__);
    size_t row = (width_bytes + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    size_t bytes;
    if (error == hipSuccess && (pitch == NULL || row < width_bytes)) {
        error = hipErrorInvalidValue;
    } else if (error == hipSuccess && __builtin_mul_overflow(row, height, &bytes)) {
        error = hipErrorOutOfMemory;
    } else if (error == hipSuccess) {
        *pitch = row;
        error = allocate(ptr, bytes, WG_MEMORY_DEVICE, 0);
    }
    return wg_api_end(error);
}

hipError_t hipMallocAsync(void **ptr, size_t bytes, hipStream_t stream) {
    hipError_t error = wg_api_begin(__func__);
    if (error == hipSuccess && wg_stream_find(stream) == NULL) {
        error = hipErrorInvalidHandle;
    }
    return wg_api_end(error != hipSuccess ? error : allocate(ptr, bytes, WG_MEMORY_DEVICE, 0));
}

/* The allocation that starts at ptr, or NULL with a finding. */
static struct wg_allocation *find_start(void *ptr) {
    struct wg_allocation *allocation = wg_arena_find(ptr);
    if (allocation != NULL && allocation->base == ptr) {
        return allocation;
    }
    char place[160];
    wg_arena_describe(ptr, place, sizeof place);
    wg_misuse(hipErrorInvalidValue, WG_SEVERITY_ERROR,
              "%s was given %s; it wants a pointer as an allocation call returned it, once.",
              wg_api_name(), place);
    return NULL;
}

static hipError_t free_call(const char *name, void *ptr, bool host_side) {
    hipError_t error = wg_api_begin(name);
    if (error != hipSuccess || ptr == NULL) {
        return wg_api_end(error);
    }
    struct wg_allocation *allocation = find_start(ptr);
    if (allocation == NULL) {
        return wg_api_end(hipErrorInvalidValue);
    }
    bool is_pinned = allocation->kind == WG_MEMORY_PINNED;
    if (allocation->kind == WG_MEMORY_REGISTERED || is_pinned != host_side) {
        return wg_api_end(wg_misuse(hipErrorInvalidValue, WG_SEVERITY_WARNING,
                                    "%s was given memory of another kind: hipFree takes what "
                                    "hipMalloc and hipMallocManaged return, hipHostFree what "
                                    "hipHostMalloc returns.",
                                    name));
    }
    error = wg_stream_wait_all(); /* nothing on the device may still use it */
    wg_arena_free(allocation);
    return wg_api_end(error);
}

hipError_t hipFree(void *ptr) {
    return free_call(__func__, ptr, false);
}

hipError_t hipHostFree(void *ptr) {
    return free_call(__func__, ptr, true);
}

hipError_t hipFreeHost(void *ptr) {
    return free_call(__func__, ptr, true);
}

hipError_t hipFreeAsync(void *ptr, hipStream_t handle) {
    hipError_t error = wg_api_begin(__func__);
    if (error != hipSuccess || ptr == NULL) {
        return wg_api_end(error);
    }
    struct wg_stream *stream = wg_stream_find(handle);
    if (stream == NULL || find_start(ptr) == NULL) {
        return wg_api_end(stream == NULL ? hipErrorInvalidHandle : hipErrorInvalidValue);
    }
    struct wg_op op = {.kind = WG_OP_MEMORY_FREE, .u.free.base = ptr};
    return wg_api_end(wg_stream_submit(stream, &op));
}

hipError_t hipHostRegister(void *ptr, size_t bytes, unsigned int flags) {
    hipError_t error = wg_api_begin(__func__);
    if (error == hipSuccess && (ptr == NULL || bytes == 0)) {
        error = hipErrorInvalidValue;
    } else if (error == hipSuccess &&
               (wg_arena_find(ptr) != NULL || wg_arena_adopt(ptr, bytes, flags) == NULL)) {
        error = hipErrorHostMemoryAlreadyRegistered;
    }
    return wg_api_end(error);
}

hipError_t hipHostUnregister(void *ptr) {
    hipError_t error = wg_api_begin(__func__);
    struct wg_allocation *allocation = wg_arena_find(ptr);
    if (error == hipSuccess && (allocation == NULL || allocation->base != ptr ||
                                allocation->kind != WG_MEMORY_REGISTERED)) {
        error = hipErrorHostMemoryNotRegistered;
    }
    if (error == hipSuccess) {
        error = wg_stream_wait_all();
        wg_arena_free(allocation);
    }
    return wg_api_end(error);
}

hipError_t hipHostGetDevicePointer(void **device_ptr, void *host_ptr, unsigned int flags) {
    hipError_t error = wg_api_begin(__func__);
    const struct wg_allocation *allocation = wg_arena_find(host_ptr);
    if (error == hipSuccess && (device_ptr == NULL || flags != 0 || allocation == NULL ||
                                allocation->kind == WG_MEMORY_DEVICE)) {
        error = hipErrorInvalidValue;
    } else if (error == hipSuccess) {
        *device_ptr = host_ptr;
    }
    return wg_api_end(error);
}

hipError_t hipHostGetFlags(unsigned int *flags, void *host_ptr) {
    hipError_t error = wg_api_begin(__func__);
    const struct wg_allocation *allocation = wg_arena_find(host_ptr);
    if (error == hipSuccess &&
        (flags == NULL || allocation == NULL || allocation->kind != WG_MEMORY_PINNED)) {
        error = hipErrorInvalidValue;
    } else if (error == hipSuccess) {
        *flags = allocation->flags;
    }
    return wg_api_end(error);
}

hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    hipError_t error = wg_api_begin(__func__);
    if (free_bytes != NULL) {
        *free_bytes = WG_DEVICE_BYTES - wg_arena_used();
    }
    if (total_bytes != NULL) {
        *total_bytes = WG_DEVICE_BYTES;
    }
    return wg_api_end(error);
}

hipError_t hipMemPtrGetInfo(void *ptr, size_t *bytes) {
    hipError_t error = wg_api_begin(__func__);
    const struct wg_allocation *allocation = wg_arena_find(ptr);
    if (error == hipSuccess && (allocation == NULL || bytes == NULL)) {
        error = hipErrorInvalidValue;
    } else if (error == hipSuccess) {
        *bytes = allocation->bytes;
    }
    return wg_api_end(error);
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *bytes, hipDeviceptr_t ptr) {
    hipError_t error = wg_api_begin(__func__);
    const struct wg_allocation *allocation = wg_arena_find(ptr);
    if (error == hipSuccess && allocation == NULL) {
        error = hipErrorNotFound;
    } else if (error == hipSuccess) {
        if (base != NULL) {
            *base = allocation->base;
        }
        if (bytes != NULL) {
            *bytes = allocation->bytes;
        }
    }
    return wg_api_end(error);
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr) {
    hipError_t error = wg_api_begin(__func__);
    if (error != hipSuccess) {
        return wg_api_end(error);
    }
    const struct wg_allocation *allocation = wg_arena_find(ptr);
    const struct wg_cpu_variable *variable = wg_module_find_variable(ptr);
    if (attributes == NULL || ptr == NULL || (allocation == NULL && variable == NULL)) {
        return wg_api_end(hipErrorInvalidValue); /* what ROCm 6.2 says about plain host memory */
    }
    enum wg_memory_kind kind = allocation == NULL ? WG_MEMORY_DEVICE : allocation->kind;
    *attributes = (hipPointerAttribute_t){
        .type = kind == WG_MEMORY_DEVICE    ? hipMemoryTypeDevice
                : kind == WG_MEMORY_MANAGED ? hipMemoryTypeManaged
                                            : hipMemoryTypeHost,
        .device = 0,
        .devicePointer = (void *)(uintptr_t)ptr,
        .hostPointer = kind == WG_MEMORY_DEVICE ? NULL : (void *)(uintptr_t)ptr,
        .isManaged = kind == WG_MEMORY_MANAGED,
        .allocationFlags = allocation == NULL ? 0 : allocation->flags,
    };
    return wg_api_end(hipSuccess);
}

hipError_t hipMemAdvise(const void *ptr, size_t bytes, hipMemoryAdvise advice, int device) {
    (void)bytes;
    (void)advice;
    (void)device;
    hipError_t error = wg_api_begin(__func__);
    return wg_api_end(error != hipSuccess          ? error
                      : wg_arena_find(ptr) == NULL ? hipErrorInvalidValue
                                                   : hipSuccess);
}

hipError_t hipMemPrefetchAsync(const void *ptr, size_t bytes, int device, hipStream_t stream) {
    (void)bytes;
    hipError_t error = wg_api_begin(__func__);
    bool valid = wg_arena_find(ptr) != NULL && wg_stream_find(stream) != NULL &&
                 (device == 0 || device == hipCpuDeviceId);
    return wg_api_end(error != hipSuccess ? error : valid ? hipSuccess : hipErrorInvalidValue);
}
