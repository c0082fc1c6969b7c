/* The first step with local variables, before memory is promoted to registers: marks where
 * variables without an initializer come to life, and ties down what must stay in memory (see
 * locals.c). */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/platform/cpu/compiler/check_internal.h"

static int by_address(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)*(LLVMValueRef const *)a;
    uintptr_t y = (uintptr_t)*(LLVMValueRef const *)b;
    return x < y ? -1 : x > y;
}

/* The slots that are variables of the source. */
static struct wg_values declared_slots(LLVMValueRef *code, size_t count) {
    struct wg_values slots = {0};
    for (size_t i = 0; i < count; i++) {
        if (wg_ir_is_intrinsic(code[i], "llvm.dbg.declare")) {
            LLVMValueRef value = wg_debug_declared_value(code[i]);
            if (value && wg_is_static_slot(value)) {
                wg_values_add(&slots, value);
            }
        }
    }
    if (slots.count > 0) {
        qsort((void *)slots.at, slots.count, sizeof *slots.at, by_address);
    }
    return slots;
}

static LLVMValueRef initialized_slot(LLVMValueRef instruction) {
    bool is_store = LLVMIsAStoreInst(instruction);
    return wg_local_root(LLVMGetOperand(instruction, is_store ? 1 : 0));
}

/* Small aggregates are initialized member by member; the mark goes behind the last. */
static bool is_last_init(const struct wg_ir *ir, LLVMValueRef instruction, LLVMValueRef slot) {
    LLVMValueRef next = LLVMGetNextInstruction(instruction);
    while (next && LLVMIsAGetElementPtrInst(next)) {
        next = LLVMGetNextInstruction(next);
    }
    return !next || !wg_is_auto_init(ir, next) || initialized_slot(next) != slot;
}

/* Bytes of a variable that were stored to, one flag a byte. */
enum { MOST_COUNTED_BYTES = 256 };

static bool note_store(const struct wg_ir *ir, LLVMValueRef store, LLVMValueRef slot, bool *stored,
                       uint64_t size) {
    int64_t offset = 0;
    LLVMValueRef pointer = LLVMGetOperand(store, 1);
    while (LLVMIsAGetElementPtrInst(pointer)) {
        int64_t step = 0;
        if (!wg_ir_gep_constant(ir, pointer, &step)) {
            return false;
        }
        offset += step;
        pointer = LLVMGetOperand(pointer, 0);
    }
    uint64_t bytes = LLVMStoreSizeOfType(ir->layout, LLVMTypeOf(LLVMGetOperand(store, 0)));
    if (pointer != slot || offset < 0 || (uint64_t)offset > size ||
        bytes > size - (uint64_t)offset) {
        return pointer != slot;
    }
    memset(stored + offset, true, bytes);
    return true;
}

static bool mentions(LLVMValueRef instruction, LLVMValueRef slot) {
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        if (wg_local_root(LLVMGetOperand(instruction, (unsigned)i)) == slot) {
            return true;
        }
    }
    return false;
}

/* Padding is never stored to; a byte counts when the type has a member there. */
static void mark_members(const struct wg_ir *ir, LLVMTypeRef type, uint64_t offset, bool *needed) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMStructTypeKind) {
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
            mark_members(ir, LLVMStructGetTypeAtIndex(type, i),
                         offset + LLVMOffsetOfElement(ir->layout, type, i), needed);
        }
        return;
    }
    memset(needed + offset, true, LLVMStoreSizeOfType(ir->layout, type));
}

/* True when the code right behind the automatic initialization stores to the whole variable before
 * anything else is done with it: closures of lambdas, and declarations split from their value. */
static bool is_stored_at_once(const struct wg_ir *ir, LLVMValueRef last_init, LLVMValueRef slot) {
    bool stored[MOST_COUNTED_BYTES] = {false};
    bool needed[MOST_COUNTED_BYTES] = {false};
    LLVMTypeRef type = LLVMGetAllocatedType(slot);
    uint64_t size = LLVMABISizeOfType(ir->layout, type);
    if (size > MOST_COUNTED_BYTES) {
        return false;
    }
    for (LLVMValueRef next = LLVMGetNextInstruction(last_init); next;
         next = LLVMGetNextInstruction(next)) {
        bool harmless = LLVMIsAGetElementPtrInst(next) || !mentions(next, slot);
        if (LLVMIsAStoreInst(next) && wg_local_root(LLVMGetOperand(next, 0)) != slot) {
            harmless = note_store(ir, next, slot, stored, size);
        }
        if (!harmless) {
            break;
        }
    }
    mark_members(ir, type, 0, needed);
    for (uint64_t i = 0; i < size; i++) {
        if (needed[i] && !stored[i]) {
            return false;
        }
    }
    return true;
}

static bool contains_array(LLVMTypeRef type, int depth) {
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMArrayTypeKind || depth > 8) {
        return true;
    }
    unsigned members = kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : 0;
    for (unsigned i = 0; i < members; i++) {
        if (contains_array(LLVMStructGetTypeAtIndex(type, i), depth + 1)) {
            return true;
        }
    }
    return false;
}

/* Whole-struct copies from or to memory must stay whole: their alignment is checked, and one
 * float4 is one access. */
static bool is_copied_elsewhere(LLVMValueRef slot) {
    for (LLVMUseRef use = LLVMGetFirstUse(slot); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (wg_is_copy(user) && (!wg_is_static_slot(wg_local_root(LLVMGetOperand(user, 0))) ||
                                 !wg_is_static_slot(wg_local_root(LLVMGetOperand(user, 1))))) {
            return true;
        }
    }
    return false;
}

static void call_placeholder(struct wg_instrument *in, LLVMValueRef placeholder,
                             LLVMValueRef slot) {
    wg_ir_call(in->ir, placeholder, &slot, 1);
}

void wg_locals_prepare(struct wg_instrument *in) {
    const struct wg_ir *ir = in->ir;
    size_t count = 0;
    LLVMValueRef *code = wg_ir_instructions(in->function, &count);
    struct wg_values declared = declared_slots(code, count);
    for (size_t i = 0; i < count; i++) {
        if (LLVMIsAGetElementPtrInst(code[i])) {
            LLVMSetIsInBounds(code[i], false); /* a stray address must keep its meaning */
        }
        if (wg_is_static_slot(code[i]) &&
            (contains_array(LLVMGetAllocatedType(code[i]), 0) || is_copied_elsewhere(code[i]))) {
            wg_ir_at_entry(ir, in->function);
            call_placeholder(in, in->keep, code[i]);
        }
        if (!wg_is_auto_init(ir, code[i])) {
            continue;
        }
        LLVMValueRef slot = initialized_slot(code[i]);
        bool is_variable = declared.count > 0 && bsearch(&slot, declared.at, declared.count,
                                                         sizeof *declared.at, by_address);
        if (is_variable && is_last_init(ir, code[i], slot) &&
            !is_stored_at_once(ir, code[i], slot)) {
            wg_ir_after(ir, code[i]);
            LLVMSetCurrentDebugLocation2(ir->builder, LLVMInstructionGetDebugLoc(code[i]));
            call_placeholder(in, in->mark, slot);
        }
    }
    wg_values_done(&declared);
    free((void *)code);
}
