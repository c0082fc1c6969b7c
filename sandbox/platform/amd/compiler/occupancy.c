#include "sandbox/platform/amd/compiler/occupancy.h"

#include <stddef.h>
#include <string.h>

/* Of a group of arches. A unit is what the waves of a block share: a compute unit, or a pair of
 * them (work-group processor) from gfx10 on. */
struct generation {
    int simds;               /* a unit */
    int waves_limit;         /* a SIMD */
    int registers;           /* a SIMD, for each lane of its narrowest wave */
    int granule;             /* registers are handed out in multiples */
    int narrow_wave_threads; /* waves twice as wide have half the registers */
    int shared_bytes;        /* a unit */
    int barriers;            /* blocks of several waves that a unit can track */
    bool scalar_limit;       /* scalar registers are shared among waves */
};

static const struct generation gcn = {4, 10, 256, 4, 64, 65536, 16, true};
static const struct generation cdna2 = {4, 8, 512, 8, 64, 65536, 16, true};
static const struct generation rdna1 = {4, 20, 1024, 8, 32, 131072, 32, false};
static const struct generation rdna2 = {4, 16, 1024, 16, 32, 131072, 32, false};
static const struct generation rdna3_large = {4, 16, 1536, 24, 32, 131072, 32, false};

static const struct {
    const char *arch;
    const struct generation *generation;
} arches[] = {
    {"gfx900", &gcn},          {"gfx906", &gcn},          {"gfx908", &gcn},
    {"gfx90a", &cdna2},        {"gfx940", &cdna2},        {"gfx941", &cdna2},
    {"gfx942", &cdna2},        {"gfx1010", &rdna1},       {"gfx1011", &rdna1},
    {"gfx1012", &rdna1},       {"gfx1030", &rdna2},       {"gfx1031", &rdna2},
    {"gfx1032", &rdna2},       {"gfx1033", &rdna2},       {"gfx1034", &rdna2},
    {"gfx1035", &rdna2},       {"gfx1036", &rdna2},       {"gfx1100", &rdna3_large},
    {"gfx1101", &rdna3_large}, {"gfx1102", &rdna2},       {"gfx1103", &rdna2},
    {"gfx1150", &rdna2},       {"gfx1151", &rdna3_large}, {"gfx1200", &rdna3_large},
    {"gfx1201", &rdna3_large},
};

static const struct generation *find(const char *arch) {
    size_t len = strcspn(arch, ":"); /* gfx90a:xnack+ */
    for (size_t i = 0; i < sizeof arches / sizeof arches[0]; i++) {
        if (strlen(arches[i].arch) == len && strncmp(arches[i].arch, arch, len) == 0) {
            return arches[i].generation;
        }
    }
    return NULL;
}

static int round_up(int value, int granule) {
    return (value + granule - 1) / granule * granule;
}

static int at_least_one(int value) {
    return value > 1 ? value : 1;
}

static int divide_up(int value, int by) {
    return (value + by - 1) / by;
}

/* Eight hundred scalar registers a SIMD, but with steps of their own. */
static int waves_by_scalars(const struct generation *of, int scalars) {
    if (!of->scalar_limit || scalars <= 80) {
        return of->waves_limit;
    }
    return scalars <= 88 ? 9 : scalars <= 100 ? 8 : 7;
}

/* Whole blocks that a unit can hold, by waves and barriers. */
static int blocks_by_waves(const struct generation *of, int block_waves) {
    int blocks = of->waves_limit * of->simds / block_waves;
    return block_waves > 1 && blocks > of->barriers ? of->barriers : at_least_one(blocks);
}

bool wg_amd_occupancy(const char *arch, const struct wg_amd_usage *usage,
                      struct wg_amd_occupancy *out) {
    const struct generation *of = find(arch);
    if (of == NULL || usage->wave_threads <= 0 || usage->block_threads <= 0) {
        return false;
    }
    int widths = at_least_one(usage->wave_threads / of->narrow_wave_threads);
    int registers = of->registers / widths;
    int granule = of->granule / widths;
    int block_waves = divide_up(usage->block_threads, usage->wave_threads);
    int used = round_up(at_least_one(usage->registers), granule);
    int by_registers = at_least_one(registers / used);

    int blocks = blocks_by_waves(of, block_waves);
    int by_blocks = divide_up(blocks * block_waves, of->simds);
    int shared_blocks =
        usage->shared_bytes > 0 ? at_least_one(of->shared_bytes / usage->shared_bytes) : blocks;
    int by_shared =
        divide_up((shared_blocks < blocks ? shared_blocks : blocks) * block_waves, of->simds);

    *out = (struct wg_amd_occupancy){.waves = of->waves_limit, .waves_limit = of->waves_limit};
    const struct {
        int waves;
        const char *name;
        int relief;
    } limits[] = {
        {by_blocks, "blocks", 0},
        {by_shared, "shared", of->shared_bytes / (shared_blocks + 1)},
        {waves_by_scalars(of, usage->scalar_registers), "scalar_registers", 0},
        {by_registers, "registers", registers / (by_registers + 1) / granule * granule},
    };
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        if (limits[i].waves < out->waves) {
            out->waves = limits[i].waves;
            out->limited_by = limits[i].name;
            out->relief = limits[i].relief;
        }
    }
    return true;
}
