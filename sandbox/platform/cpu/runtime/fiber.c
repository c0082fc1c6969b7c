/* Fibers: the context switch and the stacks.
 *
 * Theory. A switch saves what the System V ABI calls callee-saved: six registers, the stack pointer
 * and the control words of SSE and x87. The latter are loaded only when they differ, since loading
 * costs more than the rest together; the exception flags in mxcsr are no control bits and may leak.
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

__asm__(".text\n"
        ".globl wg_fiber_switch\n"
        ".hidden wg_fiber_switch\n"
        ".type wg_fiber_switch, @function\n"
        "wg_fiber_switch:\n"
        "  .cfi_startproc\n"
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  subq $8, %rsp\n"
        "  stmxcsr (%rsp)\n"
        "  fnstcw 4(%rsp)\n"
        "  movl (%rsp), %eax\n"
        "  movzwl 4(%rsp), %ecx\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  xorl (%rsp), %eax\n"
        "  xorw 4(%rsp), %cx\n"
        "  andl $0xffc0, %eax\n" /* all but the exception flags */
        "  orl %ecx, %eax\n"
        "  jne 2f\n"
        "1:\n"
        "  addq $8, %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        "  ret\n"
        "2:\n"
        "  ldmxcsr (%rsp)\n"
        "  fldcw 4(%rsp)\n"
        "  jmp 1b\n"
        "  .cfi_endproc\n"
        ".size wg_fiber_switch, .-wg_fiber_switch\n");

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

void *wg_stacks_prepare(const struct wg_stacks *stacks, uint32_t stack, void (*entry)(void)) {
    uint64_t *sp = (uint64_t *)stack_top(stacks, stack);
    *--sp = 0; /* where entry would return to: ends a debugger's walk, keeps the ABI's alignment */
    *--sp = (uint64_t)(uintptr_t)entry;
    for (int i = 0; i < 6; i++) {
        *--sp = 0;
    }
    *--sp = 0x1f80 | (uint64_t)0x037f << 32; /* the control words of a fresh process */
    return sp;
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
