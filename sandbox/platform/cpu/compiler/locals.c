/* Local variables in the checked build.
 *
 * clang initializes variables that have no initializer with a pattern and says so in an annotation,
 * which tells exactly which variables may be read too early. That initialization is followed here
 * by a mark "this variable comes to life". Then scalars and structs that cannot be at fault go into
 * registers, and what stays in memory is of two sorts.
 *
 * A simple variable is accessed only through addresses computed from itself. Generated code judges
 * it: an index is compared with the size, and a shadow of flags beside the variable, all ones where
 * something was written, is kept in step. No address escapes, so the optimizer treats variable and
 * flags alike, and where it proves that all is well nothing of the checks remains.
 *
 * Structs come from memory and go there whole; a hook tells which of their words were written.
 *
 * Any other variable (its address is stored, passed on, chosen at run time) is announced to the
 * runtime, whose hooks see all accesses to it. */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "sandbox/platform/cpu/compiler/check_internal.h"
#include "sandbox/platform/cpu/compiler/primitive.h"

/* ---- Telling instructions apart ------------------------------------------------------------- */

bool wg_is_auto_init(const struct wg_ir *ir, LLVMValueRef instruction) {
    LLVMValueRef note =
        LLVMGetMetadata(instruction, LLVMGetMDKindIDInContext(ir->context, "annotation", 10));
    LLVMValueRef text = NULL;
    unsigned length = 0;
    if (!note || LLVMGetMDNodeNumOperands(note) != 1) {
        return false;
    }
    LLVMGetMDNodeOperands(note, &text);
    return text && LLVMIsAMDString(text) &&
           strcmp(LLVMGetMDString(text, &length), "auto-init") == 0;
}

bool wg_is_copy(LLVMValueRef instruction) {
    return wg_ir_is_intrinsic(instruction, "llvm.memcpy.") ||
           wg_ir_is_intrinsic(instruction, "llvm.memmove.");
}

bool wg_is_fill(LLVMValueRef instruction) {
    return wg_ir_is_intrinsic(instruction, "llvm.memset.");
}

struct wg_site_object wg_local_object(const struct wg_ir *ir, const struct wg_local *local) {
    return (struct wg_site_object){
        .name = local->name,
        .bytes = local->bytes,
        .kind = WG_OBJECT_LOCAL,
        .element_bytes = wg_ir_element_bytes(ir, local->type),
    };
}

LLVMValueRef wg_local_root(LLVMValueRef pointer) {
    while (LLVMIsAGetElementPtrInst(pointer)) {
        pointer = LLVMGetOperand(pointer, 0);
    }
    return pointer;
}

bool wg_is_static_slot(LLVMValueRef value) {
    LLVMValueRef slot = LLVMIsAAllocaInst(value);
    return slot && LLVMIsAConstantInt(LLVMGetOperand(slot, 0)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(slot, 0)) == 1 &&
           LLVMTypeIsSized(LLVMGetAllocatedType(slot));
}

/* ---- Finding and judging -------------------------------------------------------------------- */

static int by_object(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)((const struct wg_local *)a)->object;
    uintptr_t y = (uintptr_t)((const struct wg_local *)b)->object;
    return x < y ? -1 : x > y;
}

struct wg_local *wg_locals_lookup(const struct wg_instrument *in, LLVMValueRef object) {
    struct wg_local key = {.object = object};
    return in->local_count > 0 ? bsearch(&key, in->locals, in->local_count, sizeof key, by_object)
                               : NULL;
}

/* A constant stretch of a simple local that a memcpy or memset covers; NULL when it is none. */
static struct wg_local *covered(const struct wg_instrument *in, LLVMValueRef call,
                                unsigned operand) {
    int64_t offset = 0;
    LLVMValueRef pointer = LLVMGetOperand(call, operand);
    while (LLVMIsAGetElementPtrInst(pointer)) {
        int64_t step = 0;
        if (!wg_ir_gep_constant(in->ir, pointer, &step)) {
            return NULL;
        }
        offset += step;
        pointer = LLVMGetOperand(pointer, 0);
    }
    struct wg_local *local = wg_locals_lookup(in, pointer);
    LLVMValueRef length = LLVMIsAConstantInt(LLVMGetOperand(call, 2));
    if (!local || !length || offset < 0 || (uint64_t)offset > local->bytes ||
        LLVMConstIntGetZExtValue(length) > local->bytes - (uint64_t)offset) {
        return NULL;
    }
    return local;
}

static bool is_constant_data(LLVMValueRef pointer) {
    LLVMValueRef global = LLVMIsAGlobalVariable(pointer);
    return global && LLVMIsGlobalConstant(global) && !LLVMIsExternallyInitialized(global);
}

enum { MOST_WORDS = 64 };

/* Memory that is no local variable, as the other side of a copy that a hook can do in one piece. */
static bool is_memory(const struct wg_instrument *in, LLVMValueRef call, unsigned operand) {
    LLVMValueRef length = LLVMIsAConstantInt(LLVMGetOperand(call, 2));
    return length && LLVMConstIntGetZExtValue(length) <= UINT64_C(4) * MOST_WORDS &&
           !wg_locals_lookup(in, wg_local_root(LLVMGetOperand(call, operand)));
}

static void judge_copy(const struct wg_instrument *in, struct wg_local *local, LLVMValueRef call) {
    bool to = covered(in, call, 0) != NULL;
    bool from = covered(in, call, 1) != NULL;
    bool from_memory = to && is_memory(in, call, 1);
    local->is_simple &= (to && from) || from_memory || (from && is_memory(in, call, 0));
    /* What comes from memory may be undefined in part. */
    local->is_tracked |=
        from_memory && !is_constant_data(LLVMGetOperand(call, 1)) && covered(in, call, 0) == local;
}

static void judge_call(const struct wg_instrument *in, struct wg_local *local, LLVMValueRef call) {
    LLVMValueRef callee = wg_ir_callee(call);
    if (callee == in->mark) {
        local->is_tracked = true;
    } else if (callee == in->keep || wg_ir_is_intrinsic(call, "llvm.lifetime.")) {
        return;
    } else if (wg_is_fill(call)) {
        local->is_simple &= covered(in, call, 0) != NULL;
    } else if (wg_is_copy(call)) {
        judge_copy(in, local, call);
    } else {
        local->is_simple = false;
        local->is_exposed |= callee && LLVMIsDeclaration(callee) && LLVMGetIntrinsicID(callee) == 0;
    }
}

/* Looks at everything that is done with an address in the variable. */
static void judge_uses(const struct wg_instrument *in, struct wg_local *local, LLVMValueRef value,
                       int depth) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user) && depth < 64) {
            judge_uses(in, local, user, depth + 1);
        } else if (LLVMIsALoadInst(user)) {
            local->is_simple &= LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic;
        } else if (LLVMIsAStoreInst(user)) {
            local->is_simple &= LLVMGetOperand(user, 0) != value &&
                                LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic;
        } else if (LLVMIsACallInst(user)) {
            judge_call(in, local, user);
        } else if (!LLVMIsAICmpInst(user)) {
            local->is_simple = false;
        }
    }
}

/* Copies tie variables together: a partner that is not simple makes the other not simple, and one
 * that may be undefined makes the other worth tracking. */
static void spread(struct wg_instrument *in, LLVMValueRef *code, size_t count) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count; i++) {
            struct wg_local *to = wg_is_copy(code[i]) ? covered(in, code[i], 0) : NULL;
            struct wg_local *from = wg_is_copy(code[i]) ? covered(in, code[i], 1) : NULL;
            if (!to || !from) {
                continue;
            }
            if (to->is_simple != from->is_simple) {
                to->is_simple = from->is_simple = false;
                changed = true;
            }
            if (from->is_tracked && !to->is_tracked) {
                to->is_tracked = changed = true;
            }
        }
    }
}

static void add_local(struct wg_instrument *in, struct wg_local local) {
    size_t n = in->local_count;
    if ((n & (n - 1)) == 0) {
        in->locals = wg_realloc(in->locals, n > 0 ? n * 2 : 1, sizeof *in->locals);
    }
    in->locals[in->local_count++] = local;
}

static void add_flags(const struct wg_instrument *in, struct wg_local *local) {
    const struct wg_ir *ir = in->ir;
    LLVMPositionBuilderBefore(ir->builder, local->object);
    LLVMSetCurrentDebugLocation2(ir->builder, NULL);
    local->flags = LLVMBuildAlloca(ir->builder, LLVMArrayType2(ir->i8, local->bytes), "");
    LLVMSetAlignment(local->flags, LLVMGetAlignment(local->object));
    wg_ir_at_entry(ir, in->function);
    LLVMBuildMemSet(ir->builder, local->flags, LLVMConstInt(ir->i8, 0xff, false),
                    wg_ir_u64(ir, local->bytes), 1);
}

void wg_locals_find(struct wg_instrument *in) {
    const struct wg_ir *ir = in->ir;
    size_t count = 0;
    LLVMValueRef *code = wg_ir_instructions(in->function, &count);
    in->local_count = 0;
    for (unsigned a = 0; a < LLVMCountParams(in->function); a++) {
        LLVMTypeRef type = wg_ir_byval(in->function, a);
        if (in->kernel && in->kernel->args[a].by_reference && !type) {
            uint64_t bytes = in->kernel->params[in->kernel->args[a].param].bytes;
            type = LLVMArrayType2(ir->i8, bytes);
        }
        if (type) {
            add_local(in, (struct wg_local){.object = LLVMGetParam(in->function, a), .type = type});
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (wg_is_static_slot(code[i])) {
            add_local(in,
                      (struct wg_local){.object = code[i], .type = LLVMGetAllocatedType(code[i])});
        }
    }
    if (in->local_count > 0) {
        qsort(in->locals, in->local_count, sizeof *in->locals, by_object);
    }
    for (size_t i = 0; i < count; i++) {
        if (wg_ir_is_intrinsic(code[i], "llvm.dbg.declare")) {
            LLVMValueRef value = wg_debug_declared_value(code[i]);
            struct wg_local *local = value ? wg_locals_lookup(in, value) : NULL;
            if (local) {
                local->name = wg_debug_declared_name(code[i]);
            }
        }
    }
    for (size_t l = 0; l < in->local_count; l++) {
        in->locals[l].bytes = LLVMABISizeOfType(ir->layout, in->locals[l].type);
        in->locals[l].is_simple = true;
    }
    for (size_t l = 0; l < in->local_count; l++) {
        judge_uses(in, &in->locals[l], in->locals[l].object, 0);
    }
    spread(in, code, count);
    free((void *)code);
}

void wg_locals_add_flags(struct wg_instrument *in) {
    for (size_t l = 0; l < in->local_count; l++) {
        struct wg_local *local = &in->locals[l];
        if (local->is_simple && local->is_tracked && LLVMIsAAllocaInst(local->object)) {
            add_flags(in, local);
        }
    }
}

/* ---- Judging code --------------------------------------------------------------------------- */

static LLVMValueRef at_offset(const struct wg_ir *ir, LLVMValueRef object, LLVMValueRef offset) {
    return LLVMBuildGEP2(ir->builder, ir->i8, object, &offset, 1, "");
}

/* Offset of a pointer in its variable, as a value; a constant folds. */
static LLVMValueRef offset_of(const struct wg_ir *ir, LLVMValueRef pointer) {
    LLVMValueRef sum = wg_ir_u64(ir, 0);
    while (LLVMIsAGetElementPtrInst(pointer)) {
        sum = LLVMBuildAdd(ir->builder, sum, wg_ir_gep_offset(ir, pointer), "");
        pointer = LLVMGetOperand(pointer, 0);
    }
    return sum;
}

struct judged {
    LLVMValueRef offset, safe, ok; /* ok NULL: certainly inside */
    LLVMValueRef site;
};

static struct judged judge_offset(const struct wg_instrument *in, const struct wg_local *local,
                                  LLVMValueRef instruction, LLVMValueRef pointer, uint64_t bytes) {
    const struct wg_ir *ir = in->ir;
    bool is_store = LLVMIsAStoreInst(instruction) != NULL;
    struct judged out = {.offset = offset_of(ir, pointer)};
    out.safe = out.offset;
    bool known = LLVMIsAConstantInt(out.offset) && bytes <= local->bytes &&
                 LLVMConstIntGetZExtValue(out.offset) <= local->bytes - bytes;
    if (known && !local->flags) {
        return out;
    }
    struct wg_source_place place = wg_debug_place(ir, instruction);
    struct wg_site_object object = wg_local_object(ir, local);
    wg_site_dump(is_store ? "write-local" : "read-local", place, object);
    out.site = wg_site_make(ir, place, object);
    if (known) {
        return out;
    }
    out.ok = bytes <= local->bytes ? LLVMBuildICmp(ir->builder, LLVMIntULE, out.offset,
                                                   wg_ir_u64(ir, local->bytes - bytes), "")
                                   : LLVMConstInt(ir->i1, 0, false);
    LLVMValueRef args[5] = {LLVMBuildNot(ir->builder, out.ok, ""), out.offset, wg_ir_u64(ir, bytes),
                            wg_ir_u32(ir, is_store), out.site};
    wg_ir_call(ir, in->report_bounds, args, 5);
    out.safe = LLVMBuildSelect(ir->builder, out.ok, out.offset, wg_ir_u64(ir, 0), "");
    return out;
}

enum { CONVERSIONS = 6 };

/* Handed to a shuffle and to nothing else: every lane has to call it, also those whose value nobody
 * takes. */
static bool is_only_shuffled(LLVMValueRef value, int conversions) {
    LLVMUseRef use = LLVMGetFirstUse(value);
    bool is_used = use != NULL;
    for (; use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMValueRef callee = LLVMIsACallInst(user) ? wg_ir_callee(user) : NULL;
        bool is_shuffle = callee != NULL && strcmp(wg_ir_name(callee), WG_PRIMITIVE_SHUFFLE) == 0 &&
                          LLVMGetOperand(user, WG_SHUFFLE_VALUE) == value;
        bool is_widened = LLVMIsACastInst(user) || LLVMGetInstructionOpcode(user) == LLVMOr;
        bool is_converted =
            is_widened && conversions > 0 && is_only_shuffled(user, conversions - 1);
        if (!is_shuffle && !is_converted) {
            return false;
        }
    }
    return is_used;
}

static void judge_load(const struct wg_instrument *in, const struct wg_local *local,
                       LLVMValueRef load, const struct judged *judged, LLVMTypeRef bits,
                       uint64_t bytes) {
    const struct wg_ir *ir = in->ir;
    /* A bit-field's neighbours come with it. */
    if (wg_ir_has_prefix(load, "bf.load") || is_only_shuffled(load, CONVERSIONS)) {
        return;
    }
    LLVMValueRef flags =
        LLVMBuildLoad2(ir->builder, bits, at_offset(ir, local->flags, judged->safe), "");
    LLVMSetAlignment(flags, 1);
    /* A vector may have members that nobody wants. */
    bool is_vector = LLVMGetTypeKind(LLVMTypeOf(load)) == LLVMVectorTypeKind;
    LLVMValueRef bad =
        is_vector ? LLVMBuildICmp(ir->builder, LLVMIntEQ, flags, LLVMConstNull(bits), "")
                  : LLVMBuildICmp(ir->builder, LLVMIntNE, flags, LLVMConstAllOnes(bits), "");
    if (judged->ok) {
        bad = LLVMBuildAnd(ir->builder, bad, judged->ok, "");
    }
    LLVMValueRef args[4] = {bad, judged->offset, wg_ir_u64(ir, bytes), judged->site};
    wg_ir_call(ir, in->report_undefined, args, 4);
}

/* A stray store writes back what is at offset 0, so that no branch is needed here. */
static void guard_store(const struct wg_ir *ir, LLVMValueRef store, LLVMValueRef address,
                        LLVMValueRef ok) {
    LLVMValueRef value = LLVMGetOperand(store, 0);
    LLVMValueRef old = LLVMBuildLoad2(ir->builder, LLVMTypeOf(value), address, "");
    LLVMSetAlignment(old, 1);
    LLVMSetOperand(store, 0, LLVMBuildSelect(ir->builder, ok, value, old, ""));
}

static void set_flags(const struct wg_ir *ir, const struct wg_local *local,
                      const struct judged *judged, LLVMTypeRef bits) {
    LLVMValueRef address = at_offset(ir, local->flags, judged->safe);
    LLVMValueRef flags = LLVMConstAllOnes(bits);
    if (judged->ok) {
        LLVMValueRef old = LLVMBuildLoad2(ir->builder, bits, address, "");
        LLVMSetAlignment(old, 1);
        flags = LLVMBuildSelect(ir->builder, judged->ok, flags, old, "");
    }
    LLVMSetAlignment(LLVMBuildStore(ir->builder, flags, address), 1);
}

void wg_locals_access(const struct wg_instrument *in, const struct wg_local *local,
                      LLVMValueRef instruction) {
    const struct wg_ir *ir = in->ir;
    bool is_store = LLVMIsAStoreInst(instruction) != NULL;
    unsigned operand = is_store ? 1 : 0;
    LLVMValueRef pointer = LLVMGetOperand(instruction, operand);
    LLVMTypeRef type = LLVMTypeOf(is_store ? LLVMGetOperand(instruction, 0) : instruction);
    uint64_t bytes = LLVMStoreSizeOfType(ir->layout, type);
    LLVMTypeRef bits = LLVMIntTypeInContext(ir->context, (unsigned)bytes * 8);
    wg_ir_before(ir, instruction);
    struct judged judged = judge_offset(in, local, instruction, pointer, bytes);
    if (judged.ok) {
        LLVMValueRef address = at_offset(ir, local->object, judged.safe);
        LLVMSetOperand(instruction, operand, address);
        if (is_store) {
            guard_store(ir, instruction, address, judged.ok);
        }
    }
    if (local->flags && is_store) {
        set_flags(ir, local, &judged, bits);
    } else if (local->flags) {
        judge_load(in, local, instruction, &judged, bits, bytes);
    }
}

/* The flags at the place where a call's operand points. */
static LLVMValueRef flags_at(const struct wg_ir *ir, const struct wg_local *local,
                             LLVMValueRef pointer) {
    return at_offset(ir, local->flags, offset_of(ir, pointer));
}

void wg_locals_copy(const struct wg_instrument *in, LLVMValueRef call) {
    const struct wg_ir *ir = in->ir;
    const struct wg_local *to = covered(in, call, 0);
    const struct wg_local *from = wg_is_copy(call) ? covered(in, call, 1) : NULL;
    if (!to || !to->flags) {
        return;
    }
    wg_ir_before(ir, call);
    LLVMValueRef flags = flags_at(ir, to, LLVMGetOperand(call, 0));
    LLVMValueRef length = LLVMGetOperand(call, 2);
    if (from && from->flags) {
        LLVMBuildMemMove(ir->builder, flags, 1, flags_at(ir, from, LLVMGetOperand(call, 1)), 1,
                         length);
    } else {
        LLVMBuildMemSet(ir->builder, flags, LLVMConstInt(ir->i8, 0xff, false), length, 1);
    }
}

/* Bit i of words becomes the flags of word i of what the call copies to. */
void wg_locals_take_words(const struct wg_instrument *in, LLVMValueRef call, LLVMValueRef words) {
    const struct wg_ir *ir = in->ir;
    const struct wg_local *to = covered(in, call, 0);
    uint64_t bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    LLVMValueRef start = offset_of(ir, LLVMGetOperand(call, 0));
    /* analyzer: only copies that end in a covered local come here. */
    for (uint64_t at = 0; at < bytes && to->flags; at += 4) {
        unsigned size = bytes - at < 4 ? (unsigned)(bytes - at) : 4;
        LLVMTypeRef type = LLVMIntTypeInContext(ir->context, size * 8);
        LLVMValueRef bit = LLVMBuildLShr(ir->builder, words, wg_ir_u64(ir, at / 4), "");
        bit = LLVMBuildTrunc(ir->builder, bit, ir->i1, "");
        LLVMValueRef flags = LLVMBuildSExt(ir->builder, bit, type, "");
        LLVMValueRef offset = LLVMBuildAdd(ir->builder, start, wg_ir_u64(ir, at), "");
        LLVMSetAlignment(LLVMBuildStore(ir->builder, flags, at_offset(ir, to->flags, offset)), 1);
    }
}

LLVMValueRef wg_locals_give_words(const struct wg_instrument *in, LLVMValueRef call) {
    const struct wg_ir *ir = in->ir;
    const struct wg_local *from = covered(in, call, 1);
    uint64_t bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    /* analyzer: only copies that begin in a covered local come here. */
    LLVMValueRef words = wg_ir_u64(ir, from->flags ? 0 : UINT64_MAX);
    LLVMValueRef start = offset_of(ir, LLVMGetOperand(call, 1));
    for (uint64_t at = 0; at < bytes && from->flags; at += 4) {
        unsigned size = bytes - at < 4 ? (unsigned)(bytes - at) : 4;
        LLVMTypeRef type = LLVMIntTypeInContext(ir->context, size * 8);
        LLVMValueRef offset = LLVMBuildAdd(ir->builder, start, wg_ir_u64(ir, at), "");
        LLVMValueRef flags =
            LLVMBuildLoad2(ir->builder, type, at_offset(ir, from->flags, offset), "");
        LLVMSetAlignment(flags, 1);
        LLVMValueRef any = LLVMBuildICmp(ir->builder, LLVMIntNE, flags, LLVMConstNull(type), "");
        any = LLVMBuildZExt(ir->builder, any, ir->i64, "");
        any = LLVMBuildShl(ir->builder, any, wg_ir_u64(ir, at / 4), "");
        words = LLVMBuildOr(ir->builder, words, any, "");
    }
    return words;
}

static void finish_mark(const struct wg_instrument *in, LLVMValueRef mark) {
    const struct wg_ir *ir = in->ir;
    LLVMValueRef object = LLVMGetOperand(mark, 0);
    struct wg_local *local = wg_locals_lookup(in, object);
    if (!local) {
        return;
    }
    wg_ir_before(ir, mark);
    LLVMValueRef bytes = wg_ir_u64(ir, local->bytes);
    if (local->flags) {
        LLVMBuildMemSet(ir->builder, local->flags, LLVMConstNull(ir->i8), bytes, 1);
    } else if (!local->is_exposed) {
        LLVMValueRef site = wg_site_make(ir, wg_debug_place(ir, mark), wg_local_object(ir, local));
        wg_ir_call(ir, in->announce, (LLVMValueRef[]){object, bytes, site}, 3);
    }
}

void wg_locals_finish(const struct wg_instrument *in) {
    size_t count = 0;
    LLVMValueRef *code = wg_ir_instructions(in->function, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef callee = wg_ir_callee(code[i]);
        if (callee && callee == in->mark) {
            finish_mark(in, code[i]);
        }
        if (callee && (callee == in->mark || callee == in->keep)) {
            LLVMInstructionEraseFromParent(code[i]);
        }
    }
    free((void *)code);
}
