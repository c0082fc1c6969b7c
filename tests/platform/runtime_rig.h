/* A bench for the runtime without the compiler: kernels written in C, in a module made by hand.
 *
 * A kernel is RIG_KERNEL(name, struct of its arguments) followed by its body, in which `a` points
 * to the arguments; RIG_MODULE lists the kernels. Each Criterion test is a process of its own. */
#ifndef WG_TESTS_RUNTIME_RIG_H
#define WG_TESTS_RUNTIME_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hip/hip_runtime_api.h>

#include "sandbox/platform/cpu/runtime/runtime.h"

#define RIG_KERNEL(kernel_name, arguments)                                                         \
    static void kernel_name##_body(const arguments *a);                                            \
    static void kernel_name##_thread(void *pack) {                                                 \
        kernel_name##_body(pack);                                                                  \
    }                                                                                              \
    static const char kernel_name##_handle;                                                        \
    static const struct wg_cpu_param kernel_name##_params[] = {{0, sizeof(arguments), 0, 0, "a"}}; \
    static struct wg_cpu_kernel kernel_name = {.name = #kernel_name,                               \
                                               .handle = &kernel_name##_handle,                    \
                                               .run_thread = kernel_name##_thread,                 \
                                               .pack_bytes = sizeof(arguments),                    \
                                               .param_count = 1,                                   \
                                               .params = kernel_name##_params,                     \
                                               .may_wait = 1};                                     \
    static void kernel_name##_body(const arguments *a)

/* Registers copies of kernels, since their descriptors must lie in one array. */
void rig_register(struct wg_cpu_kernel *const *kernels, size_t count);
#define RIG_REGISTER(...)                                                                          \
    rig_register((struct wg_cpu_kernel *const[]){__VA_ARGS__},                                     \
                 sizeof((struct wg_cpu_kernel *const[]){__VA_ARGS__}) /                            \
                     sizeof(struct wg_cpu_kernel *))

/* A place in an imaginary source file, whose code is in the order of its lines. */
#define RIG_SITE(name, at_line)                                                                    \
    static const struct wg_cpu_site name = {.file = "k.hip",                                       \
                                            .line = (at_line),                                     \
                                            .column = 1,                                           \
                                            .function = "k",                                       \
                                            .object_bytes = (at_line)}

/* kernel<<<grid, block, shared, stream>>>(*pack); the last error is what hipGetLastError says. */
void rig_launch(const struct wg_cpu_kernel *kernel, dim3 grid, dim3 block, size_t shared,
                hipStream_t stream, const void *pack);
hipError_t rig_cooperative(const struct wg_cpu_kernel *kernel, dim3 grid, dim3 block,
                           const void *pack);
static inline dim3 rig_dim(uint32_t x) {
    return (dim3){x, 1, 1};
}

/* Memory that kernels and test may touch at any time. */
void *rig_shared_memory(size_t bytes);
/* The same as students get it: work is put off until something waits for it. */
void *rig_pinned_memory(size_t bytes);

uint32_t rig_count(enum wg_finding_kind kind);
const struct wg_finding_record *rig_finding(enum wg_finding_kind kind); /* the first; must exist */

/* Runs the function in a child process that shares the report. The signal that ended it, or 0. */
int rig_signal_of(void (*function)(void));

/* Of the running thread. */
static inline uint32_t rig_global_index(void) {
    return wg_self->block_idx.x * wg_self->block_dim.x + wg_self->thread_idx.x;
}

#endif
