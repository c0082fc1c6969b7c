#include "sandbox/platform/cpu/compiler/primitive.h"

#include <stdlib.h>
#include <string.h>

#include "sandbox/platform/cpu/abi.h"
#include "sandbox/platform/cpu/compiler/site.h"

struct index_primitive {
    const char *name;
    size_t offset; /* in struct wg_cpu_thread */
    uint64_t limit;
};

#define WG_DIMENSION(name, field, limit)                                                           \
    {"__wg_" name "_x", offsetof(struct wg_cpu_thread, field.x), limit},                           \
        {"__wg_" name "_y", offsetof(struct wg_cpu_thread, field.y), limit}, {                     \
        "__wg_" name "_z", offsetof(struct wg_cpu_thread, field.z), limit                          \
    }

static const struct index_primitive index_primitives[] = {
    WG_DIMENSION("thread_idx", thread_idx, 1024),
    WG_DIMENSION("block_idx", block_idx, UINT64_C(1) << 31),
    WG_DIMENSION("block_dim", block_dim, 1025),
    WG_DIMENSION("grid_dim", grid_dim, UINT64_C(1) << 31),
    {"__wg_warp_size", offsetof(struct wg_cpu_thread, warp_size), 65},
};

/* Same arguments, then the site. */
static const char *const sited_primitives[][2] = {
    {"__wg_barrier", "wg_cpu_barrier"},
    {"__syncthreads", "wg_cpu_barrier"},
    {"__wg_barrier_reduce", "wg_cpu_barrier_reduce"},
    {"__wg_warp_barrier", "wg_cpu_warp_barrier"},
    {"__wg_ballot", "wg_cpu_ballot"},
    {"__wg_activemask", "wg_cpu_activemask"},
    {WG_PRIMITIVE_SHUFFLE, "wg_cpu_shuffle"},
    {"__wg_grid_barrier", "wg_cpu_grid_barrier"},
    {WG_PRIMITIVE_REJOIN, "wg_cpu_rejoin"},
};

bool wg_primitive_waits(const char *name) {
    for (size_t i = 0; i < sizeof sited_primitives / sizeof *sited_primitives; i++) {
        if (strcmp(name, sited_primitives[i][0]) == 0 ||
            strcmp(name, sited_primitives[i][1]) == 0) {
            return true;
        }
    }
    return false;
}

bool wg_primitive_is_of_wave(const char *name) {
    static const char *const names[] = {"__wg_warp_barrier", "__wg_ballot", "__wg_activemask",
                                        WG_PRIMITIVE_SHUFFLE};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void set_flag(const struct wg_ir *ir, LLVMValueRef instruction, const char *kind) {
    LLVMMetadataRef empty = LLVMMDNodeInContext2(ir->context, NULL, 0);
    LLVMSetMetadata(instruction,
                    LLVMGetMDKindIDInContext(ir->context, kind, (unsigned)strlen(kind)),
                    LLVMMetadataAsValue(ir->context, empty));
}

static void set_range(const struct wg_ir *ir, LLVMValueRef load, uint64_t limit) {
    LLVMMetadataRef bounds[2] = {LLVMValueAsMetadata(wg_ir_u32(ir, 0)),
                                 LLVMValueAsMetadata(wg_ir_u32(ir, (uint32_t)limit))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(ir->context, bounds, 2);
    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(ir->context, "range", 5),
                    LLVMMetadataAsValue(ir->context, node));
}

/* An invariant, named pointer load that is the first (or second) instruction of a function. */
static LLVMValueRef pointer_at_start(const struct wg_ir *ir, LLVMValueRef place,
                                     LLVMValueRef address, const char *name) {
    LLVMPositionBuilderBefore(ir->builder, place);
    LLVMSetCurrentDebugLocation2(ir->builder, NULL);
    LLVMValueRef load = LLVMBuildLoad2(ir->builder, ir->ptr, address, name);
    set_flag(ir, load, "invariant.load");
    set_flag(ir, load, "nonnull");
    return load;
}

LLVMValueRef wg_primitive_self(const struct wg_ir *ir, LLVMValueRef function) {
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    if (wg_ir_has_prefix(first, "wg.self")) {
        return first;
    }
    LLVMValueRef global = LLVMGetNamedGlobal(ir->module, "wg_self");
    if (!global) {
        global = LLVMAddGlobal(ir->module, ir->ptr, "wg_self");
        LLVMSetThreadLocal(global, true);
        LLVMSetThreadLocalMode(global, LLVMInitialExecTLSModel);
    }
    return pointer_at_start(ir, first, global, "wg.self");
}

LLVMValueRef wg_primitive_shared(const struct wg_ir *ir, LLVMValueRef function) {
    LLVMValueRef self = wg_primitive_self(ir, function);
    LLVMValueRef second = LLVMGetNextInstruction(self);
    LLVMValueRef third = LLVMGetNextInstruction(second);
    if (third && wg_ir_has_prefix(third, "wg.shared")) {
        return third;
    }
    LLVMPositionBuilderBefore(ir->builder, second);
    LLVMSetCurrentDebugLocation2(ir->builder, NULL);
    LLVMValueRef offset = wg_ir_u64(ir, offsetof(struct wg_cpu_thread, shared));
    LLVMValueRef address = LLVMBuildGEP2(ir->builder, ir->i8, self, &offset, 1, "");
    return pointer_at_start(ir, second, address, "wg.shared");
}

LLVMValueRef wg_primitive_field(const struct wg_ir *ir, LLVMValueRef self, size_t offset,
                                bool fixed, uint64_t limit) {
    LLVMValueRef index = wg_ir_u64(ir, offset);
    LLVMValueRef address = LLVMBuildGEP2(ir->builder, ir->i8, self, &index, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(ir->builder, ir->i32, address, "");
    if (fixed) {
        set_flag(ir, load, "invariant.load");
    }
    if (limit > 0) {
        set_range(ir, load, limit);
    }
    return load;
}

static struct wg_values calls_of(const struct wg_ir *ir, const char *name) {
    struct wg_values calls = {0};
    LLVMValueRef function = LLVMGetNamedFunction(ir->module, name);
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use;
         use = LLVMGetNextUse(use)) {
        if (wg_ir_callee(LLVMGetUser(use)) == function) {
            wg_values_add(&calls, LLVMGetUser(use));
        }
    }
    return calls;
}

static LLVMValueRef function_of(LLVMValueRef instruction) {
    return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

static void expand_index(const struct wg_ir *ir, const struct index_primitive *primitive) {
    struct wg_values calls = calls_of(ir, primitive->name);
    for (size_t i = 0; i < calls.count; i++) {
        LLVMValueRef self = wg_primitive_self(ir, function_of(calls.at[i]));
        wg_ir_before(ir, calls.at[i]);
        LLVMValueRef load = wg_primitive_field(ir, self, primitive->offset, true, primitive->limit);
        LLVMReplaceAllUsesWith(calls.at[i], load);
        LLVMInstructionEraseFromParent(calls.at[i]);
    }
    wg_values_done(&calls);
}

/* All calls of sited primitives, in the order of the code. */
static struct wg_values waits_in_order(const struct wg_ir *ir) {
    struct wg_values waits = {0};
    size_t function_count = 0;
    LLVMValueRef *functions = wg_ir_functions(ir, &function_count);
    for (size_t f = 0; f < function_count; f++) {
        size_t count = 0;
        LLVMValueRef *code = wg_ir_instructions(functions[f], &count);
        for (size_t i = 0; i < count; i++) {
            LLVMValueRef callee = LLVMIsACallInst(code[i]) ? wg_ir_callee(code[i]) : NULL;
            if (callee != NULL && wg_primitive_waits(wg_ir_name(callee))) {
                wg_values_add(&waits, code[i]);
            }
        }
        free((void *)code);
    }
    free((void *)functions);
    return waits;
}

static uint32_t order_of(const struct wg_values *waits, LLVMValueRef call) {
    uint32_t i = 0;
    while (i < waits->count && waits->at[i] != call) {
        i++;
    }
    return i;
}

static void expand_sited(const struct wg_ir *ir, const struct wg_values *waits, const char *from,
                         const char *to) {
    struct wg_values calls = calls_of(ir, from);
    for (size_t i = 0; i < calls.count; i++) {
        LLVMValueRef call = calls.at[i];
        unsigned count = LLVMGetNumArgOperands(call);
        LLVMTypeRef types[8];
        LLVMValueRef args[8];
        if (count >= 8) {
            continue;
        }
        for (unsigned a = 0; a < count; a++) {
            args[a] = LLVMGetOperand(call, a);
            types[a] = LLVMTypeOf(args[a]);
        }
        struct wg_source_place place = wg_debug_place(ir, call);
        wg_site_dump("wait", place, (struct wg_site_object){0});
        struct wg_site_object order = {.bytes = order_of(waits, call)};
        args[count] = wg_site_make(ir, place, order);
        types[count] = ir->ptr;
        LLVMValueRef target = wg_ir_declare(ir, to, LLVMTypeOf(call), types, count + 1);
        wg_ir_before(ir, call);
        LLVMValueRef fresh = wg_ir_call(ir, target, args, count + 1);
        if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind) {
            LLVMReplaceAllUsesWith(call, fresh);
        }
        LLVMInstructionEraseFromParent(call);
    }
    wg_values_done(&calls);
}

void wg_primitive_expand(const struct wg_ir *ir) {
    for (size_t i = 0; i < sizeof index_primitives / sizeof *index_primitives; i++) {
        expand_index(ir, &index_primitives[i]);
    }
    struct wg_values waits = waits_in_order(ir);
    for (size_t i = 0; i < sizeof sited_primitives / sizeof *sited_primitives; i++) {
        expand_sited(ir, &waits, sited_primitives[i][0], sited_primitives[i][1]);
    }
    wg_values_done(&waits);
    LLVMValueRef query = LLVMGetNamedFunction(ir->module, "__wg_grid_is_cooperative");
    if (query) {
        wg_ir_rename(query, "wg_cpu_grid_is_cooperative");
    }
}
