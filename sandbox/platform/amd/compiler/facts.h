/* What the code objects of AMD GPUs say about their kernels, read through libamd_comgr: registers,
 * shared memory, scratch memory, spills. The only code that includes amd_comgr.h. */
#ifndef WG_AMD_FACTS_H
#define WG_AMD_FACTS_H

#include "grader/base/buf.h"
#include "grader/base/err.h"
#include "sandbox/platform/amd/compiler/places.h"

/* The first line of the table: names of the columns. */
void wg_amd_facts_head(struct wg_buf *out);

/* Appends a line for each kernel of a code object. arch: as it was compiled for. block_threads: the
 * size of block that occupancy is worked out for, 0: 256, or what the kernel's launch bounds allow.
 * Errors: WG_EIO, WG_EPROTO when the file is not what a compiler for these GPUs writes. */
enum wg_code wg_amd_facts_add(const char *path, const char *arch, int block_threads,
                              const struct wg_amd_places *places, struct wg_buf *out,
                              struct wg_err *err);

#endif
