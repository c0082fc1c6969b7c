/* How many threads of a kernel a multiprocessor holds at the same time, from the limits that NVIDIA
 * documents for each compute capability. */
#ifndef WG_NVIDIA_OCCUPANCY_H
#define WG_NVIDIA_OCCUPANCY_H

#define WG_WARP_THREADS 32

struct wg_occupancy {
    unsigned max_threads;      /* of a block: what the registers leave room for */
    unsigned warps, max_warps; /* at once; 0 warps: such a block cannot be launched */
    /* "registers", "shared", "blocks" (too few whole blocks fit); "": nothing. */
    const char *limited_by;
    /* The most that the kernel may use of what limits it, so that one more block fits; 0: not to be
     * had that way. */
    unsigned relief;
};

/* arch: "sm_90". An unknown one is taken for the nearest older one that is known. */
struct wg_occupancy wg_occupancy_compute(const char *arch, unsigned registers,
                                         unsigned shared_bytes, unsigned block_threads);

#endif
