/* Device memory.
 *
 * Theory. Two ranges of address space are reserved, one for device memory and one for memory that
 * both sides may touch (pinned, managed). An allocation gets whole pages in its range, with a zone
 * of at least ZONE_BYTES before and after that is never accessible. Freed pages go back to the
 * system and stay inaccessible; addresses are used again only after the range has been gone through
 * (with the checker on: when it is exhausted), so a stray pointer keeps faulting.
 *
 * Device memory is inaccessible (PROT_NONE) while host code runs: API calls and launches open it
 * for their duration. That is one system call for each allocation. Large allocations are aligned
 * and made of huge pages, so that it stays cheap for gigabytes.
 *
 * The records are sorted by address. Records of freed allocations are kept for messages until their
 * place is taken. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sandbox/platform/cpu/runtime/runtime.h"

#define PAGE_BYTES      ((size_t)4096)
#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define ZONE_BYTES      ((size_t)256 << 10)
#define RANGE_BYTES     ((size_t)256 << 30)

struct range {
    char *low, *high, *cursor;
    struct wg_allocation **records;
    size_t count, capacity;
};
static struct range device_range, shared_range, adopted;
static size_t used_bytes;
static size_t host_readable_count; /* live allocations that host code reaches, too */
static unsigned open_depth;

static size_t round_up(size_t value, size_t unit) {
    return (value + unit - 1) / unit * unit;
}

void wg_poison(void *dst, size_t bytes) {
    static const uint32_t word = WG_POISON;
    char *p = dst;
    size_t done = bytes < sizeof word ? bytes : sizeof word;
    memcpy(p, &word, done);
    while (done < bytes) {
        size_t piece = done < HUGE_PAGE_BYTES ? done : HUGE_PAGE_BYTES;
        piece = piece < bytes - done ? piece : bytes - done;
        memcpy(p + done, p, piece);
        done += piece;
    }
}

/* ---- Records ---- */

static bool range_init(struct range *range) {
    if (range->low != NULL) {
        return true;
    }
    /* A machine with little address space left (a limit on it, say) gets a smaller range. */
    for (size_t bytes = RANGE_BYTES; bytes > WG_DEVICE_BYTES; bytes /= 2) {
        char *low =
            mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (low != MAP_FAILED) {
            madvise(low, bytes, MADV_HUGEPAGE);
            madvise(low, bytes, MADV_DONTDUMP);
            range->low = low;
            range->high = low + bytes;
            range->cursor = low + ZONE_BYTES;
            return true;
        }
    }
    return false;
}

/* Index of the first record whose end lies above the address. */
static size_t first_above(const struct range *range, const char *address) {
    size_t low = 0;
    size_t high = range->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct wg_allocation *record = range->records[middle];
        if (record->base + record->mapped > address) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static void remove_record(struct range *range, size_t index) {
    free(range->records[index]);
    range->count--;
    memmove(&range->records[index], &range->records[index + 1],
            (range->count - index) * sizeof(struct wg_allocation *));
}

static struct wg_allocation *insert_record(struct range *range, struct wg_allocation value) {
    if (range->count == range->capacity) {
        size_t capacity = range->capacity == 0 ? 64 : range->capacity * 2;
        struct wg_allocation **records =
            realloc(range->records, capacity * sizeof(struct wg_allocation *));
        if (records == NULL) {
            return NULL;
        }
        range->records = records;
        range->capacity = capacity;
    }
    struct wg_allocation *record = malloc(sizeof *record);
    if (record == NULL) {
        return NULL;
    }
    *record = value;
    size_t index = first_above(range, value.base);
    memmove(&range->records[index + 1], &range->records[index],
            (range->count - index) * sizeof(struct wg_allocation *));
    range->records[index] = record;
    range->count++;
    return record;
}

/* The next place at or above `from` that keeps its distance from everything alive; NULL when there
 * is none below the end of the range. */
static char *place_from(const struct range *range, char *from, size_t bytes, size_t align) {
    uintptr_t place = round_up((uintptr_t)from, align);
    for (size_t i = first_above(range, from - ZONE_BYTES); i < range->count; i++) {
        const struct wg_allocation *record = range->records[i];
        if (!record->live) {
            continue;
        }
        if ((uintptr_t)record->base >= place + bytes + ZONE_BYTES) {
            break;
        }
        place = round_up((uintptr_t)(record->base + record->mapped + ZONE_BYTES), align);
    }
    return place + bytes + ZONE_BYTES <= (uintptr_t)range->high ? (char *)place : NULL;
}

static char *place(struct range *range, size_t bytes) {
    size_t align = bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : PAGE_BYTES;
    char *base = place_from(range, range->cursor, bytes, align);
    if (base == NULL) {
        base = place_from(range, range->low + ZONE_BYTES, bytes, align);
    }
    if (base == NULL) {
        return NULL;
    }
    range->cursor = base + bytes + ZONE_BYTES;
    size_t i = first_above(range, base);
    while (i < range->count && range->records[i]->base < base + bytes) {
        remove_record(range, i);
    }
    return base;
}

/* ---- Allocation ---- */

struct wg_allocation *wg_arena_alloc(size_t bytes, enum wg_memory_kind kind, unsigned flags) {
    struct range *range = kind == WG_MEMORY_DEVICE ? &device_range : &shared_range;
    bool counts = kind != WG_MEMORY_PINNED;
    if (bytes > WG_DEVICE_BYTES || !range_init(range)) {
        return NULL;
    }
    size_t mapped = round_up(bytes, PAGE_BYTES);
    if (counts && mapped > WG_DEVICE_BYTES - used_bytes) {
        return NULL;
    }
    char *base = place(range, mapped);
    if (base == NULL || mprotect(base, mapped, PROT_READ | PROT_WRITE) != 0) {
        return NULL;
    }
    /* Unlike the zones around it, so that the kernel does not join the mappings whenever both are
     * inaccessible, to part them again at the next launch. */
    madvise(base, mapped, MADV_DODUMP);
    struct wg_allocation *record = insert_record(range, (struct wg_allocation){.base = base,
                                                                               .bytes = bytes,
                                                                               .mapped = mapped,
                                                                               .kind = kind,
                                                                               .flags = flags,
                                                                               .live = true});
    /* analyzer: the list of ranges owns the record and what it replaced. */
    if (record == NULL) {
        mprotect(base, mapped, PROT_NONE);
        return NULL;
    }
    wg_poison(base, bytes);
    if (kind == WG_MEMORY_DEVICE && open_depth == 0) {
        mprotect(base, mapped, PROT_NONE);
    }
    used_bytes += counts ? mapped : 0;
    host_readable_count += kind != WG_MEMORY_DEVICE;
    if (wg_checker_on) {
        wg_checker_alloc(base, bytes, kind != WG_MEMORY_DEVICE, NULL);
    }
    return record;
}

struct wg_allocation *wg_arena_adopt(void *base, size_t bytes, unsigned flags) {
    size_t i = first_above(&adopted, base);
    if (i < adopted.count && adopted.records[i]->base < (char *)base + bytes) {
        return NULL;
    }
    struct wg_allocation *record =
        insert_record(&adopted, (struct wg_allocation){.base = base,
                                                       .bytes = bytes,
                                                       .mapped = bytes,
                                                       .kind = WG_MEMORY_REGISTERED,
                                                       .flags = flags,
                                                       .live = true});
    host_readable_count += record != NULL;
    if (record != NULL && wg_checker_on) {
        wg_checker_alloc(base, bytes, true, NULL);
        wg_checker_host_write(base, bytes);
    }
    return record;
}

void wg_arena_free(struct wg_allocation *allocation) {
    if (wg_checker_on) {
        wg_checker_free(allocation->base);
    }
    host_readable_count -= allocation->kind != WG_MEMORY_DEVICE;
    if (allocation->kind == WG_MEMORY_REGISTERED) {
        remove_record(&adopted, first_above(&adopted, allocation->base));
        return;
    }
    mprotect(allocation->base, allocation->mapped, PROT_NONE);
    madvise(allocation->base, allocation->mapped, MADV_DONTNEED);
    madvise(allocation->base, allocation->mapped, MADV_DONTDUMP);
    allocation->live = false;
    used_bytes -= allocation->kind == WG_MEMORY_PINNED ? 0 : allocation->mapped;
}

void wg_arena_free_all(void) {
    struct range *ranges[] = {&device_range, &shared_range, &adopted};
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        for (size_t i = ranges[r]->count; i-- > 0;) {
            if (ranges[r]->records[i]->live) {
                wg_arena_free(ranges[r]->records[i]);
            }
        }
    }
}

size_t wg_arena_used(void) {
    return used_bytes;
}

bool wg_arena_host_can_read(void) {
    return host_readable_count > 0;
}

/* ---- Look-up ---- */

struct wg_allocation *wg_arena_find(const void *address) {
    const struct range *ranges[] = {&device_range, &shared_range, &adopted};
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        size_t i = first_above(ranges[r], address);
        if (i < ranges[r]->count) {
            struct wg_allocation *record = ranges[r]->records[i];
            if (record->live && record->base <= (const char *)address &&
                (const char *)address <= record->base + record->bytes) {
                return record;
            }
        }
    }
    return NULL;
}

bool wg_arena_owns(const void *address) {
    return device_range.low != NULL && (const char *)address >= device_range.low &&
           (const char *)address < device_range.high;
}

static const char *kind_word(enum wg_memory_kind kind) {
    static const char *const words[] = {
        [WG_MEMORY_DEVICE] = "device memory",
        [WG_MEMORY_PINNED] = "pinned host memory",
        [WG_MEMORY_MANAGED] = "managed memory",
        [WG_MEMORY_REGISTERED] = "registered host memory",
    };
    return words[kind];
}

/* How far the address is from the record: 0 inside. */
static size_t distance(const struct wg_allocation *record, const char *address) {
    if (address < record->base) {
        return (size_t)(record->base - address);
    }
    size_t offset = (size_t)(address - record->base);
    return offset < record->bytes ? 0 : offset - record->bytes + 1;
}

void wg_arena_describe(const void *address, char *text, size_t text_bytes) {
    const char *p = address;
    if ((uintptr_t)p < PAGE_BYTES) {
        snprintf(text, text_bytes, "a null pointer%s",
                 p == NULL ? "" : " with an index or member added");
        return;
    }
    const struct range *range = wg_arena_owns(p) ? &device_range : &shared_range;
    const struct wg_allocation *best = NULL;
    size_t i = first_above(range, p);
    for (size_t k = i == 0 ? 0 : i - 1; k < range->count && k <= i; k++) {
        if (best == NULL || distance(range->records[k], p) < distance(best, p)) {
            best = range->records[k];
        }
    }
    if (p < range->low || p >= range->high || best == NULL) {
        snprintf(text, text_bytes, "address %p, which no HIP allocation holds", address);
        return;
    }
    const char *what = kind_word(best->kind);
    const char *freed = best->live ? "" : "freed ";
    size_t away = distance(best, p);
    if (away == 0) {
        snprintf(text, text_bytes, "byte %zu of %zu bytes of %s%s", (size_t)(p - best->base),
                 best->bytes, freed, what);
    } else {
        snprintf(text, text_bytes, "%zu bytes %s %zu bytes of %s%s",
                 p < best->base ? away : away - 1, p < best->base ? "before" : "past the end of",
                 best->bytes, freed, what);
    }
}

/* ---- Protection ---- */

static void protect_all(int protection) {
    for (size_t i = 0; i < device_range.count; i++) {
        const struct wg_allocation *record = device_range.records[i];
        if (record->live) {
            mprotect(record->base, record->mapped, protection);
        }
    }
}

void wg_arena_open(void) {
    if (open_depth++ == 0) {
        protect_all(PROT_READ | PROT_WRITE);
    }
}

void wg_arena_close(void) {
    if (--open_depth == 0) {
        protect_all(PROT_NONE);
    }
}

static void protect_at(const void *address, int protection) {
    const struct wg_allocation *record = wg_arena_find(address);
    if (open_depth == 0 && record != NULL && record->kind == WG_MEMORY_DEVICE) {
        mprotect(record->base, record->mapped, protection);
    }
}

void wg_arena_open_at(const void *address) {
    protect_at(address, PROT_READ | PROT_WRITE);
}

void wg_arena_close_at(const void *address) {
    protect_at(address, PROT_NONE);
}

void wg_arena_tell_checker(void) {
    const struct range *ranges[] = {&device_range, &shared_range, &adopted};
    for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
        for (size_t i = 0; i < ranges[r]->count; i++) {
            const struct wg_allocation *record = ranges[r]->records[i];
            if (record->live) {
                wg_checker_alloc(record->base, record->bytes, record->kind != WG_MEMORY_DEVICE,
                                 NULL);
                wg_checker_host_write(record->base, record->bytes);
            }
        }
    }
}
