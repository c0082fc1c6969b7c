/* Copies and fills: what they may touch, when they happen, and doing them.
 *
 * ROCm finds out by address what a pointer is and ignores a wrong hipMemcpyKind as long as one side
 * is device memory; NVIDIA's runtime refuses it. Here it works, and is reported. */
#include <stdio.h>
#include <string.h>

#include "sandbox/platform/cpu/runtime/runtime.h"

enum side_kind { SIDE_PAGEABLE, SIDE_SHARED, SIDE_DEVICE };

/* Is the range inside of one allocation or variable? `verb` for the message: "writes", "reads". */
static hipError_t check_side(const void *ptr, size_t extent, const char *verb,
                             enum side_kind *kind) {
    const char *what = "device memory";
    size_t size;
    size_t offset;
    const struct wg_allocation *allocation = wg_arena_find(ptr);
    const struct wg_cpu_variable *variable = wg_module_find_variable(ptr);
    const struct wg_cpu_variable *meant = wg_module_find_symbol(ptr);
    if (allocation != NULL) {
        *kind = allocation->kind == WG_MEMORY_DEVICE ? SIDE_DEVICE : SIDE_SHARED;
        size = allocation->bytes;
        offset = (size_t)((const char *)ptr - allocation->base);
    } else if (variable != NULL) {
        *kind = SIDE_DEVICE;
        what = variable->name;
        size = variable->bytes;
        offset = (size_t)((const char *)ptr - (const char *)variable->address);
    } else if (meant != NULL) {
        return wg_misuse(hipErrorInvalidValue, WG_SEVERITY_ERROR,
                         "%s %s through the name of %s, a %s variable: in host code that is not "
                         "device memory. Use hipMemcpyToSymbol or hipMemcpyFromSymbol, or take the "
                         "pointer from hipGetSymbolAddress.",
                         wg_api_name(), verb, meant->name,
                         meant->is_constant ? "__constant__" : "__device__");
    } else if (wg_arena_owns(ptr)) {
        char place[160];
        wg_arena_describe(ptr, place, sizeof place);
        return wg_misuse(hipErrorInvalidValue, WG_SEVERITY_ERROR,
                         "%s %s through a pointer to no allocation: %s.", wg_api_name(), verb,
                         place);
    } else {
        *kind = SIDE_PAGEABLE;
        return hipSuccess;
    }
    if (extent > PTRDIFF_MAX) {
        return wg_misuse(hipErrorInvalidValue, WG_SEVERITY_ERROR,
                         "%s was given a size that is negative or far too large: as a signed "
                         "number, %td bytes. Nothing was done.",
                         wg_api_name(), (ptrdiff_t)extent);
    }
    if (extent > size - offset) {
        return wg_misuse(
            hipErrorInvalidValue, WG_SEVERITY_ERROR,
            "%s %s %zu bytes from offset %zu of %s, which has %zu bytes: %zu too many. "
            "Nothing was done.",
            wg_api_name(), verb, extent, offset, what, size, extent - (size - offset));
    }
    return hipSuccess;
}

static hipError_t check_direction(enum side_kind dst, enum side_kind src, hipMemcpyKind kind) {
    if (dst == SIDE_PAGEABLE && src == SIDE_PAGEABLE && kind != hipMemcpyHostToHost &&
        kind != hipMemcpyDefault) {
        return wg_misuse(hipErrorInvalidValue, WG_SEVERITY_ERROR,
                         "%s is to copy from or to the device, but both pointers are to host "
                         "memory. Are the arguments in the order (destination, source)?",
                         wg_api_name());
    }
    bool dst_device = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
    bool src_device = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
    bool wrong_dst = dst == (dst_device ? SIDE_PAGEABLE : SIDE_DEVICE);
    bool wrong_src = src == (src_device ? SIDE_PAGEABLE : SIDE_DEVICE);
    if (kind != hipMemcpyDefault && (wrong_dst || wrong_src)) {
        wg_misuse(hipSuccess, WG_SEVERITY_WARNING,
                  "%s: the direction says that the %s is %s memory, which it is not. AMD's runtime "
                  "looks at the pointers and copies all the same; NVIDIA's refuses.",
                  wg_api_name(), wrong_dst ? "destination" : "source",
                  (wrong_dst ? dst_device : src_device) ? "device" : "host");
    }
    return hipSuccess;
}

struct rows {
    void *dst;
    size_t dst_pitch;
    const void *src;
    size_t src_pitch, width, height;
};

static size_t extent_of(size_t pitch, size_t width, size_t height) {
    size_t extent;
    if (__builtin_mul_overflow(pitch, height - 1, &extent) ||
        __builtin_add_overflow(extent, width, &extent)) {
        return SIZE_MAX;
    }
    return extent;
}

static hipError_t wide_rows(hipError_t error, size_t width, size_t pitch) {
    return wg_misuse(error, WG_SEVERITY_ERROR,
                     "%s was given rows of %zu bytes that start every %zu bytes: a pitch is at "
                     "least the width, both in bytes. Nothing was done.",
                     wg_api_name(), width, pitch);
}

/* The whole of every copy call. `host_waits`: the call returns when the copy is done. */
static hipError_t copy(const char *name, struct rows rows, hipMemcpyKind kind, hipStream_t handle,
                       bool host_waits) {
    hipError_t error = wg_api_begin(name);
    if (error != hipSuccess || rows.width == 0 || rows.height == 0) {
        return wg_api_end(error);
    }
    struct wg_stream *stream = wg_stream_find(handle);
    if ((unsigned)kind > hipMemcpyDefault) {
        return wg_api_end(hipErrorInvalidMemcpyDirection);
    }
    if (stream == NULL || rows.dst == NULL || rows.src == NULL) {
        error = stream == NULL ? hipErrorInvalidHandle : hipErrorInvalidValue;
        return wg_api_end(wg_misuse(error, WG_SEVERITY_WARNING, "%s was given %s.", name,
                                    stream == NULL     ? "a stream that does not exist"
                                    : rows.dst == NULL ? "a null pointer as destination"
                                                       : "a null pointer as source"));
    }
    size_t pitch = rows.dst_pitch < rows.src_pitch ? rows.dst_pitch : rows.src_pitch;
    if (rows.width > pitch) {
        return wg_api_end(wide_rows(hipErrorInvalidPitchValue, rows.width, pitch));
    }
    enum side_kind dst = SIDE_PAGEABLE;
    enum side_kind src = SIDE_PAGEABLE;
    error =
        check_side(rows.dst, extent_of(rows.dst_pitch, rows.width, rows.height), "writes", &dst);
    if (error == hipSuccess) {
        error =
            check_side(rows.src, extent_of(rows.src_pitch, rows.width, rows.height), "reads", &src);
    }
    if (error == hipSuccess) {
        error = check_direction(dst, src, kind);
    }
    if (error != hipSuccess) {
        return wg_api_end(error);
    }
    struct wg_op op = {
        .kind = WG_OP_MEMORY_COPY,
        .call = name,
        /* A copy engine cannot reach pageable memory, so the host takes part in such a copy. */
        .host_waits = host_waits || dst == SIDE_PAGEABLE || src == SIDE_PAGEABLE,
        .u.copy = {rows.dst, rows.src, rows.dst_pitch, rows.src_pitch, rows.width, rows.height}};
    error = wg_stream_submit(stream, &op);
    if (error == hipSuccess && op.host_waits) {
        error = wg_stream_run_until(wg_stream_index(stream), op.serial);
        wg_stream_host_knows(&op.clock);
    }
    return wg_api_end(error);
}

static struct rows one_row(void *dst, const void *src, size_t bytes) {
    return (struct rows){dst, bytes, src, bytes, bytes, 1};
}

/* Was the memory freed (by hipFreeAsync) since the work was submitted? */
static bool is_gone(const struct wg_op *op, const void *ptr, const char *verb) {
    if (!wg_arena_owns(ptr) || wg_arena_find(ptr) != NULL) {
        return false;
    }
    char place[160];
    wg_arena_describe(ptr, place, sizeof place);
    struct wg_finding_record record =
        wg_finding(WG_FINDING_USE_AFTER_FREE, WG_SEVERITY_ERROR,
                   "%s %s %s. Free it in the stream that uses it last, or when that stream is done "
                   "(hipStreamSynchronize).",
                   op->call, verb, place);
    wg_copy_text(record.at.function, sizeof record.at.function, op->call);
    wg_report_finding(&record);
    return true;
}

/* Without a wait the checker has to ask what else is under way. */
static void begin_access(const struct wg_op *op) {
    if (wg_checker_on && !op->host_waits) {
        wg_checker_copy_begin(&(struct wg_checker_copy){.call = op->call,
                                                        .sequence = wg_grid_number(op),
                                                        .ordered_after = wg_grid_ordered_after});
    }
}

static void end_access(const struct wg_op *op) {
    if (wg_checker_on && !op->host_waits) {
        wg_checker_copy_end();
    }
}

void wg_copy_execute(const struct wg_op *op) {
    char *dst = op->u.copy.dst;
    const char *src = op->u.copy.src;
    size_t width = op->u.copy.width;
    if (is_gone(op, dst, "writes") || is_gone(op, src, "reads")) {
        return;
    }
    bool to_device = wg_arena_find(dst) != NULL || wg_module_find_variable(dst) != NULL;
    bool from_device = wg_arena_find(src) != NULL || wg_module_find_variable(src) != NULL;
    wg_arena_open_at(dst);
    wg_arena_open_at(src);
    begin_access(op);
    for (size_t row = 0; row < op->u.copy.height; row++) {
        memmove(dst, src, width);
        if (wg_checker_on && to_device && from_device) {
            wg_checker_host_copy(dst, src, width);
        } else if (wg_checker_on && to_device) {
            wg_checker_host_write(dst, width);
        }
        dst += op->u.copy.dst_pitch;
        src += op->u.copy.src_pitch;
    }
    end_access(op);
    wg_arena_close_at(op->u.copy.dst);
    wg_arena_close_at(op->u.copy.src);
}

hipError_t hipMemcpy(void *dst, const void *src, size_t bytes, hipMemcpyKind kind) {
    return copy(__func__, one_row(dst, src, bytes), kind, NULL, true);
}

hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                               hipStream_t stream) {
    return copy(__func__, one_row(dst, src, bytes), kind, stream, true);
}

hipError_t hipMemcpyAsync(void *dst, const void *src, size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
    return copy(__func__, one_row(dst, src, bytes), kind, stream, false);
}

hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, void *src, size_t bytes) {
    return copy(__func__, one_row(dst, src, bytes), hipMemcpyHostToDevice, NULL, true);
}

hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t bytes) {
    return copy(__func__, one_row(dst, src, bytes), hipMemcpyDeviceToHost, NULL, true);
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes) {
    return copy(__func__, one_row(dst, src, bytes), hipMemcpyDeviceToDevice, NULL, true);
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, void *src, size_t bytes, hipStream_t stream) {
    return copy(__func__, one_row(dst, src, bytes), hipMemcpyHostToDevice, stream, false);
}

hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t bytes, hipStream_t stream) {
    return copy(__func__, one_row(dst, src, bytes), hipMemcpyDeviceToHost, stream, false);
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t bytes,
                              hipStream_t stream) {
    return copy(__func__, one_row(dst, src, bytes), hipMemcpyDeviceToDevice, stream, false);
}

hipError_t hipMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                       size_t width_bytes, size_t height, hipMemcpyKind kind) {
    return copy(__func__, (struct rows){dst, dst_pitch, src, src_pitch, width_bytes, height}, kind,
                NULL, true);
}

hipError_t hipMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                            size_t width_bytes, size_t height, hipMemcpyKind kind,
                            hipStream_t stream) {
    return copy(__func__, (struct rows){dst, dst_pitch, src, src_pitch, width_bytes, height}, kind,
                stream, false);
}

/* ---- Symbols ---- */

static hipError_t find_symbol(const void *symbol, size_t offset, size_t bytes, char **address) {
    const struct wg_cpu_variable *variable = wg_module_find_symbol(symbol);
    if (variable == NULL || symbol != wg_module_symbol(variable)) {
        return wg_misuse(hipErrorInvalidSymbol, WG_SEVERITY_ERROR,
                         "%s was given something that is not a __device__ or __constant__ "
                         "variable%s%s.",
                         wg_api_name(), variable != NULL ? ", but a part of " : "",
                         variable != NULL ? variable->name : "");
    }
    if (offset > variable->bytes || bytes > variable->bytes - offset) {
        return wg_misuse(hipErrorInvalidValue, WG_SEVERITY_ERROR,
                         "%s touches %zu bytes from offset %zu of %s, which has %zu bytes. Nothing "
                         "was done.",
                         wg_api_name(), bytes, offset, variable->name, (size_t)variable->bytes);
    }
    *address = (char *)variable->address + offset;
    return hipSuccess;
}

static hipError_t copy_symbol(const char *name, const void *symbol, const void *src, void *dst,
                              size_t bytes, size_t offset, hipMemcpyKind kind, hipStream_t stream,
                              bool host_waits) {
    hipError_t error = wg_api_begin(name);
    char *address = NULL;
    if (error == hipSuccess) {
        error = find_symbol(symbol, offset, bytes, &address);
    }
    if (error == hipSuccess) {
        struct rows rows =
            src != NULL ? one_row(address, src, bytes) : one_row(dst, address, bytes);
        error = copy(name, rows, kind, stream, host_waits);
    }
    return wg_api_end(error);
}

hipError_t hipMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                             hipMemcpyKind kind) {
    return copy_symbol(__func__, symbol, src, NULL, bytes, offset, kind, NULL, true);
}

hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream) {
    return copy_symbol(__func__, symbol, src, NULL, bytes, offset, kind, stream, false);
}

hipError_t hipMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset,
                               hipMemcpyKind kind) {
    return copy_symbol(__func__, symbol, NULL, dst, bytes, offset, kind, NULL, true);
}

hipError_t hipMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream) {
    return copy_symbol(__func__, symbol, NULL, dst, bytes, offset, kind, stream, false);
}

hipError_t hipGetSymbolAddress(void **ptr, const void *symbol) {
    hipError_t error = wg_api_begin(__func__);
    char *address = NULL;
    if (error == hipSuccess) {
        error = ptr == NULL ? hipErrorInvalidValue : find_symbol(symbol, 0, 0, &address);
    }
    if (error == hipSuccess) {
        *ptr = address;
    }
    return wg_api_end(error);
}

hipError_t hipGetSymbolSize(size_t *bytes, const void *symbol) {
    hipError_t error = wg_api_begin(__func__);
    char *address = NULL;
    if (error == hipSuccess) {
        error = bytes == NULL ? hipErrorInvalidValue : find_symbol(symbol, 0, 0, &address);
    }
    if (error == hipSuccess) {
        *bytes = wg_module_find_symbol(symbol)->bytes;
    }
    return wg_api_end(error);
}

/* ---- Fills ---- */

void wg_fill_execute(const struct wg_op *op) {
    char *dst = op->u.fill.dst;
    size_t width = op->u.fill.width;
    if (is_gone(op, dst, "writes")) {
        return;
    }
    wg_arena_open_at(dst);
    begin_access(op);
    for (size_t row = 0; row < op->u.fill.height; row++) {
        if (op->u.fill.value_bytes == 1) {
            memset(dst, (int)op->u.fill.value, width);
        } else {
            for (size_t i = 0; i < width; i += op->u.fill.value_bytes) {
                memcpy(dst + i, &op->u.fill.value, op->u.fill.value_bytes);
            }
        }
        if (wg_checker_on) {
            wg_checker_host_write(dst, width);
        }
        dst += op->u.fill.pitch;
    }
    end_access(op);
    wg_arena_close_at(op->u.fill.dst);
}

struct fill {
    void *dst;
    uint32_t value, value_bytes;
    size_t pitch, width, height;
};

static hipError_t fill(const char *name, struct fill fill, hipStream_t handle, bool host_waits) {
    hipError_t error = wg_api_begin(name);
    if (error != hipSuccess || fill.width == 0 || fill.height == 0) {
        return wg_api_end(error);
    }
    struct wg_stream *stream = wg_stream_find(handle);
    if (stream == NULL || fill.dst == NULL) {
        return wg_api_end(stream == NULL ? hipErrorInvalidHandle : hipErrorInvalidValue);
    }
    if (fill.width > fill.pitch) {
        return wg_api_end(wide_rows(hipErrorInvalidValue, fill.width, fill.pitch));
    }
    enum side_kind kind = SIDE_PAGEABLE;
    error = check_side(fill.dst, extent_of(fill.pitch, fill.width, fill.height), "writes", &kind);
    if (error == hipSuccess && kind == SIDE_PAGEABLE) {
        error = wg_misuse(hipErrorInvalidValue, WG_SEVERITY_ERROR,
                          "%s was given a pointer to host memory; it fills device memory.", name);
    }
    if (error != hipSuccess) {
        return wg_api_end(error);
    }
    struct wg_op op = {
        .kind = WG_OP_MEMORY_FILL,
        .call = name,
        .host_waits = host_waits,
        .u.fill = {fill.dst, fill.value, fill.value_bytes, fill.pitch, fill.width, fill.height}};
    error = wg_stream_submit(stream, &op);
    if (error == hipSuccess && host_waits) {
        error = wg_stream_run_until(wg_stream_index(stream), op.serial);
        wg_stream_host_knows(&op.clock);
    }
    return wg_api_end(error);
}

static struct fill values(void *dst, uint32_t value, uint32_t value_bytes, size_t count) {
    size_t bytes = count > SIZE_MAX / value_bytes ? SIZE_MAX : count * value_bytes;
    return (struct fill){dst, value, value_bytes, bytes, bytes, 1};
}

hipError_t hipMemset(void *dst, int value, size_t bytes) {
    return fill(__func__, values(dst, (uint8_t)value, 1, bytes), NULL, true);
}

hipError_t hipMemsetAsync(void *dst, int value, size_t bytes, hipStream_t stream) {
    return fill(__func__, values(dst, (uint8_t)value, 1, bytes), stream, false);
}

hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count) {
    return fill(__func__, values(dst, value, 1, count), NULL, true);
}

hipError_t hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count,
                            hipStream_t stream) {
    return fill(__func__, values(dst, value, 1, count), stream, false);
}

hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count) {
    return fill(__func__, values(dst, value, 2, count), NULL, true);
}

hipError_t hipMemsetD16Async(hipDeviceptr_t dst, unsigned short value, size_t count,
                             hipStream_t stream) {
    return fill(__func__, values(dst, value, 2, count), stream, false);
}

hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count) {
    return fill(__func__, values(dst, (uint32_t)value, 4, count), NULL, true);
}

hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream) {
    return fill(__func__, values(dst, (uint32_t)value, 4, count), stream, false);
}

hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width_bytes, size_t height) {
    return fill(__func__, (struct fill){dst, (uint8_t)value, 1, pitch, width_bytes, height}, NULL,
                true);
}

hipError_t hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width_bytes, size_t height,
                            hipStream_t stream) {
    return fill(__func__, (struct fill){dst, (uint8_t)value, 1, pitch, width_bytes, height}, stream,
                false);
}
