#include "sandbox/platform/cpu/compiler/check.h"

#include <stdlib.h>

#include "grader/base/buf.h"
#include "sandbox/platform/cpu/compiler/check_internal.h"
#include "sandbox/platform/cpu/compiler/locks.h"

/* ---- Hooks ---------------------------------------------------------------------------------- */

static void declare_hooks(struct wg_instrument *in) {
    const struct wg_ir *ir = in->ir;
    LLVMTypeRef p = ir->ptr, n = ir->i64, v = ir->void_type;
    in->read = wg_ir_declare(ir, "wg_check_read", p, (LLVMTypeRef[]){p, p, n, n, p}, 5);
    in->write = wg_ir_declare(ir, "wg_check_write", p, (LLVMTypeRef[]){p, p, n, n, n, n, p}, 7);
    in->atomic = wg_ir_declare(ir, "wg_check_atomic", p, (LLVMTypeRef[]){p, p, n, n, p}, 5);
    in->fence = wg_ir_declare(ir, "wg_check_fence", v, NULL, 0);
    in->copy = wg_ir_declare(ir, "wg_check_copy", v, (LLVMTypeRef[]){p, p, p, p, n, p, p}, 7);
    in->fill = wg_ir_declare(ir, "wg_check_fill", v, (LLVMTypeRef[]){p, p, ir->i32, n, p}, 5);
    in->copy_in = wg_ir_declare(ir, "wg_check_copy_in", p, (LLVMTypeRef[]){p, p, n, n, p, p}, 6);
    in->copy_out =
        wg_ir_declare(ir, "wg_check_copy_out", p, (LLVMTypeRef[]){p, p, n, n, n, n, n, p}, 8);
    in->announce = wg_ir_declare(ir, "wg_check_local", v, (LLVMTypeRef[]){p, n, p}, 3);
    in->mark = wg_ir_declare(ir, "wg.mark", v, &p, 1);
    in->keep = wg_ir_declare(ir, "wg.keep", v, &p, 1);
}

/* void report(i1 bad, args...) { if (bad) hook(args...); } Always inlined: llvm-c cannot split a
 * basic block, the inliner can. */
static LLVMValueRef make_report(const struct wg_ir *ir, const char *name, const char *hook_name,
                                LLVMTypeRef *params, unsigned count) {
    LLVMValueRef hook = wg_ir_declare(ir, hook_name, ir->void_type, params, count);
    wg_ir_add_attribute(ir, hook, "cold");
    LLVMTypeRef types[8] = {ir->i1};
    for (unsigned i = 0; i < count; i++) {
        types[i + 1] = params[i];
    }
    LLVMTypeRef type = LLVMFunctionType(ir->void_type, types, count + 1, false);
    LLVMValueRef report = LLVMAddFunction(ir->module, name, type);
    LLVMSetLinkage(report, LLVMInternalLinkage);
    wg_ir_add_attribute(ir, report, "alwaysinline");
    wg_ir_add_attribute(ir, report, "nounwind");
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(ir->context, report, "entry");
    LLVMBasicBlockRef say = LLVMAppendBasicBlockInContext(ir->context, report, "say");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(ir->context, report, "done");
    LLVMSetCurrentDebugLocation2(ir->builder, NULL);
    LLVMPositionBuilderAtEnd(ir->builder, entry);
    LLVMBuildCondBr(ir->builder, LLVMGetParam(report, 0), say, done);
    LLVMPositionBuilderAtEnd(ir->builder, say);
    LLVMValueRef args[8];
    for (unsigned i = 0; i < count; i++) {
        args[i] = LLVMGetParam(report, i + 1);
    }
    wg_ir_call(ir, hook, args, count);
    LLVMBuildBr(ir->builder, done);
    LLVMPositionBuilderAtEnd(ir->builder, done);
    LLVMBuildRetVoid(ir->builder);
    return report;
}

static void make_reports(struct wg_instrument *in) {
    const struct wg_ir *ir = in->ir;
    in->report_bounds = make_report(ir, "wg.report.bounds", "wg_check_local_bounds",
                                    (LLVMTypeRef[]){ir->i64, ir->i64, ir->i32, ir->ptr}, 4);
    in->report_undefined = make_report(ir, "wg.report.undefined", "wg_check_local_undefined",
                                       (LLVMTypeRef[]){ir->i64, ir->i64, ir->ptr}, 3);
}

/* ---- Accesses ------------------------------------------------------------------------------- */

static LLVMValueRef base_value(const struct wg_instrument *in, const struct wg_base *base) {
    return base->value ? base->value : wg_ir_null(in->ir);
}

static LLVMValueRef make_site(const struct wg_instrument *in, const char *what,
                              LLVMValueRef instruction, const struct wg_base *base, uint32_t flags,
                              uint64_t bytes) {
    struct wg_source_place place = wg_debug_place(in->ir, instruction);
    struct wg_site_object object = base->object;
    object.kind |= flags;
    /* Dynamic shared memory is often declared as bytes and used as something else. */
    if (object.element_bytes == 0 || base->object.kind == WG_OBJECT_DYNAMIC) {
        object.element_bytes = (uint32_t)bytes;
    }
    wg_site_dump(what, place, object);
    return wg_site_make(in->ir, place, object);
}

/* The stored value as two 64-bit halves, for telling writes of the same value apart. */
static void value_bits(const struct wg_ir *ir, LLVMValueRef value, uint64_t bytes,
                       LLVMValueRef out[2]) {
    LLVMBuilderRef b = ir->builder;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    out[0] = out[1] = wg_ir_u64(ir, 0);
    if (kind == LLVMPointerTypeKind) {
        out[0] = LLVMBuildPtrToInt(b, value, ir->i64, "");
        return;
    }
    bool is_aggregate = kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
    bool of_pointers = kind == LLVMVectorTypeKind &&
                       LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind;
    if (is_aggregate || of_pointers) {
        return;
    }
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(ir->layout, type);
    value = LLVMBuildBitCast(b, value, LLVMIntTypeInContext(ir->context, bits), "");
    if (bytes <= 8) {
        out[0] = LLVMBuildIntCast2(b, value, ir->i64, false, "");
        return;
    }
    LLVMTypeRef wide = LLVMIntTypeInContext(ir->context, 128);
    value = LLVMBuildIntCast2(b, value, wide, false, "");
    out[0] = LLVMBuildTrunc(b, value, ir->i64, "");
    LLVMValueRef high = LLVMBuildLShr(b, value, LLVMConstInt(wide, 64, false), "");
    out[1] = LLVMBuildTrunc(b, high, ir->i64, "");
}

static uint32_t volatile_flag(LLVMValueRef instruction) {
    return LLVMGetVolatile(instruction) ? WG_SITE_VOLATILE : 0;
}

/* Reading initialized constant data at a constant place cannot go wrong. */
static bool is_harmless(const struct wg_instrument *in, LLVMValueRef pointer,
                        const struct wg_base *base, uint64_t bytes) {
    int64_t offset = 0;
    if (base->object.kind != WG_OBJECT_CONSTANT || !LLVMIsGlobalConstant(base->value)) {
        return false;
    }
    while (wg_ir_is_gep(pointer)) {
        int64_t step = 0;
        if (!wg_ir_gep_constant(in->ir, pointer, &step)) {
            return false;
        }
        offset += step;
        pointer = LLVMGetOperand(pointer, 0);
    }
    return pointer == base->value && offset >= 0 && bytes <= base->object.bytes &&
           (uint64_t)offset <= base->object.bytes - bytes;
}

static bool is_release(LLVMAtomicOrdering ordering) {
    return ordering == LLVMAtomicOrderingRelease || ordering == LLVMAtomicOrderingAcquireRelease ||
           ordering == LLVMAtomicOrderingSequentiallyConsistent;
}

/* A fence, or what an atomic that releases does before anything else. */
static void instrument_fence(const struct wg_instrument *in, LLVMValueRef before,
                             LLVMAtomicOrdering ordering) {
    if (is_release(ordering) && !LLVMIsAtomicSingleThread(before)) {
        wg_ir_before(in->ir, before);
        wg_ir_call(in->ir, in->fence, NULL, 0);
    }
}

static void instrument_load(const struct wg_instrument *in, LLVMValueRef load) {
    const struct wg_ir *ir = in->ir;
    LLVMValueRef pointer = LLVMGetOperand(load, 0);
    struct wg_base base = wg_access_base(in, pointer);
    uint64_t bytes = LLVMStoreSizeOfType(ir->layout, LLVMTypeOf(load));
    bool is_atomic = LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic;
    if (base.local && base.local->is_simple) {
        wg_locals_access(in, base.local, load);
        return;
    }
    if (is_harmless(in, pointer, &base, bytes) || wg_is_managed_pointer(in, pointer)) {
        return;
    }
    uint32_t flags = volatile_flag(load) | (is_atomic ? WG_SITE_NO_WRITE : 0);
    wg_ir_before(ir, load);
    LLVMValueRef args[5] = {
        pointer, base_value(in, &base), wg_ir_u64(ir, bytes), wg_ir_u64(ir, LLVMGetAlignment(load)),
        make_site(in, is_atomic ? "atomic" : "read", load, &base, flags, bytes)};
    LLVMSetOperand(load, 0, wg_ir_call(ir, is_atomic ? in->atomic : in->read, args, 5));
}

static void instrument_store(const struct wg_instrument *in, LLVMValueRef store) {
    const struct wg_ir *ir = in->ir;
    LLVMValueRef value = LLVMGetOperand(store, 0);
    LLVMValueRef pointer = LLVMGetOperand(store, 1);
    struct wg_base base = wg_access_base(in, pointer);
    uint64_t bytes = LLVMStoreSizeOfType(ir->layout, LLVMTypeOf(value));
    if (base.local && base.local->is_simple) {
        wg_locals_access(in, base.local, store);
        return;
    }
    wg_ir_before(ir, store);
    LLVMValueRef align = wg_ir_u64(ir, LLVMGetAlignment(store));
    if (LLVMGetOrdering(store) != LLVMAtomicOrderingNotAtomic) {
        instrument_fence(in, store, LLVMGetOrdering(store));
        uint32_t flags = volatile_flag(store) | WG_SITE_NO_READ | WG_SITE_RESULT_UNUSED;
        LLVMValueRef args[5] = {pointer, base_value(in, &base), wg_ir_u64(ir, bytes), align,
                                make_site(in, "atomic", store, &base, flags, bytes)};
        LLVMSetOperand(store, 1, wg_ir_call(ir, in->atomic, args, 5));
        return;
    }
    LLVMValueRef bits[2];
    value_bits(ir, value, bytes, bits);
    LLVMValueRef args[7] = {pointer,
                            base_value(in, &base),
                            wg_ir_u64(ir, bytes),
                            align,
                            bits[0],
                            bits[1],
                            make_site(in, "write", store, &base, volatile_flag(store), bytes)};
    LLVMSetOperand(store, 1, wg_ir_call(ir, in->write, args, 7));
}

enum { DETOURS = 6 };

/* Nothing comes of it but copies and conversions that nothing comes of. */
static bool is_unused(LLVMValueRef value, int detours) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool is_copy = LLVMIsAPHINode(user) || LLVMIsACastInst(user);
        if (!is_copy || detours == 0 || !is_unused(user, detours - 1)) {
            return false;
        }
    }
    return true;
}

/* clang itself branches on the success of an exchange, to keep the old value after a failure. */
static bool exchange_is_unused(LLVMValueRef exchange) {
    for (LLVMUseRef use = LLVMGetFirstUse(exchange); use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef part = LLVMGetUser(use);
        if (!LLVMIsAExtractValueInst(part)) {
            return false;
        }
        for (LLVMUseRef of = LLVMGetFirstUse(part); of != NULL; of = LLVMGetNextUse(of)) {
            LLVMValueRef user = LLVMGetUser(of);
            bool is_copy = LLVMIsAPHINode(user) || LLVMIsACastInst(user);
            if (!LLVMIsABranchInst(user) && !(is_copy && is_unused(user, DETOURS))) {
                return false;
            }
        }
    }
    return true;
}

static void instrument_atomic(const struct wg_instrument *in, LLVMValueRef atomic) {
    const struct wg_ir *ir = in->ir;
    LLVMValueRef pointer = LLVMGetOperand(atomic, 0);
    struct wg_base base = wg_access_base(in, pointer);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(atomic, 1));
    uint64_t bytes = LLVMStoreSizeOfType(ir->layout, type);
    bool unused =
        LLVMIsAAtomicCmpXchgInst(atomic) ? exchange_is_unused(atomic) : !LLVMGetFirstUse(atomic);
    bool exchange =
        LLVMIsAAtomicRMWInst(atomic) && LLVMGetAtomicRMWBinOp(atomic) == LLVMAtomicRMWBinOpXchg;
    uint32_t flags = volatile_flag(atomic) | (unused ? WG_SITE_RESULT_UNUSED : 0) |
                     (unused && exchange ? WG_SITE_NO_READ : 0);
    instrument_fence(in, atomic,
                     LLVMIsAAtomicRMWInst(atomic) ? LLVMGetOrdering(atomic)
                                                  : LLVMGetCmpXchgSuccessOrdering(atomic));
    wg_ir_before(ir, atomic);
    LLVMValueRef args[5] = {pointer, base_value(in, &base), wg_ir_u64(ir, bytes),
                            wg_ir_u64(ir, LLVMGetAlignment(atomic)),
                            make_site(in, "atomic", atomic, &base, flags, bytes)};
    LLVMSetOperand(atomic, 0, wg_ir_call(ir, in->atomic, args, 5));
}

/* log2 of the alignment that a copy's operand is declared to have, in place for a site. */
static uint32_t copy_align(LLVMValueRef call, unsigned operand) {
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, operand + 1, kind);
    uint64_t align = attribute ? LLVMGetEnumAttributeValue(attribute) : 1;
    uint32_t log2 = 0;
    while (log2 < 12 && (UINT64_C(2) << log2) <= align) {
        log2++;
    }
    return log2 << WG_SITE_ALIGN_SHIFT;
}

/* A struct that arrives whole from elsewhere: what it brings is what is written of it. */
static void announce_whole(const struct wg_instrument *in, LLVMValueRef call,
                           const struct wg_base *to) {
    const struct wg_ir *ir = in->ir;
    LLVMValueRef length = LLVMIsAConstantInt(LLVMGetOperand(call, 2));
    if (to->local && !to->local->is_exposed && to->local->name && length &&
        LLVMGetOperand(call, 0) == to->local->object &&
        LLVMConstIntGetZExtValue(length) == to->local->bytes) {
        LLVMValueRef site = wg_site_make(ir, wg_debug_place(ir, call), to->object);
        wg_ir_call(ir, in->announce, (LLVMValueRef[]){to->local->object, length, site}, 3);
    }
}

static LLVMValueRef wide_length(const struct wg_ir *ir, LLVMValueRef call) {
    return LLVMBuildIntCast2(ir->builder, LLVMGetOperand(call, 2), ir->i64, false, "");
}

/* Where copy_in leaves its answer: one place a function. */
static LLVMValueRef words_slot(struct wg_instrument *in) {
    if (!in->words) {
        const struct wg_ir *ir = in->ir;
        LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(in->function);
        LLVMPositionBuilderBefore(ir->builder, LLVMGetFirstInstruction(entry));
        LLVMSetCurrentDebugLocation2(ir->builder, NULL);
        in->words = LLVMBuildAlloca(ir->builder, ir->i64, "wg.words");
    }
    return in->words;
}

/* A struct comes from memory into a simple local. The copy itself stays ordinary code. */
static void copy_in(struct wg_instrument *in, LLVMValueRef call, const struct wg_base *from) {
    const struct wg_ir *ir = in->ir;
    uint64_t bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    uint64_t align = UINT64_C(1) << (copy_align(call, 1) >> WG_SITE_ALIGN_SHIFT);
    LLVMValueRef words = words_slot(in);
    wg_ir_before(ir, call);
    LLVMValueRef args[6] = {
        LLVMGetOperand(call, 1),
        base_value(in, from),
        wg_ir_u64(ir, bytes),
        wg_ir_u64(ir, align),
        words,
        make_site(in, "copy-in", call, from, 0, bytes),
    };
    LLVMSetOperand(call, 1, wg_ir_call(ir, in->copy_in, args, 6));
    wg_locals_take_words(in, call, LLVMBuildLoad2(ir->builder, ir->i64, words, ""));
}

/* And back. The first 16 bytes go along, for telling writes of the same value apart. */
static void copy_out(const struct wg_instrument *in, LLVMValueRef call, const struct wg_base *to) {
    const struct wg_ir *ir = in->ir;
    uint64_t bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
    uint64_t align = UINT64_C(1) << (copy_align(call, 0) >> WG_SITE_ALIGN_SHIFT);
    wg_ir_before(ir, call);
    LLVMValueRef bits[2] = {wg_ir_u64(ir, 0), wg_ir_u64(ir, 0)};
    if (bytes > 0 && bytes <= 16) {
        LLVMTypeRef type = LLVMIntTypeInContext(ir->context, (unsigned)bytes * 8);
        LLVMValueRef value = LLVMBuildLoad2(ir->builder, type, LLVMGetOperand(call, 1), "");
        LLVMSetAlignment(value, 1);
        value_bits(ir, value, bytes, bits);
    }
    LLVMValueRef args[8] = {
        LLVMGetOperand(call, 0),
        base_value(in, to),
        wg_ir_u64(ir, bytes),
        wg_ir_u64(ir, align),
        bits[0],
        bits[1],
        wg_locals_give_words(in, call),
        make_site(in, "copy-out", call, to, 0, bytes),
    };
    LLVMSetOperand(call, 0, wg_ir_call(ir, in->copy_out, args, 8));
}

static void instrument_copy(struct wg_instrument *in, LLVMValueRef call) {
    const struct wg_ir *ir = in->ir;
    LLVMValueRef dst = LLVMGetOperand(call, 0);
    LLVMValueRef src = LLVMGetOperand(call, 1);
    struct wg_base to = wg_access_base(in, dst);
    struct wg_base from = wg_access_base(in, src);
    bool to_simple = to.local && to.local->is_simple;
    bool from_simple = from.local && from.local->is_simple;
    bool is_table =
        from.value && LLVMIsAGlobalVariable(from.value) && LLVMIsGlobalConstant(from.value);
    if (to_simple && (from_simple || is_table)) {
        wg_locals_copy(in, call);
        return;
    }
    if (to_simple) {
        copy_in(in, call, &from);
        return;
    }
    if (from_simple) {
        copy_out(in, call, &to);
        return;
    }
    LLVMValueRef length = LLVMIsAConstantInt(LLVMGetOperand(call, 2));
    uint64_t bytes = length ? LLVMConstIntGetZExtValue(length) : 0;
    wg_ir_before(ir, call);
    announce_whole(in, call, &to);
    LLVMValueRef args[7] = {
        dst,
        base_value(in, &to),
        src,
        base_value(in, &from),
        wide_length(ir, call),
        make_site(in, "copy-to", call, &to, copy_align(call, 0), bytes),
        make_site(in, "copy-from", call, &from, copy_align(call, 1), bytes),
    };
    wg_ir_call(ir, in->copy, args, 7);
    LLVMInstructionEraseFromParent(call);
}

static void instrument_fill(const struct wg_instrument *in, LLVMValueRef call) {
    const struct wg_ir *ir = in->ir;
    LLVMValueRef dst = LLVMGetOperand(call, 0);
    struct wg_base to = wg_access_base(in, dst);
    if (to.local && to.local->is_simple) {
        wg_locals_copy(in, call);
        return;
    }
    wg_ir_before(ir, call);
    LLVMValueRef args[5] = {
        dst,
        base_value(in, &to),
        LLVMBuildZExt(ir->builder, LLVMGetOperand(call, 1), ir->i32, ""),
        wide_length(ir, call),
        make_site(in, "fill", call, &to, 0, 0),
    };
    wg_ir_call(ir, in->fill, args, 5);
    LLVMInstructionEraseFromParent(call);
}

static void instrument(struct wg_instrument *in, LLVMValueRef instruction) {
    if (wg_is_auto_init(in->ir, instruction)) {
        return;
    }
    if (LLVMIsALoadInst(instruction)) {
        instrument_load(in, instruction);
    } else if (LLVMIsAStoreInst(instruction)) {
        instrument_store(in, instruction);
    } else if (LLVMIsAAtomicRMWInst(instruction) || LLVMIsAAtomicCmpXchgInst(instruction)) {
        instrument_atomic(in, instruction);
    } else if (LLVMIsAFenceInst(instruction)) {
        instrument_fence(in, instruction, LLVMGetOrdering(instruction));
    } else if (wg_is_copy(instruction)) {
        instrument_copy(in, instruction);
    } else if (wg_is_fill(instruction)) {
        instrument_fill(in, instruction);
    }
}

/* ---- Functions ------------------------------------------------------------------------------ */

static void enter(struct wg_instrument *in, LLVMValueRef function) {
    in->function = function;
    in->kernel = NULL;
    in->words = NULL;
    for (size_t k = 0; k < in->program->kernel_count; k++) {
        if (in->program->kernels[k].body == function) {
            in->kernel = &in->program->kernels[k];
        }
    }
}

static void instrument_function(struct wg_instrument *in) {
    struct wg_locks locks = wg_locks_find(in->function);
    wg_locals_find(in);
    size_t count = 0;
    LLVMValueRef *code = wg_ir_instructions(in->function, &count);
    wg_locals_add_flags(in); /* after the listing: this is our own code */
    for (size_t i = 0; i < count; i++) {
        instrument(in, code[i]);
    }
    free((void *)code);
    wg_locals_finish(in);
    wg_locks_tell(in->ir, in->function, &locks);
    wg_locks_done(&locks);
}

/* __restrict__ is a promise that a wrong kernel may break; here it must not steer the optimizer. */
static void drop_promises(LLVMValueRef function) {
    for (unsigned i = 1; i <= LLVMCountParams(function); i++) {
        wg_ir_drop_attribute(function, i, "noalias");
    }
}

enum wg_code wg_check_instrument(struct wg_program *program, const struct wg_shared *shared,
                                 struct wg_err *err) {
    struct wg_instrument in = {.program = program, .ir = &program->device, .shared = shared};
    size_t count = 0;
    LLVMValueRef *functions = wg_ir_functions(in.ir, &count);
    declare_hooks(&in);
    for (size_t f = 0; f < count; f++) {
        enter(&in, functions[f]);
        drop_promises(functions[f]);
        wg_locals_prepare(&in);
    }
    enum wg_code code = wg_ir_run(&program->device, "function(sroa<preserve-cfg>)", NULL, err);
    if (!code) {
        make_reports(&in);
        for (size_t f = 0; f < count; f++) {
            enter(&in, functions[f]);
            instrument_function(&in);
        }
        LLVMDeleteFunction(in.mark);
        LLVMDeleteFunction(in.keep);
    }
    free(in.locals);
    free((void *)functions);
    return code;
}
