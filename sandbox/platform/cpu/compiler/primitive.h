/* The functions that our HIP headers declare without a body: where the thread is, and how threads
 * wait for each other. */
#ifndef WG_COMPILER_PRIMITIVE_H
#define WG_COMPILER_PRIMITIVE_H

#include "sandbox/platform/cpu/compiler/ir.h"

/* True for functions that may wait for other threads of the block or grid. */
bool wg_primitive_waits(const char *name);
/* True for those that concern the lanes of one wave. */
bool wg_primitive_is_of_wave(const char *name);
#define WG_PRIMITIVE_REJOIN  "__wg_rejoin" /* see rejoin.h */
#define WG_PRIMITIVE_SHUFFLE "__wg_shuffle"
#define WG_SHUFFLE_VALUE     2 /* its argument */

/* Turns all calls into loads from wg_self and into runtime calls with a site. */
void wg_primitive_expand(const struct wg_ir *ir);

/* *wg_self and its shared memory, loaded once at the start of a function. */
LLVMValueRef wg_primitive_self(const struct wg_ir *ir, LLVMValueRef function);
LLVMValueRef wg_primitive_shared(const struct wg_ir *ir, LLVMValueRef function);
/* A 32-bit field of *wg_self at the builder's position. fixed: nobody changes it while the thread
 * runs. limit: its values are below, or 0. */
LLVMValueRef wg_primitive_field(const struct wg_ir *ir, LLVMValueRef self, size_t offset,
                                bool fixed, uint64_t limit);

#endif
