/* Which function of a student's file is called: the launcher, or a kernel by itself. */
#ifndef WG_NVIDIA_ENTRY_H
#define WG_NVIDIA_ENTRY_H

#include "sandbox/platform/nvidia/compiler/functions.h"

/* What the assignment asks for. Borrowed strings. */
struct wg_entry_wanted {
    const char *source; /* file name, for messages */
    const char *launcher;
    const char *const *kernels; /* accepted names, preferred first */
    size_t kernel_count;
    const char *const *types; /* ptr i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 */
    size_t type_count;
};

/* NULL when not exactly one function fits; then the reason has been printed as a diagnostic. */
const struct wg_function *wg_entry_find(const struct wg_functions *functions,
                                        const struct wg_entry_wanted *wanted);

#endif
