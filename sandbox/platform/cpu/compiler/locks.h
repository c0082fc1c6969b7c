/* Loops that wait for a lock: `while (atomicCAS(&lock, 0, 1) != 0);`
 *
 * On hardware whose lanes run in step, a lane that has left such a loop waits behind it for the
 * others of its wave. When one of them wants the same lock, it never leaves, and the lane that has
 * the lock never releases it. Here every lane runs for itself and nothing of this shows; so each
 * lock taken in such a loop is told to the runtime, with the number of rounds that the loops around
 * it have made: lanes in step are in the same round. */
#ifndef WG_COMPILER_LOCKS_H
#define WG_COMPILER_LOCKS_H

#include "sandbox/platform/cpu/compiler/ir.h"

/* The loops of one function that wait for a lock. */
struct wg_locks {
    struct wg_values taking; /* the atomic operation of each */
    struct wg_values rounds; /* terminators that end a round of any other loop */
};

/* Values have to be in registers, and no hooks in the code. */
struct wg_locks wg_locks_find(LLVMValueRef function);
/* Adds the calls; hooks may have been added meanwhile. */
void wg_locks_tell(const struct wg_ir *ir, LLVMValueRef function, struct wg_locks *locks);
void wg_locks_done(struct wg_locks *locks);

#endif
