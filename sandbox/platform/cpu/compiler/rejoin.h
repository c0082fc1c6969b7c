/* Where the lanes of a wave come together again in loops.
 *
 * On hardware the lanes of a wave go through a loop in step: one that has nothing to do in a round
 * waits at its end for the others. A lane that runs for itself would be rounds ahead by the time
 * the others vote, and take part in their vote. So where a wave operation in a loop is not met in
 * every round, the end of the round becomes a meeting point itself. */
#ifndef WG_COMPILER_REJOIN_H
#define WG_COMPILER_REJOIN_H

#include "sandbox/platform/cpu/compiler/ir.h"

/* Puts __wg_rejoin() at the end of such loops, in every function of the module. */
void wg_rejoin_insert(const struct wg_ir *ir);

#endif
