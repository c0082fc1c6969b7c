/* Bounds: which memory an access may reach, by what the source calls it, and what happens to an
 * access that strays: it is reported and sent to a place where it does no harm, so that the run
 * goes on and later errors are found as well. */
#include <link.h>

#include "sandbox/platform/cpu/runtime/check_internal.h"
#include "sandbox/platform/cpu/runtime/runtime.h"

#define NULL_PAGES    ((uintptr_t)65536)
#define SHARED_MARGIN ((uintptr_t)65536)
#define STACK_GUESS   ((uintptr_t)262144)
#define SINK_BYTES    4096

/* ---- Sinks -------------------------------------------------------------------------------------
 */
/* What stray reads see: all ones are a NaN, and as an integer -1, which rarely makes a loop run on.
 */
static _Alignas(64) unsigned char g_sink[SINK_BYTES];

void *wg_bounds_sink(const struct wg_touch *touch) {
    memset(g_sink, 0xFF, touch->bytes < SINK_BYTES ? touch->bytes : SINK_BYTES);
    return g_sink;
}

/* The hardware may or may not allow it; x86's aligned vector moves do not, so the access takes
 * place here, byte by byte, and the student's instruction repeats it on the sink. */
void *wg_bounds_bounce(const struct wg_touch *touch) {
    uint64_t bytes = touch->bytes < SINK_BYTES ? touch->bytes : SINK_BYTES;
    if (touch->access == 1 && touch->value != NULL) {
        memcpy(touch->p, touch->value, bytes);
    }
    memcpy(g_sink, touch->p, bytes);
    return g_sink;
}

/* ---- By address --------------------------------------------------------------------------------
 */
static bool in_stack(uintptr_t p) {
    if (wg_ck.stack_high != 0) {
        return p >= wg_ck.stack_low && p < wg_ck.stack_high;
    }
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return p - (here - STACK_GUESS) < 2 * STACK_GUESS;
}

/* Parameters passed by value stay in the argument pack. */
static bool in_pack(uintptr_t p) {
    uintptr_t pack = (uintptr_t)wg_ck.launch.pack;
    return pack != 0 && wg_ck.launch.kernel != NULL && p - pack < wg_ck.launch.kernel->pack_bytes;
}

struct image {
    uintptr_t holds; /* an address inside */
    uintptr_t low, high;
};

static int find_image(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct image *image = data;
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            low = start < low ? start : low;
            uintptr_t end = start + info->dlpi_phdr[i].p_memsz;
            high = end > high ? end : high;
        }
    }
    if (image->holds < low || image->holds >= high) {
        return 0;
    }
    image->low = low;
    image->high = high;
    return 1;
}

/* Constant tables and literals of device code live in the module itself. */
static bool in_module(const struct wg_cpu_site *site, uintptr_t p) {
    static struct image last;
    uintptr_t here = (uintptr_t)site;
    if (here < last.low || here >= last.high) {
        last = (struct image){.holds = here};
        dl_iterate_phdr(find_image, &last);
    }
    return p >= last.low && p < last.high;
}

/* ---- Resolving ---------------------------------------------------------------------------------
 */
static bool inside(const struct wg_touch *touch, uintptr_t low, uintptr_t high) {
    uintptr_t p = (uintptr_t)touch->p;
    return p >= low && p < high && touch->bytes <= high - p;
}

static bool stray(const struct wg_touch *touch, enum wg_finding_kind kind, uintptr_t low,
                  uintptr_t high) {
    wg_say_stray(touch, kind, low, high);
    return false;
}

/* Remembers the interval, so that the next access of this place is quick. */
static bool accept(struct wg_touch *touch, struct wg_region *region, uintptr_t low,
                   uintptr_t high) {
    struct wg_site_state *state = touch->site;
    state->generation = wg_ck.generation;
    state->base = touch->base;
    state->low = low;
    state->size = high - low;
    state->region = region;
    touch->region = region != NULL ? region : &touch->block->shared;
    return true;
}

static bool in_region(struct wg_touch *touch, struct wg_region *region, uintptr_t low,
                      uintptr_t high) {
    touch->region = region;
    if (region->is_freed) {
        return stray(touch, WG_FINDING_USE_AFTER_FREE, low, high);
    }
    if (!inside(touch, low, high)) {
        return stray(touch, WG_FINDING_OUT_OF_BOUNDS, low, high);
    }
    if (region->is_constant && touch->access != 0) {
        return stray(touch, WG_FINDING_CONSTANT_WRITE, low, high);
    }
    return accept(touch, region, low, high);
}

static bool in_shared(struct wg_touch *touch, uintptr_t low, uintptr_t high) {
    const struct wg_region *shared = &touch->block->shared;
    touch->region = &touch->block->shared;
    if (!inside(touch, low, high)) {
        return stray(touch, WG_FINDING_OUT_OF_BOUNDS, low, high);
    }
    if (low < shared->low || high > shared->high) {
        touch->region = NULL; /* larger than the runtime said: without cells */
        return true;
    }
    return accept(touch, NULL, low, high);
}

/* Host code's copy of a device variable, which may well lie beside the variable itself. */
static bool is_shadow(uintptr_t p) {
    const struct wg_cpu_variable *variable = wg_module_find_symbol((const void *)p);
    return variable != NULL && !variable->is_managed;
}

/* Nothing but the address is known. */
static bool by_address(struct wg_touch *touch) {
    uintptr_t p = (uintptr_t)touch->p;
    const struct wg_region *shared = &touch->block->shared;
    struct wg_region *region = wg_memory_find(p);
    if (region != NULL) {
        return in_region(touch, region, region->low, region->high);
    }
    if (p >= shared->low && p < shared->high) {
        return in_shared(touch, shared->low, shared->high);
    }
    touch->region = NULL;
    if (in_stack(p) || in_pack(p)) {
        return true;
    }
    if (p < NULL_PAGES) {
        return stray(touch, WG_FINDING_NULL_POINTER, 0, 0);
    }
    if (shared->high > shared->low &&
        p - (shared->low - SHARED_MARGIN) < shared->high - shared->low + 2 * SHARED_MARGIN) {
        return in_shared(touch, shared->low, shared->high);
    }
    region = is_shadow(p) ? NULL : wg_memory_nearest(p);
    if (region != NULL) {
        return in_region(touch, region, region->low, region->high);
    }
    if (touch->access == 0 && touch->site->kind != WG_OBJECT_PARAM &&
        in_module(touch->site->site, p)) {
        return true;
    }
    return stray(touch, WG_FINDING_HOST_POINTER, 0, 0);
}

/* The parameter's value says which allocation is meant, however far the index strays. */
static bool by_param(struct wg_touch *touch) {
    uintptr_t base = (uintptr_t)touch->base;
    struct wg_region *region = wg_memory_find(base);
    if (region == NULL && is_shadow(base)) {
        touch->region = NULL;
        return stray(touch, WG_FINDING_HOST_POINTER, 0, 0);
    }
    if (region == NULL && base >= NULL_PAGES && !in_stack(base)) {
        /* One past the end is a legal pointer, and a guard zone no legal target. */
        region = wg_memory_nearest(base);
        if (region != NULL && base != region->high) {
            region = NULL;
        }
    }
    if (region != NULL) {
        return in_region(touch, region, region->low, region->high);
    }
    if (base < NULL_PAGES) {
        touch->region = NULL;
        return stray(touch, WG_FINDING_NULL_POINTER, 0, 0);
    }
    return by_address(touch);
}

static bool by_variable(struct wg_touch *touch) {
    const struct wg_cpu_site *site = touch->site->site;
    uintptr_t low = (uintptr_t)touch->base;
    struct wg_region *region = wg_memory_find(low);
    if (region == NULL) {
        region = wg_memory_add_variable(touch->base, site->object_bytes,
                                        site->object != NULL ? site->object : "a variable",
                                        touch->site->kind == WG_OBJECT_CONSTANT);
    }
    if (region == NULL) {
        touch->region = NULL;
        return true;
    }
    region->is_constant = region->is_constant || touch->site->kind == WG_OBJECT_CONSTANT;
    region->shape = region->is_constant ? WG_COUNT_NOT : region->shape;
    return in_region(touch, region, low, low + site->object_bytes);
}

bool wg_bounds_resolve(struct wg_touch *touch) {
    uintptr_t base = (uintptr_t)touch->base;
    if (base == 0 && touch->site->kind != WG_OBJECT_PARAM) {
        return by_address(touch);
    }
    switch (touch->site->kind) {
    case WG_OBJECT_PARAM:
        return by_param(touch);
    case WG_OBJECT_SHARED:
        return in_shared(touch, base, base + touch->site->site->object_bytes);
    case WG_OBJECT_DYNAMIC:
        return in_shared(touch, base, base + wg_ck.launch.dynamic_shared_bytes);
    case WG_OBJECT_DEVICE_VAR:
    case WG_OBJECT_CONSTANT:
        return by_variable(touch);
    default:
        return by_address(touch);
    }
}
