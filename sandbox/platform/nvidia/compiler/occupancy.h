/* How many threads of a kernel a multiprocessor holds at the same time, from the limits that NVIDIA
 * documents for each compute capability. */
#ifndef WG_NVIDIA_OCCUPANCY_H
#define WG_NVIDIA_OCCUPANCY_H

struct wg_occupancy {
    unsigned max_threads; /* of a block: what the registers leave room for */
    unsigned blocks;      /* at once; 0: such a block cannot be launched */
    unsigned warps, max_warps;
    const char *limit; /* "registers", "shared memory", "threads", "blocks" */
};

/* arch: "sm_90". An unknown one is taken for the nearest older one that is known. */
struct wg_occupancy wg_occupancy_compute(const char *arch, unsigned registers,
                                         unsigned shared_bytes, unsigned block_threads);

#endif
