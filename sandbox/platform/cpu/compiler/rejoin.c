#include "sandbox/platform/cpu/compiler/rejoin.h"

#include <stdlib.h>

#include "grader/base/buf.h"
#include "sandbox/platform/cpu/compiler/blocks.h"
#include "sandbox/platform/cpu/compiler/primitive.h"

/* known: functions that come to a wave operation. */
static bool is_wave_operation(const struct wg_values *known, LLVMValueRef instruction) {
    LLVMValueRef callee = LLVMIsACallInst(instruction) ? wg_ir_callee(instruction) : NULL;
    return callee != NULL &&
           (wg_primitive_is_of_wave(wg_ir_name(callee)) || wg_values_has(known, callee));
}

static bool has_wave_operation(const struct wg_values *known, LLVMBasicBlockRef block) {
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (i != NULL && !is_wave_operation(known, i)) {
        i = LLVMGetNextInstruction(i);
    }
    return i != NULL;
}

/* Callees become known before their callers, in some round. */
static struct wg_values find_known(LLVMValueRef *functions, size_t count) {
    struct wg_values known = {0};
    size_t before;
    do {
        before = known.count;
        for (size_t f = 0; f < count; f++) {
            LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(functions[f]);
            while (block != NULL && !has_wave_operation(&known, block)) {
                block = LLVMGetNextBasicBlock(block);
            }
            if (block != NULL && !wg_values_has(&known, functions[f])) {
                wg_values_add(&known, functions[f]);
            }
        }
    } while (known.count > before);
    return known;
}

struct search {
    bool *has_op; /* by block */
    bool *closes; /* by block: the end of a round that has to be a meeting point */
};

/* Is there a round from the loop's head to its end that has a wave operation, and one without it?
 */
static bool needs_rejoin(const struct search *search, struct wg_blocks *blocks, uint32_t head,
                         uint32_t end) {
    for (uint32_t block = 0; block < blocks->count; block++) {
        if (!search->has_op[block] || block == head || block == end) {
            continue;
        }
        wg_blocks_mark(blocks, head, end, WG_NO_BLOCK);
        bool is_met = blocks->mark[block];
        wg_blocks_mark(blocks, block, end, head);
        is_met = is_met && blocks->mark[end];
        wg_blocks_mark(blocks, head, end, block);
        if (is_met && blocks->mark[end]) {
            return true;
        }
    }
    return false;
}

static void look_at_loop(void *data, struct wg_blocks *blocks, uint32_t head, uint32_t end) {
    struct search *search = data;
    search->closes[end] = search->closes[end] || needs_rejoin(search, blocks, head, end);
}

static void insert_at(const struct wg_ir *ir, LLVMBasicBlockRef block) {
    wg_ir_before(ir, LLVMGetBasicBlockTerminator(block));
    LLVMValueRef rejoin = wg_ir_declare(ir, WG_PRIMITIVE_REJOIN, ir->void_type, NULL, 0);
    wg_ir_call(ir, rejoin, NULL, 0);
}

static void rejoin_in(const struct wg_ir *ir, const struct wg_values *known,
                      LLVMValueRef function) {
    struct wg_blocks blocks = wg_blocks_make(function);
    struct search search = {.has_op = wg_calloc(blocks.count, sizeof *search.has_op),
                            .closes = wg_calloc(blocks.count, sizeof *search.closes)};
    for (uint32_t i = 0; i < blocks.count; i++) {
        search.has_op[i] = has_wave_operation(known, blocks.at[i]);
    }
    wg_blocks_loops(&blocks, look_at_loop, &search);
    for (uint32_t i = 0; i < blocks.count; i++) {
        if (search.closes[i]) {
            insert_at(ir, blocks.at[i]);
        }
    }
    free(search.has_op);
    free(search.closes);
    wg_blocks_done(&blocks);
}

void wg_rejoin_insert(const struct wg_ir *ir) {
    size_t count = 0;
    LLVMValueRef *functions = wg_ir_functions(ir, &count);
    struct wg_values known = find_known(functions, count);
    for (size_t f = 0; f < known.count; f++) {
        rejoin_in(ir, &known, known.at[f]);
    }
    wg_values_done(&known);
    free((void *)functions);
}
