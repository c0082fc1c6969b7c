/* The tables by which a library tells the runtime about itself (struct wg_cpu_module and below). */
#ifndef WG_COMPILER_TABLES_H
#define WG_COMPILER_TABLES_H

#include "sandbox/platform/cpu/compiler/entries.h"

/* Adds the kernel descriptors, the module table and the constructor and destructor that register
 * it. declared_at[k]: where kernel k stands, a site constant. */
void wg_tables_build(struct wg_program *program, const struct wg_shared *shared,
                     const struct wg_kernel_entries *entries, const LLVMValueRef *declared_at,
                     bool checked);

#endif
