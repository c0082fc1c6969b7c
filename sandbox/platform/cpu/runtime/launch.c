/* Launching kernels: what a GPU would refuse is refused, with the error that ROCm gives and a
 * finding that names the limit. None of these errors stick. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/platform/cpu/runtime/runtime.h"

static hipError_t refuse(const struct wg_kernel_info *info, hipError_t error, const char *format,
                         ...) __attribute__((format(printf, 3, 4)));

static hipError_t refuse(const struct wg_kernel_info *info, hipError_t error, const char *format,
                         ...) {
    char text[sizeof((struct wg_finding_record *)NULL)->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct wg_finding_record record = wg_finding(WG_FINDING_LAUNCH_ERROR, WG_SEVERITY_ERROR,
                                                 "%s (%s)", text, hipGetErrorName(error));
    if (info != NULL) {
        wg_copy_text(record.kernel, sizeof record.kernel, info->name);
        wg_copy_text(record.at.function, sizeof record.at.function, info->name);
        if (info->kernel->declared_at != NULL) {
            wg_copy_text(record.at.file, sizeof record.at.file, info->kernel->declared_at->file);
            record.at.line = info->kernel->declared_at->line;
            record.at.column = info->kernel->declared_at->column;
        }
    }
    wg_report_finding(&record);
    wg_report->failed_launches++;
    return error;
}

/* ---- Occupancy ---- */

uint32_t wg_launch_blocks_per_multiprocessor(const struct wg_cpu_kernel *kernel,
                                             uint64_t block_threads, size_t dynamic_shared_bytes) {
    uint64_t limit = kernel->max_threads != 0 ? kernel->max_threads : WG_MAX_BLOCK_THREADS;
    size_t shared = kernel->static_shared_bytes + dynamic_shared_bytes;
    if (block_threads == 0 || block_threads > limit || dynamic_shared_bytes > WG_SHARED_BYTES ||
        shared > WG_SHARED_BYTES) {
        return 0;
    }
    uint64_t waves = (block_threads + wg_config.warp_size - 1) / wg_config.warp_size;
    uint64_t blocks = WG_THREADS_PER_MULTIPROCESSOR / (waves * wg_config.warp_size);
    if (shared > 0 && blocks > WG_SHARED_BYTES / shared) {
        blocks = WG_SHARED_BYTES / shared;
    }
    return blocks > WG_BLOCKS_PER_MULTIPROCESSOR ? WG_BLOCKS_PER_MULTIPROCESSOR : (uint32_t)blocks;
}

/* ---- Limits ---- */

static hipError_t check_shape(const struct wg_kernel_info *info, dim3 grid, dim3 block) {
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) {
        return refuse(info, hipErrorInvalidConfiguration,
                      "The grid has %" PRIu32 " x %" PRIu32 " x %" PRIu32
                      " blocks; every dimension must be at least 1. Was a division rounded down?",
                      grid.x, grid.y, grid.z);
    }
    if (threads == 0) {
        return refuse(info, hipErrorInvalidConfiguration,
                      "The block has %" PRIu32 " x %" PRIu32 " x %" PRIu32
                      " threads; every dimension must be at least 1.",
                      block.x, block.y, block.z);
    }
    if (block.x > WG_MAX_BLOCK_THREADS || block.y > WG_MAX_BLOCK_THREADS ||
        block.z > WG_MAX_BLOCK_THREADS || threads > WG_MAX_BLOCK_THREADS) {
        return refuse(info, hipErrorInvalidConfiguration,
                      "The block has %" PRIu32 " x %" PRIu32 " x %" PRIu32 " = %" PRIu64
                      " threads; a block can have %d at most.",
                      block.x, block.y, block.z, threads, WG_MAX_BLOCK_THREADS);
    }
    if (grid.x > WG_MAX_GRID_X || grid.y > WG_MAX_GRID_YZ || grid.z > WG_MAX_GRID_YZ) {
        return refuse(info, hipErrorInvalidConfiguration,
                      "The grid has %" PRIu32 " x %" PRIu32 " x %" PRIu32
                      " blocks; the limits are %u x %d x %d. Put the longest dimension into x.",
                      grid.x, grid.y, grid.z, WG_MAX_GRID_X, WG_MAX_GRID_YZ, WG_MAX_GRID_YZ);
    }
    if (info->kernel->max_threads != 0 && threads > info->kernel->max_threads) {
        return refuse(info, hipErrorLaunchFailure,
                      "The block has %" PRIu64 " threads, but the kernel is declared with "
                      "__launch_bounds__(%" PRIu32 ").",
                      threads, info->kernel->max_threads);
    }
    return hipSuccess;
}

static hipError_t check_resources(const struct wg_kernel_info *info, dim3 grid, dim3 block,
                                  size_t shared_bytes, bool cooperative) {
    size_t static_bytes = info->kernel->static_shared_bytes;
    if (shared_bytes > WG_SHARED_BYTES || static_bytes + shared_bytes > WG_SHARED_BYTES) {
        return refuse(info, hipErrorInvalidValue,
                      "The block needs %zu bytes of static and %zu bytes of dynamic shared memory; "
                      "together it can have %d bytes at most.",
                      static_bytes, shared_bytes, WG_SHARED_BYTES);
    }
    uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    uint32_t resident = wg_launch_blocks_per_multiprocessor(
        info->kernel, (uint64_t)block.x * block.y * block.z, shared_bytes);
    if (cooperative && blocks > (uint64_t)resident * WG_MULTIPROCESSORS) {
        return refuse(info, hipErrorCooperativeLaunchTooLarge,
                      "A cooperative launch of %" PRIu64 " blocks: all must run at the same time, "
                      "and the device holds %d multiprocessors x %" PRIu32
                      " such blocks. Ask hipOccupancyMaxActiveBlocksPerMultiprocessor.",
                      blocks, WG_MULTIPROCESSORS, resident);
    }
    return hipSuccess;
}

/* ---- Launching ---- */

static hipError_t launch(const struct wg_kernel_info *info, dim3 grid, dim3 block, void *pack,
                         size_t shared_bytes, hipStream_t handle, bool cooperative) {
    struct wg_stream *stream = wg_stream_find(handle);
    if (stream == NULL) {
        return refuse(info, hipErrorInvalidHandle,
                      "The launch names a stream that does not exist (never created, or already "
                      "destroyed).");
    }
    hipError_t error = check_shape(info, grid, block);
    if (error == hipSuccess) {
        error = check_resources(info, grid, block, shared_bytes, cooperative);
    }
    if (error != hipSuccess) {
        return error;
    }
    struct wg_op op = {
        .kind = WG_OP_KERNEL,
        .u.launch = {.info = info,
                     .kernel = info->kernel,
                     .grid = {grid.x, grid.y, grid.z},
                     .block = {block.x, block.y, block.z},
                     .dynamic_shared_bytes = (uint32_t)shared_bytes,
                     .cooperative = cooperative,
                     .pack = pack},
    };
    return wg_stream_submit(stream, &op);
}

static const struct wg_kernel_info *find_kernel(const void *handle, hipError_t *error) {
    const struct wg_kernel_info *info = wg_module_find_kernel(handle);
    if (*error == hipSuccess && info == NULL) {
        *error = refuse(NULL, hipErrorInvalidDeviceFunction,
                        "%s was given something that is not a __global__ function.", wg_api_name());
    }
    return *error == hipSuccess ? info : NULL;
}

/* Launches by an array of pointers to arguments. */
static hipError_t launch_by_pointers(const char *name, const void *handle, dim3 grid, dim3 block,
                                     void **arguments, size_t shared_bytes, hipStream_t stream,
                                     bool cooperative) {
    hipError_t error = wg_api_begin(name);
    const struct wg_kernel_info *info = find_kernel(handle, &error);
    if (info == NULL) {
        return wg_api_end(error);
    }
    const struct wg_cpu_kernel *kernel = info->kernel;
    bool missing = arguments == NULL && kernel->param_count > 0;
    for (uint32_t i = 0; !missing && i < kernel->param_count; i++) {
        missing = arguments[i] == NULL;
    }
    if (missing) {
        return wg_api_end(refuse(info, hipErrorInvalidValue,
                                 "The kernel has %" PRIu32 " parameters; the launch has a null "
                                 "pointer in place of an argument.",
                                 kernel->param_count));
    }
    char *pack = calloc(1, (size_t)kernel->pack_bytes + 1);
    if (pack == NULL) {
        return wg_api_end(hipErrorOutOfMemory);
    }
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        memcpy(pack + kernel->params[i].offset, arguments[i], kernel->params[i].bytes);
    }
    error = launch(info, grid, block, pack, shared_bytes, stream, cooperative);
    free(pack);
    return wg_api_end(error);
}

hipError_t hipLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                           size_t shared_bytes, hipStream_t stream) {
    return launch_by_pointers(__func__, kernel, grid, block, arguments, shared_bytes, stream,
                              false);
}

hipError_t hipLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                      unsigned int shared_bytes, hipStream_t stream) {
    return launch_by_pointers(__func__, kernel, grid, block, arguments, shared_bytes, stream, true);
}

/* Launches nest while arguments are evaluated: f<<<...>>>(g()) where g launches, too. */
enum { MAX_CONFIGURATIONS = 16 };
static _Thread_local struct {
    dim3 grid, block;
    size_t shared_bytes;
    hipStream_t stream;
} configurations[MAX_CONFIGURATIONS];
static _Thread_local unsigned configuration_count;

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                      hipStream_t stream) {
    if (configuration_count == MAX_CONFIGURATIONS) {
        return hipErrorOutOfMemory;
    }
    configurations[configuration_count].grid = grid;
    configurations[configuration_count].block = block;
    configurations[configuration_count].shared_bytes = shared_bytes;
    configurations[configuration_count].stream = stream;
    configuration_count++;
    return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
                                     hipStream_t *stream) {
    if (configuration_count == 0) {
        return hipErrorMissingConfiguration;
    }
    configuration_count--;
    *grid = configurations[configuration_count].grid;
    *block = configurations[configuration_count].block;
    *shared_bytes = configurations[configuration_count].shared_bytes;
    *stream = configurations[configuration_count].stream;
    return hipSuccess;
}

void wg_cpu_launch_stub(const struct wg_cpu_kernel *kernel, void *pack) {
    dim3 grid = {0, 0, 0};
    dim3 block = grid;
    size_t shared_bytes = 0;
    hipStream_t stream = NULL;
    hipError_t popped = __hipPopCallConfiguration(&grid, &block, &shared_bytes, &stream);
    hipError_t error = wg_api_begin("<<<>>>");
    const struct wg_kernel_info *info = wg_module_find_info(kernel);
    if (error == hipSuccess && info == NULL) {
        error = refuse(NULL, hipErrorInvalidDeviceFunction, "The kernel's module is not loaded.");
    } else if (error == hipSuccess && popped != hipSuccess) {
        error = refuse(info, popped, "A kernel was called like a function; launch it with <<<>>>.");
    } else if (error == hipSuccess && info != NULL) {
        error = launch(info, grid, block, pack, shared_bytes, stream, false);
    }
    wg_api_end(error);
}

/* ---- Questions about kernels ---- */

hipError_t hipFuncGetAttributes(hipFuncAttributes *attributes, const void *handle) {
    hipError_t error = wg_api_begin(__func__);
    const struct wg_kernel_info *info = find_kernel(handle, &error);
    if (info != NULL && attributes == NULL) {
        error = hipErrorInvalidValue;
    } else if (info != NULL) {
        const struct wg_cpu_kernel *kernel = info->kernel;
        *attributes = (hipFuncAttributes){
            .maxDynamicSharedSizeBytes = WG_SHARED_BYTES - (int)kernel->static_shared_bytes,
            .maxThreadsPerBlock =
                kernel->max_threads != 0 ? (int)kernel->max_threads : WG_MAX_BLOCK_THREADS,
            .numRegs = 32,
            .sharedSizeBytes = kernel->static_shared_bytes,
        };
    }
    return wg_api_end(error);
}

hipError_t hipFuncSetAttribute(const void *handle, hipFuncAttribute attribute, int value) {
    hipError_t error = wg_api_begin(__func__);
    const struct wg_kernel_info *info = find_kernel(handle, &error);
    if (info != NULL && attribute == hipFuncAttributeMaxDynamicSharedMemorySize &&
        (value < 0 || (size_t)value + info->kernel->static_shared_bytes > WG_SHARED_BYTES)) {
        error = hipErrorInvalidValue;
    }
    return wg_api_end(error);
}

hipError_t hipFuncSetCacheConfig(const void *handle, hipFuncCache_t config) {
    (void)config;
    hipError_t error = wg_api_begin(__func__);
    find_kernel(handle, &error);
    return wg_api_end(error);
}

hipError_t hipFuncSetSharedMemConfig(const void *handle, hipSharedMemConfig config) {
    (void)config;
    hipError_t error = wg_api_begin(__func__);
    find_kernel(handle, &error);
    return wg_api_end(error);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *handle,
                                                        int block_threads, size_t shared_bytes) {
    hipError_t error = wg_api_begin(__func__);
    const struct wg_kernel_info *info = find_kernel(handle, &error);
    if (info != NULL && (blocks == NULL || block_threads <= 0)) {
        error = hipErrorInvalidValue;
    } else if (info != NULL) {
        *blocks = (int)wg_launch_blocks_per_multiprocessor(info->kernel, (uint64_t)block_threads,
                                                           shared_bytes);
    }
    return wg_api_end(error);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *handle,
                                                                 int block_threads,
                                                                 size_t shared_bytes,
                                                                 unsigned int flags) {
    (void)flags; /* they concern caching */
    return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handle, block_threads,
                                                        shared_bytes);
}

hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block_threads, const void *handle,
                                             size_t shared_bytes, int block_limit) {
    hipError_t error = wg_api_begin(__func__);
    const struct wg_kernel_info *info = find_kernel(handle, &error);
    if (info == NULL || grid == NULL || block_threads == NULL) {
        return wg_api_end(info == NULL ? error : hipErrorInvalidValue);
    }
    uint32_t limit = WG_MAX_BLOCK_THREADS;
    if (info->kernel->max_threads != 0 && info->kernel->max_threads < limit) {
        limit = info->kernel->max_threads;
    }
    if (block_limit > 0 && (uint32_t)block_limit < limit) {
        limit = (uint32_t)block_limit;
    }
    /* The largest block of whole waves among those that keep the most threads resident. */
    uint32_t best = limit;
    uint32_t most = 0;
    for (uint32_t size = wg_config.warp_size; size <= limit; size += wg_config.warp_size) {
        uint32_t threads =
            size * wg_launch_blocks_per_multiprocessor(info->kernel, size, shared_bytes);
        if (threads >= most) {
            most = threads;
            best = size;
        }
    }
    *block_threads = (int)best;
    *grid = (int)(WG_MULTIPROCESSORS *
                  wg_launch_blocks_per_multiprocessor(info->kernel, best, shared_bytes));
    return wg_api_end(hipSuccess);
}
