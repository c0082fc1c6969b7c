/* The functions by which the runtime enters a kernel: for one thread, and for a whole block. */
#ifndef WG_COMPILER_ENTRIES_H
#define WG_COMPILER_ENTRIES_H

#include "sandbox/platform/cpu/compiler/shared.h"

/* Of one kernel. Functions of the device module; run_block is NULL when the kernel may wait, or
 * when the loop could not know the thread's index everywhere. */
struct wg_kernel_entries {
    LLVMValueRef run_thread, run_block;
    bool may_wait;
};

/* One struct a kernel; heap, the caller frees. with_blocks: make loops over blocks where possible.
 * The kernels' bodies are inlined into their entries. */
enum wg_code wg_entries_build(struct wg_program *program, const struct wg_shared *shared,
                              struct wg_callgraph *graph, bool with_blocks,
                              struct wg_kernel_entries **out, struct wg_err *err);

#endif
