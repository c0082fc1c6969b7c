/* The checker's table of device memory: regions sorted by address, their cells, and which of their
 * bytes were written by the host. */
#include <stdlib.h>
#include <sys/mman.h>

#include "sandbox/platform/cpu/runtime/check_internal.h"

/* An address this close to a region, and in no other, is taken for a stray index into it. The
 * allocator leaves zones of this size. */
#define MARGIN_BYTES (UINT64_C(256) << 10)
#define HUGE_BYTES   ((size_t)4 << 20)

bool wg_checker_on;
struct wg_checker wg_ck = {.now = 1, .generation = 1};

static struct wg_region *
    *g_regions; /* sorted by low; freed ones stay until their place is reused */
static size_t g_count, g_capacity;
static struct wg_region *g_last;

/* First region that starts behind `address`. */
static size_t upper_bound(uintptr_t address) {
    size_t low = 0, high = g_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (g_regions[middle]->low <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct wg_region *wg_memory_find(uintptr_t address) {
    if (g_last != NULL && address >= g_last->low && address < g_last->high) {
        return g_last;
    }
    size_t i = upper_bound(address);
    if (i > 0 && address < g_regions[i - 1]->high) {
        return g_last = g_regions[i - 1];
    }
    return NULL;
}

struct wg_region *wg_memory_nearest(uintptr_t address) {
    struct wg_region *found = wg_memory_find(address);
    if (found != NULL) {
        return found;
    }
    size_t i = upper_bound(address);
    uint64_t behind = i > 0 ? address - g_regions[i - 1]->high : UINT64_MAX;
    uint64_t before = i < g_count ? g_regions[i]->low - address : UINT64_MAX;
    if (behind <= before && behind < MARGIN_BYTES) {
        return g_regions[i - 1];
    }
    return before < MARGIN_BYTES ? g_regions[i] : NULL;
}

/* ---- Cells -------------------------------------------------------------------------------------
 */
static void *zeroed_pages(size_t bytes) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
        return NULL;
    }
    if (bytes >= HUGE_BYTES) {
        madvise(pages, bytes, MADV_HUGEPAGE); /* faults are what costs most */
    }
    return pages;
}

static void drop_cells(struct wg_region *region) {
    if (region->cells != NULL) {
        munmap(region->cells, region->words * sizeof *region->cells);
        munmap(region->written, region->words);
        region->cells = NULL;
        region->written = NULL;
    }
}

/* Cells are made when a kernel or a copy first touches the region: most programs own some memory
 * that no kernel sees. Without memory for cells the region goes unchecked. */
bool wg_region_prepare(struct wg_region *region) {
    if (region->cells != NULL) {
        return true;
    }
    if (region->is_freed || region->words == 0) {
        return false;
    }
    region->cells = zeroed_pages(region->words * sizeof *region->cells);
    region->written = zeroed_pages(region->words);
    if (region->cells == NULL || region->written == NULL) {
        drop_cells(region);
        return false;
    }
    return true;
}

static void region_span(struct wg_region *region, const void *base, size_t bytes) {
    region->low = (uintptr_t)base;
    region->high = region->low + bytes;
    region->origin = region->low & ~(uintptr_t)3;
    region->words = (region->high - region->origin + 3) / 4;
    region->shape = region->is_shared ? WG_COUNT_BANKS : WG_COUNT_SEGMENTS;
    region->counted_shift = region->is_shared ? 2 : WG_SEGMENT_SHIFT;
    /* Banks count from the block's memory, segments from a multiple of their size. */
    uintptr_t unit = region->is_shared ? 4 : (uintptr_t)1 << WG_SEGMENT_SHIFT;
    region->counted_from = region->low & ~(unit - 1);
}

/* ---- The table ---------------------------------------------------------------------------------
 */
static void remove_at(size_t i) {
    if (g_last == g_regions[i]) {
        g_last = NULL;
    }
    drop_cells(g_regions[i]);
    free(g_regions[i]);
    memmove(&g_regions[i], &g_regions[i + 1], (g_count - i - 1) * sizeof *g_regions);
    g_count--;
}

static struct wg_region *insert(const void *base, size_t bytes) {
    if (g_count == g_capacity) {
        size_t capacity = g_capacity == 0 ? 64 : 2 * g_capacity;
        struct wg_region **grown = realloc(g_regions, capacity * sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        g_regions = grown;
        g_capacity = capacity;
    }
    struct wg_region *region = calloc(1, sizeof *region);
    if (region == NULL) {
        return NULL;
    }
    region_span(region, base, bytes);
    size_t i = upper_bound(region->low);
    while (i > 0 && g_regions[i - 1]->high > region->low) {
        remove_at(--i); /* reused: whatever lived here is over */
    }
    while (i < g_count && g_regions[i]->low < region->high) {
        remove_at(i);
    }
    memmove(&g_regions[i + 1], &g_regions[i], (g_count - i) * sizeof *g_regions);
    g_regions[i] = region;
    g_count++;
    wg_ck.generation++;
    return region;
}

void wg_checker_alloc(void *base, size_t bytes, bool is_host, const char *name) {
    if (name != NULL) {
        wg_memory_add_variable(base, bytes, name, false);
        return;
    }
    struct wg_region *region = insert(base, bytes);
    if (region != NULL) {
        region->is_host = is_host;
        /* Pinned and managed memory is written by host code that nobody tells us about. */
        region->all_written = is_host;
    }
}

struct wg_region *wg_memory_add_variable(const void *base, size_t bytes, const char *name,
                                         bool is_constant) {
    struct wg_region *region = insert(base, bytes);
    if (region != NULL) {
        region->is_variable = true;
        region->is_constant = is_constant;
        region->all_written = true; /* zero, or its initializer */
        size_t length = strnlen(name, sizeof region->name - 1);
        memcpy(region->name, name, length);
    }
    return region;
}

void wg_checker_free(void *base) {
    struct wg_region *region = wg_memory_find((uintptr_t)base);
    if (region != NULL && region->low == (uintptr_t)base) {
        region->is_freed = true;
        drop_cells(region);
        wg_ck.generation++;
    }
}

/* ---- What the host does ------------------------------------------------------------------------
 */
void wg_memory_mark_written(struct wg_region *region, uintptr_t p, uint64_t bytes) {
    if (region->all_written || bytes == 0) {
        return;
    }
    if (!region->is_shared && p <= region->low && p + bytes >= region->high) {
        region->all_written = true;
        return;
    }
    if (!wg_region_prepare(region)) {
        return;
    }
    size_t first = (p - region->origin) / 4, last = (p + bytes - 1 - region->origin) / 4;
    region->written[first] |= (uint8_t)wg_word_mask(region->origin + 4 * first, p, bytes);
    if (last > first) {
        memset(&region->written[first + 1], (int)WG_CELL_BYTES, last - first - 1);
        region->written[last] |= (uint8_t)wg_word_mask(region->origin + 4 * last, p, bytes);
    }
}

/* The part of [base, base+bytes) that one region holds; false when there is none. */
static struct wg_region *clip(const void *base, size_t *bytes) {
    struct wg_region *region = wg_memory_find((uintptr_t)base);
    if (region == NULL || region->is_freed) {
        return NULL;
    }
    size_t room = region->high - (uintptr_t)base;
    *bytes = *bytes < room ? *bytes : room;
    return region;
}

static void written_by_host(struct wg_region *region, uintptr_t p, uint64_t bytes) {
    if (wg_copy_is_open()) {
        wg_copy_access(region, p, bytes, true);
    } else {
        wg_race_forget(region, p, bytes);
    }
}

void wg_checker_host_write(void *dst, size_t bytes) {
    struct wg_region *region = clip(dst, &bytes);
    if (region != NULL) {
        wg_memory_mark_written(region, (uintptr_t)dst, bytes);
        written_by_host(region, (uintptr_t)dst, bytes);
    }
}

void wg_checker_host_copy(void *dst, const void *src, size_t bytes) {
    struct wg_region *to = clip(dst, &bytes);
    if (to == NULL) {
        return;
    }
    struct wg_region *from = clip(src, &bytes);
    if (from == NULL || from->all_written) {
        wg_memory_mark_written(to, (uintptr_t)dst, bytes);
    } else {
        wg_init_copy(dst, src, bytes, to, from);
    }
    if (from != NULL && wg_copy_is_open()) {
        wg_copy_access(from, (uintptr_t)src, bytes, false);
    }
    written_by_host(to, (uintptr_t)dst, bytes);
}

void wg_checker_undefine(void *base, size_t bytes) {
    struct wg_region *region = clip(base, &bytes);
    if (region == NULL || bytes == 0 || !wg_region_prepare(region)) {
        return;
    }
    if (region->all_written) {
        memset(region->written, (int)WG_CELL_BYTES, region->words);
        region->all_written = false;
    }
    uintptr_t p = (uintptr_t)base;
    for (uintptr_t word = p & ~(uintptr_t)3; word < p + bytes; word += 4) {
        uint8_t mask = (uint8_t)wg_word_mask(word, p, bytes);
        region->written[(word - region->origin) / 4] &= (uint8_t)~mask;
    }
}

size_t wg_checker_first_unwritten(const void *base, size_t bytes) {
    size_t inside = bytes;
    struct wg_region *region = clip(base, &inside);
    if (region == NULL || region->all_written) {
        return bytes;
    }
    if (!wg_region_prepare(region)) {
        return bytes;
    }
    uintptr_t p = (uintptr_t)base;
    for (size_t i = 0; i < inside; i++) {
        size_t offset = p + i - region->origin;
        if ((region->written[offset / 4] >> (offset % 4) & 1) == 0) {
            return i;
        }
    }
    return bytes;
}

/* ---- Per launch and block ----------------------------------------------------------------------
 */
/* Allocations have no names of their own; within a launch they are called what the kernel's
 * parameter that points to them is called. */
void wg_memory_name_params(void) {
    const struct wg_cpu_kernel *kernel = wg_ck.launch.kernel;
    if (kernel == NULL || wg_ck.launch.pack == NULL) {
        return;
    }
    for (uint32_t i = 0; i < kernel->param_count; i++) {
        const struct wg_cpu_param *param = &kernel->params[i];
        if (!param->is_pointer || param->bytes != sizeof(uintptr_t) || param->name == NULL) {
            continue;
        }
        uintptr_t value;
        memcpy(&value, (const char *)wg_ck.launch.pack + param->offset, sizeof value);
        struct wg_region *region = wg_memory_find(value);
        /* Two parameters may point to one buffer; the first gives the name. */
        if (region != NULL && region->param_launch != wg_ck.launch_count) {
            region->param = param->name;
            region->param_launch = wg_ck.launch_count;
        }
    }
}

void wg_memory_block_shared(struct wg_ck_block *block, char *base, size_t bytes) {
    struct wg_region *region = &block->shared;
    size_t words = (bytes + 3) / 4 + 1;
    if (words > block->shared_capacity_words) {
        region->words = block->shared_capacity_words;
        drop_cells(region);
        block->shared_capacity_words = words;
    }
    region->is_shared = true;
    region->words = block->shared_capacity_words;
    wg_region_prepare(region);
    region_span(region, base, bytes);
    if (region->written != NULL && bytes > 0) {
        memset(region->written, 0, region->words);
    }
}
