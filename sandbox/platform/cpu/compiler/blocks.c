#include "sandbox/platform/cpu/compiler/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"

enum color { UNSEEN, ON_PATH, DONE };

static int by_value(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)((const struct wg_numbered_block *)a)->value;
    uintptr_t y = (uintptr_t)((const struct wg_numbered_block *)b)->value;
    return (x > y) - (x < y);
}

static uint32_t number_of(const struct wg_blocks *blocks, LLVMBasicBlockRef block) {
    const struct wg_numbered_block key = {.value = block};
    const struct wg_numbered_block *found =
        bsearch(&key, blocks->sorted, blocks->count, sizeof key, by_value);
    return found->number;
}

struct wg_blocks wg_blocks_make(LLVMValueRef function) {
    struct wg_blocks blocks = {.count = LLVMCountBasicBlocks(function)};
    uint32_t count = blocks.count;
    blocks.at = wg_calloc(count, sizeof *blocks.at);
    blocks.sorted = wg_calloc(count, sizeof *blocks.sorted);
    blocks.first = wg_calloc(count + 1, sizeof *blocks.first);
    blocks.color = wg_calloc(count, sizeof *blocks.color);
    blocks.mark = wg_calloc(count, sizeof *blocks.mark);
    blocks.todo = wg_calloc(count, sizeof *blocks.todo);
    LLVMGetBasicBlocks(function, blocks.at);
    for (uint32_t i = 0; i < count; i++) {
        blocks.sorted[i] = (struct wg_numbered_block){blocks.at[i], i};
        LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks.at[i]);
        blocks.first[i + 1] = blocks.first[i] + LLVMGetNumSuccessors(end);
    }
    qsort(blocks.sorted, count, sizeof *blocks.sorted, by_value);
    blocks.successors = wg_calloc(blocks.first[count] + 1, sizeof *blocks.successors);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks.at[i]);
        for (uint32_t s = blocks.first[i]; s < blocks.first[i + 1]; s++) {
            blocks.successors[s] = number_of(&blocks, LLVMGetSuccessor(end, s - blocks.first[i]));
        }
    }
    return blocks;
}

void wg_blocks_done(struct wg_blocks *blocks) {
    free(blocks->at);
    free(blocks->sorted);
    free(blocks->first);
    free(blocks->successors);
    free(blocks->color);
    free(blocks->mark);
    free(blocks->todo);
}

void wg_blocks_mark(struct wg_blocks *blocks, uint32_t from, uint32_t end, uint32_t without) {
    memset(blocks->mark, 0, blocks->count * sizeof *blocks->mark);
    uint32_t count = 0;
    blocks->mark[from] = true;
    blocks->todo[count++] = from;
    while (count > 0) {
        uint32_t block = blocks->todo[--count];
        for (uint32_t s = blocks->first[block]; block != end && s < blocks->first[block + 1]; s++) {
            uint32_t next = blocks->successors[s];
            if (next != without && !blocks->mark[next]) {
                blocks->mark[next] = true;
                blocks->todo[count++] = next;
            }
        }
    }
}

/* Depth first; an edge to a block on the path closes a loop. */
static void visit(struct wg_blocks *blocks, uint32_t block, wg_loop_found *found, void *data) {
    blocks->color[block] = ON_PATH;
    for (uint32_t s = blocks->first[block]; s < blocks->first[block + 1]; s++) {
        uint32_t next = blocks->successors[s];
        if (blocks->color[next] == UNSEEN) {
            visit(blocks, next, found, data);
        } else if (blocks->color[next] == ON_PATH) {
            found(data, blocks, next, block);
        }
    }
    blocks->color[block] = DONE;
}

void wg_blocks_loops(struct wg_blocks *blocks, wg_loop_found *found, void *data) {
    memset(blocks->color, UNSEEN, blocks->count * sizeof *blocks->color);
    visit(blocks, 0, found, data);
}
