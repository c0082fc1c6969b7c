/* Initialization: reads of bytes that nobody wrote. Device and shared memory have a byte per word
 * with a bit for each of its bytes; local variables that the compiler announces have a byte per
 * byte of stack.
 *
 * An access is blamed when none of the bytes that it takes from some word were written:
 * whole-struct copies read padding, and padding shares its word with a member more often than not.
 */
#include <sys/mman.h>

#include "sandbox/platform/cpu/runtime/check_internal.h"

/* Locals that were announced, by address: a stack slot serves many variables in turn, and the marks
 * of one must not be held against another. */
#define LOCAL_SLOTS 8192u
static struct local {
    const void *base;
    const char *name;
    uint64_t bytes;
} g_locals[LOCAL_SLOTS];

static struct local *local_slot(const void *base) {
    return &g_locals[((uintptr_t)base >> 2) % LOCAL_SLOTS];
}

/* ---- Device and shared memory ------------------------------------------------------------------
 */
void wg_init_check(const struct wg_touch *touch) {
    const struct wg_region *region = touch->region;
    if (region->all_written) {
        return;
    }
    uintptr_t p = (uintptr_t)touch->p, end = p + touch->bytes;
    for (uintptr_t word = p & ~(uintptr_t)3; word < end; word += 4) {
        uint32_t mask = wg_word_mask(word, p, touch->bytes);
        if ((region->written[(word - region->origin) >> 2] & mask) == 0) {
            wg_say_uninitialized(touch, word > p ? word : p);
            return;
        }
    }
}

/* Copies pass the state on and are not blamed, except for a vector that holds nothing at all. */
void wg_init_check_copied(const struct wg_touch *touch) {
    enum { VECTOR_BYTES = 16 };
    const struct wg_region *region = touch->region;
    if (region->all_written || touch->bytes > VECTOR_BYTES) {
        return;
    }
    uintptr_t p = (uintptr_t)touch->p, end = p + touch->bytes;
    for (uintptr_t word = p & ~(uintptr_t)3; word < end; word += 4) {
        uint32_t mask = wg_word_mask(word, p, touch->bytes);
        if ((region->written[(word - region->origin) >> 2] & mask) != 0) {
            return;
        }
    }
    wg_say_uninitialized(touch, p);
}

/* ---- Locals ------------------------------------------------------------------------------------
 */
/* The marks of [p, p+bytes), or NULL when it is not in the known stacks. */
static uint8_t *marks_of(const void *p, uint64_t bytes) {
    uintptr_t at = (uintptr_t)p;
    if (wg_ck.undefined == NULL || at < wg_ck.stack_low || at >= wg_ck.stack_high ||
        bytes > wg_ck.stack_high - at) {
        return NULL;
    }
    return &wg_ck.undefined[at - wg_ck.stack_low];
}

void wg_check_local(void *p, uint64_t bytes, const struct wg_cpu_site *site) {
    if (wg_ck.undefined == NULL && wg_ck.stack_high > wg_ck.stack_low) {
        void *pages = mmap(NULL, wg_ck.stack_high - wg_ck.stack_low, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        wg_ck.undefined = pages == MAP_FAILED ? NULL : pages;
    }
    uint8_t *marks = marks_of(p, bytes);
    if (marks != NULL && site->object != NULL) {
        memset(marks, 1, bytes);
        *local_slot(p) = (struct local){p, site->object, bytes};
    }
}

void wg_init_check_local(const struct wg_touch *touch) {
    const uint8_t *marks = marks_of(touch->p, touch->bytes);
    const char *name = touch->site->site->object;
    if (marks == NULL || name == NULL || memchr(marks, 1, touch->bytes) == NULL) {
        return;
    }
    const struct local *local = local_slot(touch->base);
    if (local->base != touch->base || strcmp(local->name, name) != 0) {
        return;
    }
    uintptr_t p = (uintptr_t)touch->p;
    for (uint64_t i = 0; i < touch->bytes;) {
        uint64_t next = i + 4 - (p + i) % 4, undefined = 0;
        next = next < touch->bytes ? next : touch->bytes;
        for (uint64_t k = i; k < next; k++) {
            undefined += marks[k];
        }
        if (undefined == next - i) {
            int64_t offset = touch->p + i - (const char *)touch->base;
            wg_say_local_uninitialized(touch->site->site, offset, touch->bytes);
            return;
        }
        i = next;
    }
}

void wg_init_write_local(const struct wg_touch *touch) {
    uint8_t *marks = marks_of(touch->p, touch->bytes);
    if (marks != NULL) {
        memset(marks, 0, touch->bytes);
    }
}

/* ---- Copies pass the state on ------------------------------------------------------------------
 */
static bool is_written(const struct wg_region *region, const char *p) {
    if (region == NULL) {
        const uint8_t *mark = marks_of(p, 1);
        return mark == NULL || *mark == 0;
    }
    if (region->all_written || region->written == NULL) {
        return true;
    }
    size_t offset = (uintptr_t)p - region->origin;
    return (region->written[offset / 4] >> (offset % 4) & 1) != 0;
}

static void set_written(struct wg_region *region, char *p, bool written) {
    if (region == NULL) {
        uint8_t *mark = marks_of(p, 1);
        if (mark != NULL) {
            *mark = !written;
        }
        return;
    }
    if (region->all_written || !wg_region_prepare(region)) {
        return;
    }
    size_t offset = (uintptr_t)p - region->origin;
    uint8_t bit = (uint8_t)(1u << (offset % 4));
    if (written) {
        region->written[offset / 4] |= bit;
    } else {
        region->written[offset / 4] &= (uint8_t)~bit;
    }
}

uint64_t wg_init_words(const struct wg_touch *touch) {
    uint64_t words = 0;
    for (uint64_t i = 0; i < touch->bytes; i++) {
        words |= (uint64_t)is_written(touch->region, touch->p + i) << (i / 4 % 64);
    }
    return words;
}

void wg_init_unwrite_words(char *p, uint64_t bytes, uint64_t words) {
    struct wg_region *region = wg_memory_find((uintptr_t)p);
    struct wg_ck_block *block = wg_ck_block_running();
    if (region == NULL &&
        (uintptr_t)p - block->shared.low < block->shared.high - block->shared.low) {
        region = &block->shared;
    }
    for (uint64_t i = 0; i < bytes && i < 256; i++) {
        uintptr_t at = (uintptr_t)p + i;
        bool inside = region == NULL || (at >= region->low && at < region->high);
        if ((words >> (i / 4) & 1) != 0 && inside) {
            set_written(region, p + i, false);
        }
    }
}

void wg_init_copy(char *dst, const char *src, uint64_t bytes, struct wg_region *dst_region,
                  struct wg_region *src_region) {
    if ((dst_region != NULL && dst_region->all_written) || bytes == 0) {
        return;
    }
    if (dst <= src) {
        for (uint64_t i = 0; i < bytes; i++) {
            set_written(dst_region, dst + i, is_written(src_region, src + i));
        }
    } else {
        for (uint64_t i = bytes; i-- > 0;) {
            set_written(dst_region, dst + i, is_written(src_region, src + i));
        }
    }
}
