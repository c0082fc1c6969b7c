/* How many waves a SIMD of an AMD GPU holds at once, from what a kernel uses.
 *
 * The numbers are those of LLVM 19 (AMDGPUBaseInfo.cpp, AMDGPUSubtarget.cpp; also tabulated in
 * AMD's ISA guides), so that they agree with the compiler's own kernel-resource-usage remark.
 * Dynamic shared memory and scratch memory are not known here and can lower the result. */
#ifndef WG_AMD_OCCUPANCY_H
#define WG_AMD_OCCUPANCY_H

#include <stdbool.h>

/* What one kernel asks for. Counts are per thread, per wave and per block, as named. */
struct wg_amd_usage {
    int wave_threads;
    int registers;        /* a thread, AGPRs included where they share the file */
    int scalar_registers; /* a wave */
    int shared_bytes;     /* a block */
    int block_threads;
};

struct wg_amd_occupancy {
    int waves, waves_limit; /* a SIMD */
    /* "registers", "scalar_registers", "shared", "blocks" (too few whole blocks fit); NULL: full */
    const char *limited_by;
    /* The most that the kernel may use of what limits it, so that one more wave (or block) fits; 0:
     * not to be had that way. */
    int relief;
};

/* False: the arch is not in the table. */
bool wg_amd_occupancy(const char *arch, const struct wg_amd_usage *usage,
                      struct wg_amd_occupancy *out);

#endif
