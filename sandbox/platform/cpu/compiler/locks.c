#include "sandbox/platform/cpu/compiler/locks.h"

#include "sandbox/platform/cpu/compiler/blocks.h"
#include "sandbox/platform/cpu/compiler/site.h"

/* Sets a word that has one constant value to another one: what takes a lock, and not what adds to a
 * number until nobody interferes. */
static bool takes_lock(LLVMValueRef instruction) {
    if (LLVMIsAAtomicCmpXchgInst(instruction)) {
        return LLVMIsAConstantInt(LLVMGetOperand(instruction, 1));
    }
    return LLVMIsAAtomicRMWInst(instruction) &&
           LLVMGetAtomicRMWBinOp(instruction) == LLVMAtomicRMWBinOpXchg &&
           LLVMIsAConstantInt(LLVMGetOperand(instruction, 1));
}

static bool is_own_slot(LLVMValueRef pointer) {
    while (wg_ir_is_gep(pointer)) {
        pointer = LLVMGetOperand(pointer, 0);
    }
    return LLVMIsAAllocaInst(pointer);
}

/* Something that other threads can see, other than taking a lock; or perhaps so. */
static bool has_effect(LLVMValueRef instruction) {
    if (LLVMIsAStoreInst(instruction)) {
        return !is_own_slot(LLVMGetOperand(instruction, 1));
    }
    if (LLVMIsACallInst(instruction)) {
        LLVMValueRef callee = wg_ir_callee(instruction);
        return !callee || !(wg_ir_has_prefix(callee, "llvm.") || wg_ir_has_prefix(callee, "wg.")) ||
               wg_ir_is_intrinsic(instruction, "llvm.mem");
    }
    return LLVMIsAAtomicRMWInst(instruction) || LLVMIsAAtomicCmpXchgInst(instruction);
}

/* The only operation of the loop that others can see, if it takes a lock; else NULL. */
static LLVMValueRef lock_of_loop(struct wg_blocks *blocks, uint32_t head, uint32_t end) {
    LLVMValueRef lock = NULL;
    for (uint32_t block = 0; block < blocks->count; block++) {
        wg_blocks_mark(blocks, head, end, WG_NO_BLOCK);
        bool is_in = blocks->mark[block];
        wg_blocks_mark(blocks, block, end, block == head ? WG_NO_BLOCK : head);
        if (!is_in || !blocks->mark[end]) {
            continue;
        }
        LLVMValueRef i = LLVMGetFirstInstruction(blocks->at[block]);
        for (; i; i = LLVMGetNextInstruction(i)) {
            if (takes_lock(i) && !lock) {
                lock = i;
            } else if (has_effect(i)) {
                return NULL;
            }
        }
    }
    return lock;
}

static void look_at_loop(void *data, struct wg_blocks *blocks, uint32_t head, uint32_t end) {
    struct wg_locks *locks = data;
    LLVMValueRef lock = lock_of_loop(blocks, head, end);
    wg_values_add(lock ? &locks->taking : &locks->rounds,
                  lock ? lock : LLVMGetBasicBlockTerminator(blocks->at[end]));
}

static bool has_lock(LLVMValueRef function) {
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (takes_lock(i)) {
                return true;
            }
        }
    }
    return false;
}

struct wg_locks wg_locks_find(LLVMValueRef function) {
    struct wg_locks locks = {0};
    if (has_lock(function)) {
        struct wg_blocks blocks = wg_blocks_make(function);
        wg_blocks_loops(&blocks, look_at_loop, &locks);
        wg_blocks_done(&blocks);
    }
    return locks;
}

/* A counter of rounds, a stack slot of the function. */
static LLVMValueRef count_rounds(const struct wg_ir *ir, LLVMValueRef function,
                                 const struct wg_locks *locks) {
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    LLVMPositionBuilderBefore(ir->builder, LLVMGetFirstInstruction(entry));
    LLVMSetCurrentDebugLocation2(ir->builder, NULL);
    LLVMValueRef counter = LLVMBuildAlloca(ir->builder, ir->i32, "wg.rounds");
    LLVMBuildStore(ir->builder, wg_ir_u32(ir, 0), counter);
    for (size_t i = 0; i < locks->rounds.count; i++) {
        wg_ir_before(ir, locks->rounds.at[i]);
        LLVMValueRef now = LLVMBuildLoad2(ir->builder, ir->i32, counter, "");
        LLVMBuildStore(ir->builder, LLVMBuildAdd(ir->builder, now, wg_ir_u32(ir, 1), ""), counter);
    }
    return counter;
}

static LLVMValueRef was_taken(const struct wg_ir *ir, LLVMValueRef taking) {
    if (LLVMIsAAtomicCmpXchgInst(taking)) {
        return LLVMBuildExtractValue(ir->builder, taking, 1, "");
    }
    return LLVMBuildICmp(ir->builder, LLVMIntNE, taking, LLVMGetOperand(taking, 1), "");
}

void wg_locks_tell(const struct wg_ir *ir, LLVMValueRef function, struct wg_locks *locks) {
    if (locks->taking.count == 0) {
        return;
    }
    LLVMValueRef counter = count_rounds(ir, function, locks);
    LLVMTypeRef params[4] = {ir->ptr, ir->i32, ir->i32, ir->ptr};
    LLVMValueRef hook = wg_ir_declare(ir, "wg_check_lock", ir->void_type, params, 4);
    for (size_t i = 0; i < locks->taking.count; i++) {
        LLVMValueRef taking = locks->taking.at[i];
        wg_ir_after(ir, taking);
        LLVMValueRef args[4] = {
            LLVMGetOperand(taking, 0),
            LLVMBuildZExt(ir->builder, was_taken(ir, taking), ir->i32, ""),
            LLVMBuildLoad2(ir->builder, ir->i32, counter, ""),
            wg_site_make(ir, wg_debug_place(ir, taking), (struct wg_site_object){0}),
        };
        wg_ir_call(ir, hook, args, 4);
    }
}

void wg_locks_done(struct wg_locks *locks) {
    wg_values_done(&locks->taking);
    wg_values_done(&locks->rounds);
}
