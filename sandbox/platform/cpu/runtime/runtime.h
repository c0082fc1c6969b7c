/* Inside of libwghip.so: what its files share. Nothing here is exported; the exported symbols are
 * the HIP API, the wg_cpu_* and wg_check_* calls of abi.h, and wg_report.
 *
 * Files, lowest first: report (findings), config (environment, constructor), error (HIP error
 * state), module (kernels and variables of loaded code), arena (device memory and its protection),
 * heap (malloc in kernels), fiber + block + wave + grid (running one launch; turn.h for the inner
 * steps), spin (waits that never end), fault (signals), stream (queues and order), then the API:
 * device, memory, copy, event, launch.
 *
 * Locking: one recursive lock, taken by every API call, so host threads take turns. While a launch
 * runs, worker threads touch only the launch, their own struct wg_worker and the report, which has
 * a lock of its own. */
#ifndef WG_CPU_RUNTIME_H
#define WG_CPU_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hip/hip_runtime_api.h>

#include "sandbox/platform/cpu/abi.h"
#include "sandbox/platform/cpu/runtime/checker.h"
#include "sandbox/platform/report.h"

/* ---- The imaginary device. It resembles one AMD GPU; limits that the vendors disagree about are
 * the stricter ones, so that what runs here runs on both. ---- */
enum {
    WG_MAX_BLOCK_THREADS = 1024,
    WG_MAX_GRID_YZ = 65535,
    WG_SHARED_BYTES = 64 * 1024, /* per block, and per multiprocessor */
    WG_MULTIPROCESSORS = 8,      /* fixed, so that grids sized by it are the same everywhere */
    WG_THREADS_PER_MULTIPROCESSOR = 2048,
    WG_BLOCKS_PER_MULTIPROCESSOR = 32,
    WG_DEVICE_NAME_BYTES = 64,
};
#define WG_MAX_GRID_X   2147483647u
#define WG_DEVICE_BYTES ((size_t)4 << 30)

/* Every byte of memory that nobody wrote: a NaN as float, double, half and bfloat16, and a large
 * odd number as int. */
#define WG_POISON 0x7fff7fffu

/* ---- config.c ---- */
enum wg_block_order { WG_BLOCKS_UP, WG_BLOCKS_DOWN, WG_BLOCKS_SHUFFLED };

struct wg_config {
    enum wg_block_order block_order;
    uint64_t shuffle_seed;
    bool threads_down;
    uint32_t warp_size;
    uint32_t workers;
};
extern struct wg_config wg_config;
/* From the first module on, an exit() of the submission is put down in the report. Registered that
 * late, so that modules are still known when it happens. */
void wg_config_watch_exit(void);

/* ---- report.c ---- */
/* Maps the descriptor, or makes a private report when fd is -1. */
void wg_report_open(int fd);
/* Findings for people, on standard error; nothing when a parent reads the shared report. */
void wg_report_print(void);
/* Fills kind, severity, kernel and a place without a thread; text by format. */
struct wg_finding_record wg_finding(enum wg_finding_kind kind, enum wg_severity severity,
                                    const char *format, ...) __attribute__((format(printf, 3, 4)));
void wg_place_set_site(struct wg_place *place, const struct wg_cpu_site *site);
void wg_place_set_thread(struct wg_place *place, const struct wg_cpu_thread *thread);
/* Copies with truncation; dst is always terminated. */
void wg_copy_text(char *dst, size_t dst_bytes, const char *src);
/* What people call a C++ symbol by, without result type and parameters, or the symbol itself.
 * Allocates: not for signal handlers. */
void wg_demangle(char *dst, size_t dst_bytes, const char *mangled);

/* ---- error.c ---- */
/* Opens every API call: takes the lock and remembers the name for messages. Not hipSuccess when a
 * sticky error forbids the call; wg_api_end must follow in any case. */
hipError_t wg_api_begin(const char *name);
/* Closes it: remembers the error for hipGetLastError. Returns its argument. */
hipError_t wg_api_end(hipError_t error);
const char *wg_api_name(void); /* of the running call on this thread, or NULL */
/* Around a host function that a stream calls, which is inside of some API call but is student code:
 * calls in it are reported. */
struct wg_api_state {
    const char *running_call;
    unsigned call_depth;
    bool in_host_function;
};
struct wg_api_state wg_api_enter_host_function(void);
void wg_api_leave_host_function(struct wg_api_state outside);
/* After it every call fails with `error`, until hipDeviceReset. */
void wg_set_sticky(hipError_t error);
void wg_clear_errors(void);
/* Reports an API_MISUSE finding about the running call and returns `error`. */
hipError_t wg_misuse(hipError_t error, enum wg_severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- module.c ---- */
struct wg_kernel_info {
    const struct wg_cpu_kernel *kernel;
    const struct wg_module_info *module;
    char name[96]; /* demangled, for reports and signal handlers */
};

struct wg_module_info {
    const struct wg_cpu_module *module;
    struct wg_kernel_info *kernels;
    uintptr_t text_low, text_high; /* machine code of the library that holds the kernels */
    struct wg_module_info *next;
};

/* NULL when the handle is no kernel. */
const struct wg_kernel_info *wg_module_find_kernel(const void *handle);
const struct wg_kernel_info *wg_module_find_info(const struct wg_cpu_kernel *kernel);
/* The variable that holds the address, or NULL. */
const struct wg_cpu_variable *wg_module_find_variable(const void *address);
/* What host code names a variable by, and the variable whose symbol holds the address, or NULL. */
const void *wg_module_symbol(const struct wg_cpu_variable *variable);
const struct wg_cpu_variable *wg_module_find_symbol(const void *address);
/* Is it machine code of a loaded module's library? */
bool wg_module_holds_code(const void *address);
/* Tells a checker that has just come to life about all variables. */
void wg_module_tell_checker(void);

/* ---- arena.c ---- */
enum wg_memory_kind { WG_MEMORY_DEVICE, WG_MEMORY_PINNED, WG_MEMORY_MANAGED, WG_MEMORY_REGISTERED };

struct wg_allocation {
    char *base;
    size_t bytes;  /* as asked for */
    size_t mapped; /* whole pages */
    enum wg_memory_kind kind;
    unsigned flags;
    bool live;
};

/* NULL when memory or address space is out. Device memory is poisoned. */
struct wg_allocation *wg_arena_alloc(size_t bytes, enum wg_memory_kind kind, unsigned flags);
/* Host memory of the caller that kernels may use from now on. NULL when it overlaps another. */
struct wg_allocation *wg_arena_adopt(void *base, size_t bytes, unsigned flags);
void wg_arena_free(struct wg_allocation *allocation);
void wg_arena_free_all(void);
/* The live allocation that holds the address (its end counts only for empty ranges), or NULL. */
struct wg_allocation *wg_arena_find(const void *address);
/* For messages, signal-safe: how the address relates to the nearest allocation, freed ones too. */
void wg_arena_describe(const void *address, char *text, size_t text_bytes);
bool wg_arena_owns(const void *address); /* inside the zones of device memory */
size_t wg_arena_used(void);
/* Is there memory that both kernels and host code reach? */
bool wg_arena_host_can_read(void);
/* Device memory is out of reach for host code; between open and close it is not. Nests. */
void wg_arena_open(void);
void wg_arena_close(void);
/* The same for the one allocation, if any, that holds the address. Does not nest. */
void wg_arena_open_at(const void *address);
void wg_arena_close_at(const void *address);
void wg_arena_tell_checker(void);
/* Repeats WG_POISON. */
void wg_poison(void *dst, size_t bytes);

/* ---- heap.c (wg_cpu_heap_alloc and wg_cpu_heap_free are in abi.h) ---- */
/* While device memory is open: what kernels freed can be used again, if nothing is left alive. */
void wg_heap_launch_end(void);
/* All device memory was freed. */
void wg_heap_reset(void);

/* ---- stream.c ---- */
/* Vector clocks over streams decide what is ordered. Many streams share slots, which can only hide
 * an unordered pair, never invent one. */
enum { WG_CLOCK_SLOTS = 64 };
struct wg_clock {
    uint64_t tick[WG_CLOCK_SLOTS];
};

enum wg_op_kind {
    WG_OP_KERNEL,
    WG_OP_MEMORY_COPY,
    WG_OP_MEMORY_FILL,
    WG_OP_EVENT_RECORD,
    WG_OP_EVENT_WAIT,
    WG_OP_HOST_CALL,
    WG_OP_MEMORY_FREE,
};

struct wg_launch {
    const struct wg_kernel_info *info;
    const struct wg_cpu_kernel *kernel;
    struct wg_cpu_dim3 grid, block;
    uint32_t dynamic_shared_bytes;
    bool cooperative;
    void *pack; /* owned by the op */
    uint64_t sequence;
};

/* A piece of work in a stream. */
struct wg_op {
    enum wg_op_kind kind;
    uint64_t serial;       /* position among all work of the process */
    struct wg_clock clock; /* what is ordered before it, itself included */
    uint32_t slot;         /* of its stream */
    /* Of copies and fills: the API function, and whether it returns when they are done. */
    const char *call;
    bool host_waits;
    struct wg_op *next;
    union {
        struct wg_launch launch;
        struct { /* rows of `width` bytes */
            void *dst;
            const void *src;
            size_t dst_pitch, src_pitch, width, height;
        } copy;
        struct {
            void *dst;
            uint32_t value, value_bytes;
            size_t pitch, width, height;
        } fill;
        struct {
            hipEvent_t event;
        } record;
        struct {
            uint32_t stream_index;
            uint64_t serial;
        } wait;
        struct {
            hipHostFn_t function;
            hipStreamCallback_t callback;
            hipStream_t stream;
            void *user_data;
        } host;
        struct {
            void *base;
        } free;
    } u;
};

/* NULL when the handle names no stream. */
struct wg_stream *wg_stream_find(hipStream_t handle);
/* True for streams that do not block with the default stream: they have a queue of their own. */
bool wg_stream_is_lazy(const struct wg_stream *stream);
uint32_t wg_stream_index(const struct wg_stream *stream);
/* Takes `op` over by copy (for launches the pack is copied as well) and, unless it has to be late,
 * executes it. */
hipError_t wg_stream_submit(struct wg_stream *stream, struct wg_op *op);
/* Executes what the stream holds, up to a serial number. */
hipError_t wg_stream_run_until(uint32_t stream_index, uint64_t serial);
/* Host waits for a stream; for everything. */
hipError_t wg_stream_wait(struct wg_stream *stream);
hipError_t wg_stream_wait_all(void);
/* What the host knows to be done grows by `clock`. */
void wg_stream_host_knows(const struct wg_clock *clock);
/* Everything submitted later to the stream comes after `clock`. */
void wg_stream_order_after(struct wg_stream *stream, const struct wg_clock *clock);
void wg_stream_reset(void);

/* ---- event.c ---- */
/* An event op has been executed. */
void wg_event_completed(hipEvent_t event, uint64_t serial);
void wg_event_reset(void);

/* ---- copy.c ---- */
void wg_copy_execute(const struct wg_op *op);
void wg_fill_execute(const struct wg_op *op);

/* ---- launch.c ---- */
uint32_t wg_launch_blocks_per_multiprocessor(const struct wg_cpu_kernel *kernel,
                                             uint64_t block_threads, size_t dynamic_shared_bytes);

/* ---- grid.c ---- */
/* Gives work that starts now its number among the launches and, for wg_grid_ordered_after, its
 * place in the order of streams. */
uint64_t wg_grid_number(const struct wg_op *op);
/* Is the launch of that number ordered before the one numbered last? */
bool wg_grid_ordered_after(uint64_t earlier);
/* Runs all blocks. hipErrorLaunchFailure when the launch could not end. */
hipError_t wg_grid_run(struct wg_launch *launch, const struct wg_op *op);

/* ---- fault.c ---- */
void wg_fault_install(void);
/* Gives this thread a stack for signal handlers, once. */
void wg_fault_prepare_thread(void);

#endif
