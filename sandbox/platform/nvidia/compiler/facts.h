/* What ptxas says about kernels when it is asked to be verbose: registers, memory, spills.
 *
 * The words are taken out of a log of nvcc; what is left is for people. */
#ifndef WG_NVIDIA_FACTS_H
#define WG_NVIDIA_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"
#include "sandbox/platform/nvidia/compiler/functions.h"

struct wg_kernel_facts {
    char *symbol;
    char *arch; /* "sm_90" */
    unsigned registers;
    unsigned shared_bytes;  /* static */
    unsigned stack_bytes;   /* of a thread: local arrays, spilled registers, calls */
    unsigned spilled_bytes; /* of a thread, as far as they are written */
    unsigned launch_bound;  /* threads of a block that __launch_bounds__ allows; 0: none given */
};

struct wg_facts {
    struct wg_kernel_facts *at;
    size_t count;
};

/* Lines that are ptxas's report go into *out; the others are appended to rest. */
void wg_facts_read(const char *log, size_t len, struct wg_facts *out, struct wg_buf *rest);

/* Fills in launch_bound from the PTX text of the file. */
void wg_facts_read_bounds(const char *ptx, size_t len, struct wg_facts *facts);

bool wg_facts_is_kernel(const void *facts, const char *symbol);

/* resources.tsv, with the columns that all platforms have: a line of names, then a line for each
 * kernel and architecture. functions: where kernels stand, in the file `source`. block_threads: the
 * size of block that occupancy is worked out for; 0: 256, or what the kernel's launch bounds allow.
 * Errors: WG_EIO. */
enum wg_code wg_facts_write(const struct wg_facts *facts, const struct wg_functions *functions,
                            const char *source, unsigned block_threads, const char *path,
                            struct wg_err *err);

void wg_facts_done(struct wg_facts *facts);

#endif
