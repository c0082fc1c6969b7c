#include "sandbox/platform/nvidia/compiler/occupancy.h"

#include <stdlib.h>

enum {
    WARP = 32,
    REGISTERS = 65536,    /* of a multiprocessor and of a block, on all that are in the table */
    REGISTER_UNIT = 256,  /* registers are handed to warps in such portions */
    WARP_UNIT = 4,        /* and to so many warps at a time */
    BLOCK_THREADS = 1024, /* at most */
};

/* Of one compute capability and those above it that are not listed. */
static const struct limits {
    unsigned capability, warps, blocks, shared_kib, reserved_bytes, shared_unit;
} known[] = {
    {70, 64, 32, 96, 0, 256},      {75, 32, 16, 64, 0, 256},      {80, 64, 32, 164, 1024, 128},
    {86, 48, 16, 100, 1024, 128},  {87, 48, 16, 164, 1024, 128},  {89, 48, 24, 100, 1024, 128},
    {90, 64, 32, 228, 1024, 128},  {100, 64, 32, 228, 1024, 128}, {103, 64, 32, 228, 1024, 128},
    {110, 48, 24, 228, 1024, 128}, {120, 48, 24, 100, 1024, 128},
};

static const struct limits *limits_of(const char *arch) {
    unsigned long capability = arch[0] == 's' ? strtoul(arch + sizeof "sm_" - 1, NULL, 10) : 0;
    const struct limits *found = &known[0];
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].capability <= capability) {
            found = &known[i];
        }
    }
    return found;
}

static unsigned round_up(unsigned value, unsigned unit) {
    return (value + unit - 1) / unit * unit;
}

struct wg_occupancy wg_occupancy_compute(const char *arch, unsigned registers,
                                         unsigned shared_bytes, unsigned block_threads) {
    const struct limits *limits = limits_of(arch);
    unsigned block_warps = (block_threads + WARP - 1) / WARP;
    unsigned warp_registers = round_up((registers > 0 ? registers : 1) * WARP, REGISTER_UNIT);
    unsigned register_warps = REGISTERS / warp_registers / WARP_UNIT * WARP_UNIT;
    unsigned block_shared = round_up(shared_bytes + limits->reserved_bytes, limits->shared_unit);
    struct wg_occupancy out = {.max_threads = register_warps * WARP, .max_warps = limits->warps};
    out.max_threads = out.max_threads < BLOCK_THREADS ? out.max_threads : BLOCK_THREADS;
    if (block_warps == 0 || block_threads > BLOCK_THREADS) {
        out.limit = "threads";
        return out;
    }
    const struct {
        const char *what;
        unsigned blocks;
    } all[] = {
        {"threads", limits->warps / block_warps},
        {"blocks", limits->blocks},
        {"registers", register_warps / block_warps},
        {"shared memory",
         block_shared == 0 ? limits->blocks : limits->shared_kib * 1024 / block_shared},
    };
    out.blocks = all[0].blocks;
    out.limit = all[0].what;
    for (size_t i = 1; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].blocks < out.blocks) {
            out.blocks = all[i].blocks;
            out.limit = all[i].what;
        }
    }
    out.warps = out.blocks * block_warps;
    return out;
}
