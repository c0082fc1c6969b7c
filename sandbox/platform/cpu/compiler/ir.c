#include "sandbox/platform/cpu/compiler/ir.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Comdat.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"

enum wg_code wg_ir_load(const char *path, struct wg_ir *out, struct wg_err *err) {
    struct wg_ir ir = {0};
    LLVMMemoryBufferRef buffer = NULL;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
        enum wg_code code = wg_fail(err, WG_EINTERNAL, "read '%s': %s", path, message);
        LLVMDisposeMessage(message);
        return code;
    }
    ir.context = LLVMContextCreate();
    bool failed = LLVMParseBitcodeInContext2(ir.context, buffer, &ir.module) != 0;
    LLVMDisposeMemoryBuffer(buffer);
    if (failed) {
        LLVMContextDispose(ir.context);
        return wg_fail(err, WG_EINTERNAL, "'%s' is not the bitcode of this LLVM", path);
    }
    LLVMSetIsNewDbgInfoFormat(ir.module, false);
    ir.builder = LLVMCreateBuilderInContext(ir.context);
    ir.layout = LLVMGetModuleDataLayout(ir.module);
    ir.void_type = LLVMVoidTypeInContext(ir.context);
    ir.ptr = LLVMPointerTypeInContext(ir.context, 0);
    ir.i1 = LLVMInt1TypeInContext(ir.context);
    ir.i8 = LLVMInt8TypeInContext(ir.context);
    ir.i32 = LLVMInt32TypeInContext(ir.context);
    ir.i64 = LLVMInt64TypeInContext(ir.context);
    *out = ir;
    return WG_OK;
}

void wg_ir_done(struct wg_ir *ir) {
    if (ir->context) {
        LLVMDisposeBuilder(ir->builder);
        LLVMDisposeModule(ir->module);
        LLVMContextDispose(ir->context);
    }
    *ir = (struct wg_ir){0};
}

enum wg_code wg_ir_run(struct wg_ir *ir, const char *passes, LLVMTargetMachineRef machine,
                       struct wg_err *err) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPasses(ir->module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (failed) {
        char *message = LLVMGetErrorMessage(failed);
        enum wg_code code = wg_fail(err, WG_EINTERNAL, "passes '%s': %s", passes, message);
        LLVMDisposeErrorMessage(message);
        return code;
    }
    return WG_OK;
}

const char *wg_ir_name(LLVMValueRef value) {
    size_t length = 0;
    return LLVMGetValueName2(value, &length);
}

bool wg_ir_has_prefix(LLVMValueRef value, const char *prefix) {
    return strncmp(wg_ir_name(value), prefix, strlen(prefix)) == 0;
}

void wg_ir_rename(LLVMValueRef value, const char *name) {
    LLVMSetValueName2(value, name, strlen(name));
}

LLVMValueRef wg_ir_u32(const struct wg_ir *ir, uint32_t value) {
    return LLVMConstInt(ir->i32, value, false);
}

LLVMValueRef wg_ir_u64(const struct wg_ir *ir, uint64_t value) {
    return LLVMConstInt(ir->i64, value, false);
}

LLVMValueRef wg_ir_null(const struct wg_ir *ir) {
    return LLVMConstPointerNull(ir->ptr);
}

LLVMValueRef wg_ir_string(const struct wg_ir *ir, const char *text) {
    if (!text) {
        return wg_ir_null(ir);
    }
    /* Private symbols are never emitted, so their names can serve as an index of what is there. */
    char *name = wg_strf("wg.string.%s", text);
    LLVMValueRef global = LLVMGetNamedGlobal(ir->module, name);
    if (global) {
        free(name);
        return global;
    }
    LLVMValueRef bytes = LLVMConstStringInContext2(ir->context, text, strlen(text), false);
    global = LLVMAddGlobal(ir->module, LLVMTypeOf(bytes), name);
    free(name);
    LLVMSetInitializer(global, bytes);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, true);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(global, 1);
    return global;
}

LLVMValueRef wg_ir_declare(const struct wg_ir *ir, const char *name, LLVMTypeRef result,
                           LLVMTypeRef *params, unsigned count) {
    LLVMValueRef function = LLVMGetNamedFunction(ir->module, name);
    if (!function) {
        LLVMTypeRef type = LLVMFunctionType(result, params, count, false);
        function = LLVMAddFunction(ir->module, name, type);
        wg_ir_add_attribute(ir, function, "nounwind");
    }
    return function;
}

LLVMValueRef wg_ir_call(const struct wg_ir *ir, LLVMValueRef function, LLVMValueRef *args,
                        unsigned count) {
    return LLVMBuildCall2(ir->builder, LLVMGlobalGetValueType(function), function, args, count, "");
}

void wg_ir_make_internal(LLVMValueRef global) {
    LLVMSetComdat(global, NULL);
    LLVMSetVisibility(global, LLVMDefaultVisibility);
    LLVMSetLinkage(global, LLVMInternalLinkage);
}

void wg_ir_make_hidden(LLVMValueRef global, const char *name) {
    LLVMSetComdat(global, NULL);
    LLVMSetLinkage(global, LLVMExternalLinkage);
    LLVMSetVisibility(global, LLVMHiddenVisibility);
    wg_ir_rename(global, name);
}

static unsigned attribute_kind(const char *name) {
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

bool wg_ir_has_attribute(LLVMValueRef function, LLVMAttributeIndex index, const char *name) {
    return LLVMGetEnumAttributeAtIndex(function, index, attribute_kind(name)) != NULL;
}

void wg_ir_add_attribute(const struct wg_ir *ir, LLVMValueRef function, const char *name) {
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(ir->context, attribute_kind(name), 0));
}

void wg_ir_drop_attribute(LLVMValueRef function, LLVMAttributeIndex index, const char *name) {
    LLVMRemoveEnumAttributeAtIndex(function, index, attribute_kind(name));
}

LLVMTypeRef wg_ir_byval(LLVMValueRef function, unsigned param) {
    LLVMAttributeRef attribute =
        LLVMGetEnumAttributeAtIndex(function, param + 1, attribute_kind("byval"));
    return attribute ? LLVMGetTypeAttributeValue(attribute) : NULL;
}

LLVMValueRef wg_ir_callee(LLVMValueRef instruction) {
    if (!LLVMIsACallInst(instruction) && !LLVMIsAInvokeInst(instruction)) {
        return NULL;
    }
    return LLVMIsAFunction(LLVMGetCalledValue(instruction));
}

bool wg_ir_is_intrinsic(LLVMValueRef instruction, const char *prefix) {
    LLVMValueRef callee = wg_ir_callee(instruction);
    return callee && LLVMGetIntrinsicID(callee) != 0 && wg_ir_has_prefix(callee, prefix);
}

bool wg_ir_is_gep(LLVMValueRef value) {
    return LLVMIsAGetElementPtrInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

/* Walks the indices of a GEP: calls for each the stride of what it steps over, or the offset of the
 * struct member it picks. */
struct gep_step {
    LLVMValueRef index; /* NULL for a struct member */
    uint64_t bytes;
};

static unsigned gep_steps(const struct wg_ir *ir, LLVMValueRef gep, struct gep_step *out,
                          unsigned cap) {
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned operands = (unsigned)LLVMGetNumOperands(gep);
    unsigned count = 0;
    for (unsigned i = 1; i < operands && count < cap; i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        if (i == 1) {
            out[count++] = (struct gep_step){index, LLVMABISizeOfType(ir->layout, type)};
        } else if (kind == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            out[count++] = (struct gep_step){NULL, LLVMOffsetOfElement(ir->layout, type, member)};
            type = LLVMStructGetTypeAtIndex(type, member);
        } else {
            type = LLVMGetElementType(type);
            out[count++] = (struct gep_step){index, LLVMABISizeOfType(ir->layout, type)};
        }
    }
    return count;
}

bool wg_ir_gep_constant(const struct wg_ir *ir, LLVMValueRef gep, int64_t *offset) {
    struct gep_step steps[32];
    unsigned count = gep_steps(ir, gep, steps, 32);
    int64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        int64_t times = 1;
        if (steps[i].index) {
            if (!LLVMIsAConstantInt(steps[i].index)) {
                return false;
            }
            times = LLVMConstIntGetSExtValue(steps[i].index);
        }
        sum = (int64_t)((uint64_t)sum + (uint64_t)times * steps[i].bytes);
    }
    *offset = sum;
    return true;
}

LLVMValueRef wg_ir_gep_offset(const struct wg_ir *ir, LLVMValueRef gep) {
    struct gep_step steps[32];
    unsigned count = gep_steps(ir, gep, steps, 32);
    LLVMValueRef sum = wg_ir_u64(ir, 0);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef part = wg_ir_u64(ir, steps[i].bytes);
        if (steps[i].index) {
            LLVMValueRef wide = LLVMBuildIntCast2(ir->builder, steps[i].index, ir->i64, true, "");
            part = LLVMBuildMul(ir->builder, wide, part, "");
        }
        sum = LLVMBuildAdd(ir->builder, sum, part, "");
    }
    return sum;
}

/* A struct like float4, all of whose members have one type. */
static bool is_homogeneous(LLVMTypeRef type) {
    unsigned count = LLVMCountStructElementTypes(type);
    for (unsigned i = 1; i < count; i++) {
        if (LLVMStructGetTypeAtIndex(type, i) != LLVMStructGetTypeAtIndex(type, 0)) {
            return false;
        }
    }
    return count > 0;
}

uint32_t wg_ir_element_bytes(const struct wg_ir *ir, LLVMTypeRef type) {
    for (;;) {
        switch (LLVMGetTypeKind(type)) {
        case LLVMArrayTypeKind:
        case LLVMVectorTypeKind:
            type = LLVMGetElementType(type);
            break;
        case LLVMStructTypeKind:
            if (!is_homogeneous(type)) {
                return (uint32_t)LLVMABISizeOfType(ir->layout, type);
            }
            type = LLVMStructGetTypeAtIndex(type, 0);
            break;
        default:
            return LLVMTypeIsSized(type) ? (uint32_t)LLVMABISizeOfType(ir->layout, type) : 0;
        }
    }
}

LLVMValueRef *wg_ir_instructions(LLVMValueRef function, size_t *count) {
    struct wg_values list = {0};
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef in = LLVMGetFirstInstruction(block); in;
             in = LLVMGetNextInstruction(in)) {
            wg_values_add(&list, in);
        }
    }
    *count = list.count;
    return list.at;
}

LLVMValueRef *wg_ir_functions(const struct wg_ir *ir, size_t *count) {
    struct wg_values list = {0};
    for (LLVMValueRef fn = LLVMGetFirstFunction(ir->module); fn; fn = LLVMGetNextFunction(fn)) {
        if (!LLVMIsDeclaration(fn)) {
            wg_values_add(&list, fn);
        }
    }
    *count = list.count;
    return list.at;
}

void wg_ir_before(const struct wg_ir *ir, LLVMValueRef instruction) {
    LLVMPositionBuilderBefore(ir->builder, instruction);
}

void wg_ir_after(const struct wg_ir *ir, LLVMValueRef instruction) {
    LLVMValueRef next = LLVMGetNextInstruction(instruction);
    if (next) {
        LLVMPositionBuilderBefore(ir->builder, next);
    } else {
        LLVMPositionBuilderAtEnd(ir->builder, LLVMGetInstructionParent(instruction));
    }
}

/* Inlining and promotion leave stack slots behind other code. */
static void lift_slots(const struct wg_ir *ir, LLVMBasicBlockRef entry) {
    LLVMValueRef next = NULL;
    bool is_behind = false;
    for (LLVMValueRef in = LLVMGetFirstInstruction(entry); in; in = next) {
        next = LLVMGetNextInstruction(in);
        bool is_slot = LLVMIsAAllocaInst(in) && LLVMIsAConstantInt(LLVMGetOperand(in, 0));
        if (is_slot && is_behind) {
            LLVMInstructionRemoveFromParent(in);
            LLVMPositionBuilderBefore(ir->builder, LLVMGetFirstInstruction(entry));
            LLVMInsertIntoBuilder(ir->builder, in);
        }
        is_behind = is_behind || !is_slot;
    }
}

void wg_ir_at_entry(const struct wg_ir *ir, LLVMValueRef function) {
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    LLVMSetCurrentDebugLocation2(ir->builder, NULL);
    lift_slots(ir, entry);
    LLVMValueRef in = LLVMGetFirstInstruction(entry);
    while (in && LLVMIsAAllocaInst(in)) {
        in = LLVMGetNextInstruction(in);
    }
    LLVMPositionBuilder(ir->builder, entry, in);
}

void wg_values_add(struct wg_values *list, LLVMValueRef value) {
    if (list->count == list->cap) {
        list->cap = list->cap ? list->cap * 2 : 32;
        list->at = wg_realloc(list->at, list->cap, sizeof *list->at);
    }
    list->at[list->count++] = value;
}

bool wg_values_has(const struct wg_values *list, LLVMValueRef value) {
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i] == value) {
            return true;
        }
    }
    return false;
}

void wg_values_done(struct wg_values *list) {
    free(list->at);
    *list = (struct wg_values){0};
}
