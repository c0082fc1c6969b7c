#include "sandbox/platform/nvidia/compiler/occupancy.h"

#include <stdlib.h>

enum {
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

struct use {
    unsigned registers, shared_bytes, block_warps;
};

static unsigned warps_by_registers(unsigned registers) {
    unsigned of_warp = round_up((registers > 0 ? registers : 1) * WG_WARP_THREADS, REGISTER_UNIT);
    return REGISTERS / of_warp / WARP_UNIT * WARP_UNIT;
}

/* Blocks at once. *limited_by: what there is least of. */
static unsigned count_blocks(const struct limits *limits, const struct use *use,
                             const char **limited_by) {
    unsigned shared = round_up(use->shared_bytes + limits->reserved_bytes, limits->shared_unit);
    const struct {
        const char *what;
        unsigned blocks;
    } all[] = {
        {"blocks", limits->warps / use->block_warps},
        {"blocks", limits->blocks},
        {"registers", warps_by_registers(use->registers) / use->block_warps},
        {"shared", shared == 0 ? limits->blocks : limits->shared_kib * 1024 / shared},
    };
    size_t least = 0;
    for (size_t i = 1; i < sizeof all / sizeof all[0]; i++) {
        least = all[i].blocks < all[least].blocks ? i : least;
    }
    *limited_by = all[least].what;
    return all[least].blocks;
}

/* Tries less and less of what limits. */
static unsigned find_relief(const struct limits *limits, const struct use *use, const char *what,
                            unsigned blocks) {
    struct use less = *use;
    unsigned *tried = what[0] == 'r' ? &less.registers : &less.shared_bytes;
    const char *ignored;
    while (what[0] != 'b' && *tried > 0) {
        --*tried;
        if (count_blocks(limits, &less, &ignored) > blocks) {
            return *tried;
        }
    }
    return 0;
}

struct wg_occupancy wg_occupancy_compute(const char *arch, unsigned registers,
                                         unsigned shared_bytes, unsigned block_threads) {
    const struct limits *limits = limits_of(arch);
    struct wg_occupancy out = {.max_threads = warps_by_registers(registers) * WG_WARP_THREADS,
                               .max_warps = limits->warps,
                               .limited_by = "blocks"};
    out.max_threads = out.max_threads < BLOCK_THREADS ? out.max_threads : BLOCK_THREADS;
    struct use use = {registers, shared_bytes,
                      (block_threads + WG_WARP_THREADS - 1) / WG_WARP_THREADS};
    if (use.block_warps == 0 || block_threads > BLOCK_THREADS) {
        return out;
    }
    unsigned blocks = count_blocks(limits, &use, &out.limited_by);
    out.warps = blocks * use.block_warps;
    if (out.warps == out.max_warps) {
        out.limited_by = "";
    } else {
        out.relief = find_relief(limits, &use, out.limited_by, blocks);
    }
    return out;
}
