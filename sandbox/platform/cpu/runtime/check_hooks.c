/* The hooks that instrumented code calls: one access passes bounds, alignment, initialization,
 * races and counters, in this order. */
#include "sandbox/platform/cpu/runtime/check_quick.h"

/* ---- Locals ------------------------------------------------------------------------------------
 */
static void *local_access(struct wg_touch *touch) {
    const struct wg_cpu_site *site = touch->site->site;
    uint64_t offset = (uint64_t)(touch->p - (const char *)touch->base);
    if (site->object_bytes != 0 &&
        (offset >= site->object_bytes || touch->bytes > site->object_bytes - offset)) {
        wg_say_local_stray(site, (int64_t)offset, touch->bytes, touch->access);
        return wg_bounds_sink(touch);
    }
    if (wg_ck.undefined != NULL) {
        if (touch->access != 1) {
            wg_init_check_local(touch);
        }
        if (touch->access != 0) {
            wg_init_write_local(touch);
        }
    }
    return touch->p;
}

/* ---- Memory ------------------------------------------------------------------------------------
 */
/* The address to use; touch->region is NULL when nothing more is to be checked. */
static inline void *find_region(struct wg_touch *touch) {
    const struct wg_site_state *site = touch->site;
    uintptr_t offset = (uintptr_t)touch->p - site->low;
    if (site->generation == wg_ck.generation && site->base == touch->base && offset < site->size &&
        touch->bytes <= site->size - offset) {
        touch->region = site->region != NULL ? site->region : &touch->block->shared;
    } else if (!wg_bounds_resolve(touch)) {
        touch->region = NULL;
        return wg_bounds_sink(touch);
    }
    if (touch->region != NULL && touch->region->cells == NULL &&
        !wg_region_prepare(touch->region)) {
        touch->region = NULL;
    }
    return touch->p;
}

static inline void mark_written(const struct wg_touch *touch) {
    if (touch->region->all_written) {
        return;
    }
    uintptr_t p = (uintptr_t)touch->p, end = p + touch->bytes;
    for (uintptr_t word = p & ~(uintptr_t)3; word < end; word += 4) {
        touch->region->written[(word - touch->region->origin) >> 2] |=
            (uint8_t)wg_word_mask(word, p, touch->bytes);
    }
}

static inline struct wg_touch touch_of(struct wg_ck_block *block, struct wg_site_state *site,
                                       void *p, const void *base, uint64_t bytes, uint32_t access) {
    return (struct wg_touch){
        .p = p,
        .base = base,
        .bytes = bytes,
        .who = block->first_who + wg_self->flat,
        .block = block,
        .site = site,
        .access = access,
        .flags = site->flags,
    };
}

/* False outside launches, where host code may run a function that was compiled for both sides. */
static bool begin(struct wg_touch *touch, void *p, const void *base, uint64_t bytes,
                  const struct wg_cpu_site *site, uint32_t access) {
    struct wg_ck_block *block = wg_ck_block_running();
    if (block == NULL || bytes == 0) {
        return false;
    }
    *touch = touch_of(block, wg_site_state(site), p, base, bytes, access);
    return true;
}

static inline bool is_flag(const struct wg_touch *touch) {
    return (touch->flags & WG_SITE_VOLATILE) != 0 && !touch->region->is_shared;
}

static inline void *aligned(const struct wg_touch *touch, uint64_t align) {
    if (align > 1 && ((uintptr_t)touch->p & (align - 1)) != 0) {
        wg_say_misaligned(touch, align);
        return wg_bounds_bounce(touch);
    }
    return touch->p;
}

static void *read_slowly(struct wg_touch *touch, uint64_t align) {
    if (touch->site->kind == WG_OBJECT_LOCAL) {
        return local_access(touch);
    }
    void *use = find_region(touch);
    if (touch->region == NULL) {
        return use;
    }
    wg_init_check(touch);
    if (is_flag(touch)) {
        touch->flags |= WG_SITE_NO_WRITE;
        wg_race_atomic(touch);
    } else {
        wg_race_read(touch);
    }
    wg_count_access(touch->site, touch->region, touch->p, touch->bytes, 0);
    return aligned(touch, align);
}

/* Several aligned words, all written and in no conflict; to_copy: partly written ones go the long
 * way, since copies pass on what is not written. */
static bool read_words(struct wg_ck_block *block, struct wg_site_state *state, void *p,
                       const void *base, uint64_t bytes, uint64_t align, bool to_copy) {
    struct wg_quick quick;
    if ((bytes & 3) != 0 ||
        !wg_quick_find(&quick, state, block, (uintptr_t)p, base, bytes, align)) {
        return false;
    }
    size_t first = ((uintptr_t)p - quick.region->origin) >> 2, end = first + (bytes >> 2);
    for (size_t i = first; i < end; i++) {
        bool partly = !quick.region->all_written && quick.region->written[i] != WG_CELL_BYTES;
        if ((to_copy && partly) || !wg_quick_read(&quick, state, i)) {
            return false;
        }
    }
    return true;
}

static bool write_words(struct wg_ck_block *block, struct wg_site_state *state, void *p,
                        const void *base, uint64_t bytes, uint64_t align) {
    struct wg_quick quick;
    if ((bytes & 3) != 0 ||
        !wg_quick_find(&quick, state, block, (uintptr_t)p, base, bytes, align)) {
        return false;
    }
    size_t first = ((uintptr_t)p - quick.region->origin) >> 2, end = first + (bytes >> 2);
    for (size_t i = first; i < end; i++) {
        if (!wg_quick_write(&quick, state, i)) {
            return false;
        }
    }
    return true;
}

/* After read_words or write_words. */
static void count_words(struct wg_site_state *state, struct wg_ck_block *block, void *p,
                        uint64_t bytes, uint32_t access) {
    const struct wg_region *region = state->region != NULL ? state->region : &block->shared;
    wg_count_access(state, region, p, bytes, access);
}

static __attribute__((noinline)) void *read_other(void *p, const void *base, uint64_t bytes,
                                                  uint64_t align, const struct wg_cpu_site *site) {
    struct wg_ck_block *block = wg_ck_block_running();
    if (block == NULL || bytes == 0) {
        return p;
    }
    struct wg_site_state *state = wg_site_state(site);
    if (state->kind == WG_OBJECT_LOCAL) {
        if (wg_quick_local(site, p, base, bytes, false)) {
            return p;
        }
    } else if (bytes != 4 && read_words(block, state, p, base, bytes, align, false)) {
        count_words(state, block, p, bytes, 0);
        return p;
    }
    struct wg_touch touch = touch_of(block, state, p, base, bytes, 0);
    return read_slowly(&touch, align);
}

void *wg_check_read(void *p, const void *base, uint64_t bytes, uint64_t align,
                    const struct wg_cpu_site *site) {
    struct wg_ck_block *block = wg_ck_block_running();
    if (block != NULL && bytes == 4) {
        struct wg_site_state *state = wg_site_state(site);
        struct wg_quick quick;
        if (wg_quick_find(&quick, state, block, (uintptr_t)p, base, bytes, align) &&
            wg_quick_read(&quick, state, ((uintptr_t)p - quick.region->origin) >> 2)) {
            return wg_quick_count(state, quick.region, p, 0);
        }
    }
    return read_other(p, base, bytes, align, site);
}

static void *write_slowly(struct wg_touch *touch, uint64_t align, uint64_t low, uint64_t high) {
    if (touch->site->kind == WG_OBJECT_LOCAL) {
        return local_access(touch);
    }
    void *use = find_region(touch);
    if (touch->region == NULL) {
        return use;
    }
    const uint64_t value[2] = {low, high};
    touch->value = touch->bytes <= sizeof value ? value : NULL;
    if (is_flag(touch)) {
        touch->flags |= WG_SITE_NO_READ;
        wg_race_atomic(touch);
    } else {
        wg_race_write(touch);
    }
    mark_written(touch);
    wg_count_access(touch->site, touch->region, touch->p, touch->bytes, 1);
    use = aligned(touch, align);
    touch->value = NULL;
    return use;
}

static __attribute__((noinline)) void *write_other(void *p, const void *base, uint64_t bytes,
                                                   uint64_t align, uint64_t low, uint64_t high,
                                                   const struct wg_cpu_site *site) {
    struct wg_ck_block *block = wg_ck_block_running();
    if (block == NULL || bytes == 0) {
        return p;
    }
    struct wg_site_state *state = wg_site_state(site);
    if (state->kind == WG_OBJECT_LOCAL) {
        if (wg_quick_local(site, p, base, bytes, true)) {
            return p;
        }
    } else if (bytes != 4 && write_words(block, state, p, base, bytes, align)) {
        count_words(state, block, p, bytes, 1);
        return p;
    }
    struct wg_touch touch = touch_of(block, state, p, base, bytes, 1);
    return write_slowly(&touch, align, low, high);
}

void *wg_check_write(void *p, const void *base, uint64_t bytes, uint64_t align, uint64_t value_low,
                     uint64_t value_high, const struct wg_cpu_site *site) {
    struct wg_ck_block *block = wg_ck_block_running();
    if (block != NULL && bytes == 4) {
        struct wg_site_state *state = wg_site_state(site);
        struct wg_quick quick;
        if (wg_quick_find(&quick, state, block, (uintptr_t)p, base, bytes, align) &&
            wg_quick_write(&quick, state, ((uintptr_t)p - quick.region->origin) >> 2)) {
            return wg_quick_count(state, quick.region, p, 1);
        }
    }
    return write_other(p, base, bytes, align, value_low, value_high, site);
}

void *wg_check_atomic(void *p, const void *base, uint64_t bytes, uint64_t align,
                      const struct wg_cpu_site *site) {
    struct wg_touch touch;
    if (!begin(&touch, p, base, bytes, site, 2)) {
        return p;
    }
    if (touch.site->kind == WG_OBJECT_LOCAL) {
        return local_access(&touch);
    }
    void *use = find_region(&touch);
    if (touch.region == NULL) {
        return use;
    }
    if ((touch.flags & WG_SITE_NO_READ) == 0) {
        wg_init_check(&touch);
    }
    wg_race_atomic(&touch);
    if ((touch.flags & WG_SITE_NO_WRITE) == 0) {
        mark_written(&touch);
    }
    wg_count_access(touch.site, touch.region, touch.p, touch.bytes, touch.access);
    if (align > 1 && ((uintptr_t)p & (align - 1)) != 0) {
        wg_say_misaligned(&touch, align);
        return wg_bounds_sink(&touch); /* no hardware does this in one piece */
    }
    return p;
}

void wg_check_fence(void) {
    struct wg_ck_block *block = wg_ck_block_running();
    if (block != NULL) {
        block->fence_time = wg_ck.now++; /* what is done from here on is after it */
    }
}

/* ---- memcpy, memset ----------------------------------------------------------------------------
 */
/* Bounds and races of one side of a copy; false: do not touch it. */
static bool copy_side(struct wg_touch *touch) {
    if (touch->site->kind == WG_OBJECT_LOCAL) {
        const struct wg_cpu_site *site = touch->site->site;
        uint64_t offset = (uint64_t)(touch->p - (const char *)touch->base);
        touch->region = NULL;
        if (site->object_bytes != 0 &&
            (offset > site->object_bytes || touch->bytes > site->object_bytes - offset)) {
            wg_say_local_stray(site, (int64_t)offset, touch->bytes, touch->access);
            return false;
        }
        return true;
    }
    if (find_region(touch) != touch->p) {
        return false;
    }
    if (touch->region != NULL) {
        /* A float4 travels as a copy, and relies on its alignment all the same. */
        uint64_t align = UINT64_C(1) << (touch->flags >> WG_SITE_ALIGN_SHIFT & 0x3f);
        if (((uintptr_t)touch->p & (align - 1)) != 0) {
            wg_say_misaligned(touch, align);
        }
        if (touch->access == 0) {
            wg_init_check_copied(touch);
            wg_race_read(touch);
        } else {
            wg_race_write(touch);
        }
        wg_count_access(touch->site, touch->region, touch->p, touch->bytes, touch->access);
    }
    return true;
}

static __attribute__((noinline)) void copy_slowly(void *dst, const void *dst_base, const void *src,
                                                  const void *src_base, uint64_t bytes,
                                                  const struct wg_cpu_site *dst_site,
                                                  const struct wg_cpu_site *src_site) {
    struct wg_touch from, to;
    if (!begin(&from, (void *)(uintptr_t)src, src_base, bytes, src_site, 0) ||
        !begin(&to, dst, dst_base, bytes, dst_site, 1)) {
        memmove(dst, src, bytes);
        return;
    }
    bool readable = copy_side(&from);
    to.value = readable ? src : NULL;
    if (!copy_side(&to)) {
        return;
    }
    if (readable) {
        wg_init_copy(dst, src, bytes, to.region, from.region);
        memmove(dst, src, bytes);
    } else {
        memset(dst, 0xFF, bytes); /* written, so that nobody is blamed twice */
        if (to.region != NULL) {
            mark_written(&to);
        } else {
            wg_init_write_local(&to);
        }
    }
}

/* The quick way for one side of a copy. */
static bool side_words(struct wg_ck_block *block, struct wg_site_state *state, void *p,
                       const void *base, uint64_t bytes, bool writes) {
    uint64_t align = UINT64_C(1) << (state->flags >> WG_SITE_ALIGN_SHIFT & 0x3f);
    if (state->kind == WG_OBJECT_LOCAL) {
        return wg_quick_local(state->site, p, base, bytes, writes);
    }
    return writes ? write_words(block, state, p, base, bytes, align)
                  : read_words(block, state, p, base, bytes, align, true);
}

void wg_check_copy(void *dst, const void *dst_base, const void *src, const void *src_base,
                   uint64_t bytes, const struct wg_cpu_site *dst_site,
                   const struct wg_cpu_site *src_site) {
    struct wg_ck_block *block = wg_ck_block_running();
    void *in = (void *)(uintptr_t)src;
    if (block != NULL && (bytes == 16 || bytes == 8 || bytes == 4)) {
        struct wg_site_state *from = wg_site_state(src_site), *to = wg_site_state(dst_site);
        if (side_words(block, from, in, src_base, bytes, false) &&
            side_words(block, to, dst, dst_base, bytes, true)) {
            if (from->kind != WG_OBJECT_LOCAL) {
                count_words(from, block, in, bytes, 0);
            }
            if (to->kind != WG_OBJECT_LOCAL) {
                count_words(to, block, dst, bytes, 1);
            }
            memmove(dst, src, bytes);
            return;
        }
    }
    copy_slowly(dst, dst_base, src, src_base, bytes, dst_site, src_site);
}

void wg_check_fill(void *dst, const void *base, int byte, uint64_t bytes,
                   const struct wg_cpu_site *site) {
    /* In pieces, so that there is a value to compare with what is there. */
    unsigned char piece[64];
    memset(piece, byte, sizeof piece);
    struct wg_touch touch;
    if (!begin(&touch, dst, base, bytes, site, 1)) {
        memset(dst, byte, bytes);
        return;
    }
    if (touch.site->kind == WG_OBJECT_LOCAL) {
        if (copy_side(&touch)) {
            memset(dst, byte, bytes);
            wg_init_write_local(&touch);
        }
        return;
    }
    if (find_region(&touch) != dst) {
        return;
    }
    for (uint64_t done = 0; touch.region != NULL && done < bytes; done += touch.bytes) {
        touch.p = (char *)dst + done;
        touch.bytes = bytes - done < sizeof piece ? bytes - done : sizeof piece;
        touch.value = piece;
        wg_race_write(&touch);
        mark_written(&touch);
        wg_count_access(touch.site, touch.region, touch.p, touch.bytes, touch.access);
    }
    memset(dst, byte, bytes);
}

/* ---- Structs between memory and a variable -----------------------------------------------------
 */
static __attribute__((noinline)) void *copy_in_slowly(struct wg_touch *touch, uint64_t align,
                                                      uint64_t *written) {
    *written = UINT64_MAX;
    if (touch->site->kind == WG_OBJECT_LOCAL) {
        return local_access(touch);
    }
    void *use = find_region(touch);
    if (touch->region == NULL) {
        return use;
    }
    *written = wg_init_words(touch);
    if (*written == 0) {
        wg_say_uninitialized(touch, (uintptr_t)touch->p);
        *written = UINT64_MAX;
    }
    wg_race_read(touch);
    wg_count_access(touch->site, touch->region, touch->p, touch->bytes, 0);
    return aligned(touch, align);
}

void *wg_check_copy_in(const void *src, const void *base, uint64_t bytes, uint64_t align,
                       uint64_t *written, const struct wg_cpu_site *site) {
    struct wg_ck_block *block = wg_ck_block_running();
    void *p = (void *)(uintptr_t)src;
    *written = UINT64_MAX;
    if (block == NULL || bytes == 0) {
        return p;
    }
    struct wg_site_state *state = wg_site_state(site);
    if (state->kind != WG_OBJECT_LOCAL && read_words(block, state, p, base, bytes, align, true)) {
        count_words(state, block, p, bytes, 0);
        return p;
    }
    struct wg_touch touch = touch_of(block, state, p, base, bytes, 0);
    return copy_in_slowly(&touch, align, written);
}

void *wg_check_copy_out(void *dst, const void *base, uint64_t bytes, uint64_t align,
                        uint64_t value_low, uint64_t value_high, uint64_t written,
                        const struct wg_cpu_site *site) {
    void *use = wg_check_write(dst, base, bytes, align, value_low, value_high, site);
    uint64_t words = (bytes + 3) / 4;
    uint64_t all = words >= 64 ? UINT64_MAX : (UINT64_C(1) << words) - 1;
    if ((written & all) != all && wg_ck_block_running() != NULL) {
        wg_init_unwrite_words(dst, bytes, ~written);
    }
    return use;
}

/* ---- What generated code judges itself ---------------------------------------------------------
 */
void wg_check_local_bounds(int64_t offset, uint64_t bytes, int is_write,
                           const struct wg_cpu_site *site) {
    if (wg_ck_block_running() != NULL) {
        wg_say_local_stray(site, offset, bytes, is_write != 0);
    }
}

void wg_check_local_undefined(int64_t offset, uint64_t bytes, const struct wg_cpu_site *site) {
    if (wg_ck_block_running() != NULL) {
        wg_say_local_uninitialized(site, offset, bytes);
    }
}
