/* Launches, blocks and what orders them: the clock of the checker. */
#include <stdlib.h>
#include <sys/mman.h>

#include "sandbox/platform/cpu/runtime/check_internal.h"

/* Blocks of an ordinary launch run one after the other in slot 0; those of a cooperative one live
 * side by side. */
static struct wg_ck_block **g_blocks;
static size_t g_slots, g_active;

/* ---- Launches ----------------------------------------------------------------------------------
 */
/* Decides for each remembered launch whether it is ordered before the new one. */
static bool order_past_launches(bool (*ordered_after)(uint64_t sequence)) {
    uint32_t kept = wg_ck.past_count < WG_PAST_LAUNCHES ? wg_ck.past_count : WG_PAST_LAUNCHES;
    bool all = true;
    wg_ck.ordered_time = wg_ck.start_time;
    for (uint32_t i = 0; i < kept; i++) {
        struct wg_launch_past *past = &wg_ck.past[i];
        past->ordered = ordered_after == NULL || ordered_after(past->sequence);
        if (!past->ordered) {
            all = false;
            if (past->start_time < wg_ck.ordered_time) {
                wg_ck.ordered_time = past->start_time;
            }
        }
    }
    return all;
}

bool wg_ck_launch_add(struct wg_launch_past launch, bool (*ordered_after)(uint64_t sequence)) {
    wg_ck.start_time = wg_ck.grid_time = ++wg_ck.now;
    bool all_ordered = order_past_launches(ordered_after);
    launch.start_time = wg_ck.start_time;
    launch.ordered = true;
    wg_ck.past[wg_ck.past_count++ % WG_PAST_LAUNCHES] = launch;
    return all_ordered;
}

static uint32_t log2_of(uint32_t lanes) {
    return lanes == 32 ? 5 : 6;
}

void wg_checker_launch_begin(const struct wg_checker_launch *launch) {
    wg_ck.launch = *launch;
    wg_ck.launched = true;
    wg_ck.launch_count++;
    wg_ck.threads = launch->block.x * launch->block.y * launch->block.z;
    wg_ck.warp_shift = log2_of(wg_self != NULL ? wg_self->warp_size : 64);
    wg_ck.generation++;
    wg_ck.block = NULL;
    g_active = 0;
    for (size_t i = 0; i < g_slots; i++) {
        g_blocks[i]->active = false;
    }
    struct wg_launch_past entry = {.sequence = launch->sequence,
                                   .grid = launch->grid,
                                   .block = launch->block,
                                   .kernel = launch->kernel};
    wg_sync_launch_begin(wg_ck_launch_add(entry, launch->ordered_after));
    wg_memory_name_params();
    wg_count_launch_begin();
}

void wg_checker_launch_end(void) {
    wg_count_launch_end();
    wg_say_launch_end();
    wg_ck.launched = false;
    wg_ck.block = NULL;
    wg_ck.now++;
    /* The pack and the caller's launch are gone; what remains valid is what `past` copied. */
    wg_ck.launch.pack = NULL;
    wg_ck.launch.ordered_after = NULL;
}

/* ---- Blocks ------------------------------------------------------------------------------------
 */
static uint64_t linear_of(struct wg_cpu_dim3 index) {
    const struct wg_cpu_dim3 *grid = &wg_ck.launch.grid;
    return index.x + (uint64_t)grid->x * (index.y + (uint64_t)grid->y * index.z);
}

static bool same_index(struct wg_cpu_dim3 a, struct wg_cpu_dim3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static struct wg_ck_block *free_slot(void) {
    for (size_t i = 0; i < g_slots; i++) {
        if (!g_blocks[i]->active) {
            return g_blocks[i];
        }
    }
    struct wg_ck_block **grown = realloc(g_blocks, (g_slots + 1) * sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    g_blocks = grown;
    struct wg_ck_block *block = calloc(1, sizeof *block);
    if (block != NULL) {
        g_blocks[g_slots++] = block;
    }
    return block;
}

void wg_checker_block_begin(char *shared, size_t bytes) {
    struct wg_ck_block *block = free_slot();
    if (block == NULL || wg_self == NULL) {
        return;
    }
    wg_ck.warp_shift = log2_of(wg_self->warp_size);
    wg_ck.now++;
    block->active = true;
    g_active++;
    block->index = wg_self->block_idx;
    block->linear = linear_of(block->index);
    block->first_who = (uint32_t)(block->linear * wg_ck.threads);
    block->start_time = block->barrier_time = wg_ck.now;
    if (block->any_wave_synced) {
        memset(block->synced, 0, sizeof block->synced);
        block->any_wave_synced = false;
    }
    if (block->waves_that_acquired != 0) {
        memset(block->wave_acquired, 0, sizeof block->wave_acquired);
        block->waves_that_acquired = 0;
    }
    memset(&block->acquired, 0, sizeof block->acquired);
    wg_memory_block_shared(block, shared, bytes);
    wg_ck.block = block;
    wg_count_epoch();
}

struct wg_ck_block *wg_ck_block_switch(void) {
    if (!wg_ck.launched || wg_self == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < g_slots; i++) {
        if (g_blocks[i]->active && same_index(g_blocks[i]->index, wg_self->block_idx)) {
            wg_count_epoch(); /* lanes of different blocks are not one wave */
            return wg_ck.block = g_blocks[i];
        }
    }
    return NULL;
}

uint32_t wg_ck_block_count_active(void) {
    return (uint32_t)g_active;
}

void wg_checker_block_end(void) {
    struct wg_ck_block *block = wg_ck_block_running();
    if (block == NULL) {
        return;
    }
    wg_ck.now++;
    block->active = false;
    g_active--;
    wg_ck.block = NULL;
    wg_sync_block_end();
}

/* ---- Barriers ----------------------------------------------------------------------------------
 */
static void barrier_of(struct wg_ck_block *block) {
    block->barrier_time = wg_ck.now;
    wg_sync_barrier(block);
}

void wg_checker_barrier_passed(const struct wg_cpu_site *site) {
    struct wg_ck_block *block = wg_ck_block_running();
    if (block == NULL) {
        return;
    }
    wg_ck.now++;
    barrier_of(block);
    wg_count_barrier(site, 1);
    wg_count_epoch();
}

void wg_checker_grid_barrier_passed(const struct wg_cpu_site *site) {
    wg_ck.now++;
    for (size_t i = 0; i < g_slots; i++) {
        if (g_blocks[i]->active) {
            barrier_of(g_blocks[i]);
        }
    }
    /* Launches of other streams are not ordered by this one's barrier. */
    wg_ck.grid_time = wg_ck.now;
    if (wg_ck.ordered_time >= wg_ck.start_time) {
        wg_ck.ordered_time = wg_ck.now;
    }
    wg_count_barrier(site, (uint32_t)g_active);
    wg_count_epoch();
}

void wg_checker_warp_synced(uint32_t wave, uint64_t mask) {
    struct wg_ck_block *block = wg_ck_block_running();
    if (block == NULL || wave >= WG_MAX_WAVES) {
        return;
    }
    wg_ck.now++;
    block->any_wave_synced = true;
    struct wg_wave_sync *syncs = block->synced[wave], *oldest = syncs;
    for (int i = 0; i < WG_WAVE_MASKS; i++) {
        if (syncs[i].mask == mask) {
            syncs[i].time = wg_ck.now;
            return;
        }
        if (syncs[i].time < oldest->time) {
            oldest = &syncs[i];
        }
    }
    /* More groups than slots (tiles of 4 lanes, say): two groups become one, which orders too much
     * rather than too little. */
    oldest->mask |= mask;
    if (oldest->time == 0) {
        oldest->mask = mask;
    }
    oldest->time = wg_ck.now;
}

void wg_checker_stack_region(void *low, size_t bytes) {
    if (wg_ck.undefined != NULL) {
        munmap(wg_ck.undefined, wg_ck.stack_high - wg_ck.stack_low);
        wg_ck.undefined = NULL;
    }
    wg_ck.stack_low = (uintptr_t)low;
    wg_ck.stack_high = (uintptr_t)low + bytes;
}
