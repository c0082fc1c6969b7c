/* The basic blocks of a function as a graph, and its loops. */
#ifndef WG_COMPILER_BLOCKS_H
#define WG_COMPILER_BLOCKS_H

#include "sandbox/platform/cpu/compiler/ir.h"

enum { WG_NO_BLOCK = UINT32_MAX };

struct wg_numbered_block {
    LLVMBasicBlockRef value;
    uint32_t number;
};

/* A function's blocks by number, in the order of its code. It stays valid while instructions come
 * and go and terminators stay. */
struct wg_blocks {
    LLVMBasicBlockRef *at;
    uint32_t count;
    struct wg_numbered_block *sorted; /* by value */
    uint32_t *first, *successors;     /* those of block i are from first[i] up to first[i + 1] */
    uint8_t *color;
    bool *mark; /* what the latest wg_blocks_mark found */
    uint32_t *todo;
};

struct wg_blocks wg_blocks_make(LLVMValueRef function);
void wg_blocks_done(struct wg_blocks *blocks);

/* Marks what can be reached from `from` without passing `end` (which is marked, if reached) or
 * `without`. */
void wg_blocks_mark(struct wg_blocks *blocks, uint32_t from, uint32_t end, uint32_t without);

/* Calls found for every edge from `end` back to `head`, the first block of a loop. */
typedef void wg_loop_found(void *data, struct wg_blocks *blocks, uint32_t head, uint32_t end);
void wg_blocks_loops(struct wg_blocks *blocks, wg_loop_found *found, void *data);

#endif
