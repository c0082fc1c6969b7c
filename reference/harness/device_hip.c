#include "reference/harness/device.h"

#include <stdio.h>

#include <hip/hip_runtime_api.h>

static hipEvent_t timer_events[2];

bool wg_device_describe(int index, struct wg_device_info *info) {
    int count = 0;
    /* The one call that tells "no device" apart from every other fault on all platforms. */
    if (hipGetDeviceCount(&count) != hipSuccess || index >= count) {
        return false;
    }
    hipDeviceProp_t properties;
    if (hipGetDeviceProperties(&properties, index) != hipSuccess) {
        return false;
    }
    (void)snprintf(info->name, sizeof info->name, "%s", properties.name);
    (void)snprintf(info->arch, sizeof info->arch, "%.63s", properties.gcnArchName);
    (void)hipDeviceGetPCIBusId(info->address, (int)sizeof info->address, index);
    info->warp_size = (uint32_t)properties.warpSize;
    info->memory_bytes = properties.totalGlobalMem;
    info->cache_bytes = properties.l2CacheSize > 0 ? (uint64_t)properties.l2CacheSize : 0;
    (void)hipRuntimeGetVersion(&info->runtime_version);
    (void)hipDriverGetVersion(&info->driver_version);
    return true;
}

bool wg_device_open(struct wg_device_info *info) {
    return wg_device_describe(0, info) && hipSetDevice(0) == hipSuccess;
}

bool wg_device_is_host(void) {
    return false;
}

const char *wg_device_error_name(int error) {
    return hipGetErrorName((hipError_t)error);
}

int wg_device_allocate(size_t bytes, void **out) {
    return (int)hipMalloc(out, bytes);
}

void wg_device_free(void *buffer) {
    (void)hipFree(buffer);
}

int wg_device_set(void *buffer, int byte, size_t count) {
    return (int)hipMemset(buffer, byte, count);
}

int wg_device_upload(void *buffer, const void *bytes, size_t count) {
    return (int)hipMemcpy(buffer, bytes, count, hipMemcpyHostToDevice);
}

int wg_device_download(void *bytes, const void *buffer, size_t count) {
    return (int)hipMemcpy(bytes, buffer, count, hipMemcpyDeviceToHost);
}

bool wg_device_is_gone(int error) {
    return error == hipErrorInvalidValue;
}

int wg_device_launch(const void *kernel, const struct wg_device_shape *shape, void **arguments) {
    dim3 grid = {shape->grid[0], shape->grid[1], shape->grid[2]};
    dim3 block = {shape->block[0], shape->block[1], shape->block[2]};
    return (int)hipLaunchKernel(kernel, grid, block, arguments, shape->shared_bytes, NULL);
}

void wg_device_clear_error(void) {
    (void)hipGetLastError();
}

int wg_device_join(void) {
    hipError_t launched = hipGetLastError();
    hipError_t finished = hipStreamSynchronize(NULL);
    return (int)(launched != hipSuccess ? launched : finished);
}

void wg_device_drain(void) {
    (void)hipDeviceSynchronize();
    (void)hipGetLastError();
}

/* Only NVIDIA's devices let a program keep lines in the cache. WG_TRUST_TEST: the harness of
 * tests/trust, which has no defences of its own. */
void wg_device_forget_cached(void) {
#if defined(__HIP_PLATFORM_NVIDIA__) && !defined(WG_TRUST_TEST)
    (void)cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
    (void)cudaCtxResetPersistingL2Cache();
    (void)cudaGetLastError();
#endif
}

int wg_device_timer_start(void) {
    for (int i = 0; i < 2; i++) {
        hipError_t error = timer_events[i] != NULL ? hipSuccess : hipEventCreate(&timer_events[i]);
        if (error != hipSuccess) {
            return (int)error;
        }
    }
    return (int)hipEventRecord(timer_events[0], NULL);
}

int wg_device_timer_stop(double *elapsed_ms) {
    float elapsed = 0;
    hipError_t error = hipEventRecord(timer_events[1], NULL);
    if (error == hipSuccess) {
        error = hipEventSynchronize(timer_events[1]);
    }
    if (error == hipSuccess) {
        error = hipEventElapsedTime(&elapsed, timer_events[0], timer_events[1]);
    }
    *elapsed_ms = (double)elapsed;
    return (int)error;
}
