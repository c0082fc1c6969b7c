/* Fibers: their stacks, and the way into them. The switch itself is in sched.h.
 *
 * Stacks lie an odd number of pages apart, and their tops are staggered: with a power of two
 * between them the hot lines of 256 lanes would all compete for the same few cache and TLB sets.
 * The memory between two stacks is never made accessible, so running over the end of one faults.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "sandbox/platform/cpu/runtime/sched.h"

enum {
    PAGE = 4096,
    ZONE_BYTES = 17 * PAGE, /* odd, see above; wide, since a large frame jumps over a narrow one */
    STRIDE = WG_STACK_BYTES + ZONE_BYTES,
    STAGGER_STEPS = 32,
    STAGGER_BYTES = 128,
};

bool wg_stacks_reserve(struct wg_stacks *stacks, uint32_t count) {
    if (count <= stacks->capacity) {
        return true;
    }
    if (stacks->low != NULL) {
        munmap(stacks->low, (size_t)stacks->capacity * STRIDE);
        free(stacks->unused);
        *stacks = (struct wg_stacks){0};
    }
    size_t bytes = (size_t)count * STRIDE;
    char *low = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    uint32_t *unused = calloc(count, sizeof *unused);
    if (low == MAP_FAILED || unused == NULL) {
        if (low != MAP_FAILED) {
            munmap(low, bytes);
        }
        free(unused);
        return false;
    }
    stacks->low = low;
    stacks->unused = unused;
    stacks->capacity = count;
    if (wg_checker_on) {
        wg_checker_stack_region(low, bytes);
    }
    return true;
}

void wg_stacks_reset(struct wg_stacks *stacks) {
    stacks->unused_count = stacks->made;
    for (uint32_t i = 0; i < stacks->made; i++) {
        stacks->unused[i] = stacks->made - 1 - i;
    }
}

uint32_t wg_stacks_take(struct wg_stacks *stacks) {
    if (stacks->unused_count > 0) {
        return stacks->unused[--stacks->unused_count];
    }
    if (stacks->made == stacks->capacity) {
        return WG_NO_LANE;
    }
    char *low = stacks->low + (size_t)stacks->made * STRIDE + ZONE_BYTES;
    if (mprotect(low, WG_STACK_BYTES, PROT_READ | PROT_WRITE) != 0) {
        return WG_NO_LANE;
    }
    return stacks->made++;
}

void wg_stacks_give(struct wg_stacks *stacks, uint32_t stack) {
    stacks->unused[stacks->unused_count++] = stack;
}

static char *stack_top(const struct wg_stacks *stacks, uint32_t stack) {
    char *high = stacks->low + (size_t)(stack + 1) * STRIDE;
    return high - (size_t)(stack % STAGGER_STEPS) * STAGGER_BYTES;
}

size_t wg_stacks_depth(const struct wg_stacks *stacks, uint32_t stack, const void *address) {
    return (size_t)(stack_top(stacks, stack) - (const char *)address);
}

void wg_stacks_prepare(const struct wg_stacks *stacks, uint32_t stack, void (*entry)(void),
                       struct wg_context *context) {
    uint64_t *top = (uint64_t *)stack_top(stacks, stack);
    top[-1] =
        0; /* where entry would return to: ends a debugger's walk, keeps the ABI's alignment */
    *context = (struct wg_context){
        .stack = &top[-1],
        .code = (void *)entry,
    };
}

void wg_fiber_enter(struct wg_worker *worker, const struct wg_context *to) {
    static const uint32_t default_sse = 0x1f80;
    static const uint16_t default_x87 = 0x037f;
    uint32_t sse;
    uint16_t x87;
    __asm__ volatile("stmxcsr %0; fnstcw %1" : "=m"(sse), "=m"(x87));
    __asm__ volatile("ldmxcsr %0; fldcw %1" : : "m"(default_sse), "m"(default_x87));
    worker->in_kernel = true;
    wg_fiber_switch(&worker->native, to);
    worker->in_kernel = false;
    __asm__ volatile("ldmxcsr %0; fldcw %1" : : "m"(sse), "m"(x87));
}

bool wg_stacks_contain(const struct wg_stacks *stacks, const void *address) {
    const char *p = address;
    return stacks->low != NULL && p >= stacks->low &&
           p < stacks->low + (size_t)stacks->capacity * STRIDE;
}

bool wg_stacks_overflowed(const struct wg_stacks *stacks, const void *address) {
    return wg_stacks_contain(stacks, address) &&
           (size_t)((const char *)address - stacks->low) % STRIDE < ZONE_BYTES;
}
