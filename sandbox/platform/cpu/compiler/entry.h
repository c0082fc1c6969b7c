/* Which function of a student's file is called: the launcher, or a kernel by itself. */
#ifndef WG_COMPILER_ENTRY_H
#define WG_COMPILER_ENTRY_H

#include "sandbox/platform/cpu/compiler/kernel.h"

/* What the assignment asks for. Borrowed strings. */
struct wg_entry_wanted {
    const char *source; /* file name, for messages */
    const char *launcher;
    const char *const *kernels; /* accepted names, preferred first */
    size_t kernel_count;
    const char *const *types; /* ptr i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 */
    size_t type_count;
};

struct wg_entry {
    bool is_kernel;
    char *symbol; /* heap */
    char *name;   /* as the student wrote it, heap */
};

/* True when exactly one function fits; else the reason has been printed as a diagnostic. */
bool wg_entry_find(const struct wg_program *program, const struct wg_entry_wanted *wanted,
                   struct wg_entry *out);
void wg_entry_done(struct wg_entry *entry);

#endif
