/* run_thread(pack) calls the body once. run_block(pack) calls it in three nested loops over the
 * block's threads, x innermost, and after inlining every question for threadIdx is answered by the
 * loop counters, so that LLVM's vectorizer sees an ordinary loop. */
#include "sandbox/platform/cpu/compiler/entries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "sandbox/platform/cpu/abi.h"
#include "sandbox/platform/cpu/compiler/primitive.h"

static LLVMValueRef add_entry(const struct wg_ir *ir, const struct wg_kernel *kernel,
                              const char *suffix) {
    char *name = wg_strf("%s.%s", kernel->symbol, suffix);
    LLVMTypeRef type = LLVMFunctionType(ir->void_type, (LLVMTypeRef[]){ir->ptr}, 1, false);
    LLVMValueRef function = LLVMAddFunction(ir->module, name, type);
    free(name);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    wg_ir_add_attribute(ir, function, "nounwind");
    return function;
}

/* The kernel's arguments, read from the pack at the builder's position. */
static LLVMValueRef *unpack(const struct wg_ir *ir, const struct wg_kernel *kernel,
                            LLVMValueRef pack) {
    LLVMValueRef *args = wg_calloc(kernel->arg_count + 1, sizeof *args);
    for (unsigned a = 0; a < kernel->arg_count; a++) {
        const struct wg_kernel_arg *arg = &kernel->args[a];
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel->body, a));
        bool is_bool =
            LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 1;
        LLVMValueRef offset = wg_ir_u64(ir, kernel->params[arg->param].offset + arg->offset);
        args[a] = LLVMBuildGEP2(ir->builder, ir->i8, pack, &offset, 1, "");
        if (!arg->by_reference) {
            args[a] = LLVMBuildLoad2(ir->builder, is_bool ? ir->i8 : type, args[a], "");
            LLVMSetAlignment(args[a], 1);
        }
        if (is_bool) {
            args[a] = LLVMBuildTrunc(ir->builder, args[a], ir->i1, "");
        }
    }
    return args;
}

static void call_body(const struct wg_ir *ir, const struct wg_kernel *kernel, LLVMValueRef *args) {
    LLVMValueRef call = wg_ir_call(ir, kernel->body, args, (unsigned)kernel->arg_count);
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    for (unsigned a = 0; a < kernel->arg_count; a++) {
        LLVMTypeRef type = wg_ir_byval(kernel->body, a);
        if (type) {
            LLVMAddCallSiteAttribute(call, a + 1,
                                     LLVMCreateTypeAttribute(ir->context, byval, type));
        }
    }
}

static void note_dynamic_start(const struct wg_ir *ir, LLVMValueRef function, uint64_t offset) {
    LLVMValueRef self = wg_primitive_self(ir, function);
    wg_ir_after(ir, self);
    LLVMValueRef field = wg_ir_u64(ir, offsetof(struct wg_cpu_thread, dynamic_shared_offset));
    LLVMValueRef address = LLVMBuildGEP2(ir->builder, ir->i8, self, &field, 1, "");
    LLVMBuildStore(ir->builder, wg_ir_u32(ir, (uint32_t)offset), address);
}

static LLVMValueRef build_thread(const struct wg_ir *ir, const struct wg_kernel *kernel) {
    LLVMValueRef function = add_entry(ir, kernel, "thread");
    LLVMPositionBuilderAtEnd(ir->builder,
                             LLVMAppendBasicBlockInContext(ir->context, function, "entry"));
    LLVMSetCurrentDebugLocation2(ir->builder, NULL);
    LLVMValueRef *args = unpack(ir, kernel, LLVMGetParam(function, 0));
    call_body(ir, kernel, args);
    free(args);
    LLVMBuildRetVoid(ir->builder);
    return function;
}

/* One level of the nest, as a do-while loop: a block has at least one thread in each direction. */
struct level {
    LLVMBasicBlockRef head, latch;
    LLVMValueRef index, limit;
};

static const char *const axis_names[3] = {"x", "y", "z"};

static LLVMValueRef block_dim(const struct wg_ir *ir, int axis) {
    char name[32];
    snprintf(name, sizeof name, "__wg_block_dim_%s", axis_names[axis]);
    LLVMValueRef function = wg_ir_declare(ir, name, ir->i32, NULL, 0);
    return wg_ir_call(ir, function, NULL, 0);
}

static LLVMValueRef build_block(const struct wg_ir *ir, const struct wg_kernel *kernel,
                                LLVMValueRef index[3]) {
    LLVMValueRef function = add_entry(ir, kernel, "block");
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(ir->context, function, "entry");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(ir->context, function, "done");
    struct level levels[3] = {0};
    LLVMPositionBuilderAtEnd(ir->builder, entry);
    LLVMSetCurrentDebugLocation2(ir->builder, NULL);
    LLVMValueRef *args = unpack(ir, kernel, LLVMGetParam(function, 0));
    for (int axis = 2; axis >= 0; axis--) {
        levels[axis].limit = block_dim(ir, axis);
        levels[axis].head = LLVMAppendBasicBlockInContext(ir->context, function, "thread");
        levels[axis].latch = LLVMAppendBasicBlockInContext(ir->context, function, "next");
    }
    LLVMBasicBlockRef from = entry;
    for (int axis = 2; axis >= 0; axis--) {
        LLVMBuildBr(ir->builder, levels[axis].head);
        LLVMPositionBuilderAtEnd(ir->builder, levels[axis].head);
        levels[axis].index = LLVMBuildPhi(ir->builder, ir->i32, axis_names[axis]);
        LLVMAddIncoming(levels[axis].index, (LLVMValueRef[]){wg_ir_u32(ir, 0)}, &from, 1);
        from = levels[axis].head;
        index[axis] = levels[axis].index;
    }
    call_body(ir, kernel, args);
    free(args);
    for (int axis = 0; axis < 3; axis++) {
        struct level *level = &levels[axis];
        /* analyzer: all three are filled above; behind a variable index it remembers nothing. */
        LLVMBuildBr(ir->builder, level->latch);
        LLVMPositionBuilderAtEnd(ir->builder, level->latch);
        LLVMValueRef next = LLVMBuildNUWAdd(ir->builder, level->index, wg_ir_u32(ir, 1), "");
        LLVMAddIncoming(level->index, &next, &level->latch, 1);
        LLVMValueRef more = LLVMBuildICmp(ir->builder, LLVMIntULT, next, level->limit, "");
        LLVMBasicBlockRef out = LLVMAppendBasicBlockInContext(ir->context, function, "out");
        LLVMBuildCondBr(ir->builder, more, level->head, out);
        LLVMPositionBuilderAtEnd(ir->builder, out);
    }
    LLVMBuildBr(ir->builder, done);
    LLVMPositionBuilderAtEnd(ir->builder, done);
    LLVMBuildRetVoid(ir->builder);
    return function;
}

/* In a block loop threadIdx is the loop counters. */
static void answer_index(LLVMValueRef function, LLVMValueRef index[3]) {
    size_t count = 0;
    LLVMValueRef *code = wg_ir_instructions(function, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef callee = wg_ir_callee(code[i]);
        if (callee && wg_ir_has_prefix(callee, "__wg_thread_idx_")) {
            char axis = wg_ir_name(callee)[strlen("__wg_thread_idx_")];
            LLVMReplaceAllUsesWith(code[i], index[axis - 'x']);
            LLVMInstructionEraseFromParent(code[i]);
        }
    }
    free(code);
}

static bool block_possible(struct wg_callgraph *graph, const struct wg_kernel *kernel,
                           bool *may_wait) {
    bool *reached = wg_calloc(graph->count + 1, sizeof *reached);
    wg_callgraph_reach(graph, kernel->body, reached);
    bool index_outside = false;
    *may_wait = false;
    for (size_t f = 0; f < graph->count; f++) {
        const struct wg_function *function = &graph->functions[f];
        *may_wait |= reached[f] && function->waits;
        index_outside |= reached[f] && function->reads_index && function->value != kernel->body;
    }
    free(reached);
    return !*may_wait && !index_outside;
}

enum wg_code wg_entries_build(struct wg_program *program, const struct wg_shared *shared,
                              struct wg_callgraph *graph, bool with_blocks,
                              struct wg_kernel_entries **out, struct wg_err *err) {
    const struct wg_ir *ir = &program->device;
    size_t count = program->kernel_count;
    struct wg_kernel_entries *entries = wg_calloc(count + 1, sizeof *entries);
    LLVMValueRef(*indices)[3] = wg_calloc(count + 1, sizeof *indices);
    for (size_t k = 0; k < count; k++) {
        const struct wg_kernel *kernel = &program->kernels[k];
        bool block = block_possible(graph, kernel, &entries[k].may_wait) && with_blocks;
        entries[k].run_thread = build_thread(ir, kernel);
        if (block) {
            entries[k].run_block = build_block(ir, kernel, indices[k]);
        }
        wg_ir_add_attribute(ir, kernel->body, "alwaysinline");
        wg_ir_drop_attribute(kernel->body, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                             "noinline");
    }
    enum wg_code code = wg_ir_run(&program->device, "always-inline", NULL, err);
    for (size_t k = 0; k < count && !code; k++) {
        if (entries[k].run_block) {
            answer_index(entries[k].run_block, indices[k]);
        }
        if (shared->uses_dynamic[k]) {
            uint64_t start = shared->static_bytes[k];
            note_dynamic_start(ir, entries[k].run_thread, start);
            if (entries[k].run_block) {
                note_dynamic_start(ir, entries[k].run_block, start);
            }
        }
    }
    free(indices);
    if (code) {
        free(entries);
        return code;
    }
    *out = entries;
    return WG_OK;
}
