/* __shared__ memory: which variables there are, where they lie in a block's shared memory, and how
 * code finds them. */
#ifndef WG_COMPILER_SHARED_H
#define WG_COMPILER_SHARED_H

#include "sandbox/platform/cpu/compiler/callgraph.h"

struct wg_shared_variable {
    LLVMValueRef global;
    char *name; /* as in the source */
    uint64_t bytes, offset;
    uint32_t align;
    bool is_dynamic; /* extern __shared__ */
    bool *used_by;   /* one flag a kernel */
};

struct wg_shared {
    struct wg_shared_variable *variables;
    size_t count;
    uint64_t *static_bytes; /* one a kernel, 16-byte aligned: where dynamic memory starts */
    bool *uses_dynamic;     /* one a kernel */
};

/* Finds the variables and gives each static one its offset. Variables that some kernel uses
 * together do not overlap; others may, so that no kernel pays for another's arrays. */
struct wg_shared wg_shared_layout(const struct wg_program *program, struct wg_callgraph *graph);
void wg_shared_done(struct wg_shared *shared);

/* NULL when the global is none. */
const struct wg_shared_variable *wg_shared_find(const struct wg_shared *shared,
                                                LLVMValueRef global);

/* Replaces every use by an address computed from wg_self, and deletes the globals. Errors:
 * WG_EUNSUPPORTED for a use that has no such form (an address in a constant initializer). */
enum wg_code wg_shared_lower(const struct wg_program *program, const struct wg_shared *shared,
                             struct wg_err *err);

#endif
