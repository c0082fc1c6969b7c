/* How shared memory is laid out and found.
 *
 * On x86 clang gives a __shared__ variable the form of an ordinary global with an undefined
 * initializer, and an extern __shared__ array that of an undefined array of no length. A block's
 * shared memory is one piece at wg_self->shared, as it is on a GPU: static variables first, then
 * the dynamic part, which all extern arrays share.
 *
 * Constant expressions over such a global (&tile[1][0] is one) must become instructions, since the
 * address differs from block to block. They are rebuilt at each use, bottom up. */
#include "sandbox/platform/cpu/compiler/shared.h"

#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "sandbox/platform/cpu/abi.h"
#include "sandbox/platform/cpu/compiler/debuginfo.h"
#include "sandbox/platform/cpu/compiler/primitive.h"

/* ---- Layout --------------------------------------------------------------------------------- */

static bool is_dynamic(LLVMValueRef global) {
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    return LLVMIsDeclaration(global) && LLVMGetLinkage(global) == LLVMExternalLinkage &&
           LLVMGetTypeKind(type) == LLVMArrayTypeKind && LLVMGetArrayLength2(type) == 0 &&
           !LLVMIsThreadLocal(global);
}

static bool is_static(LLVMValueRef global) {
    return !LLVMIsDeclaration(global) && LLVMIsUndef(LLVMGetInitializer(global)) &&
           !LLVMIsGlobalConstant(global) && !LLVMIsExternallyInitialized(global);
}

static void mark_users(const struct wg_program *program, struct wg_callgraph *graph,
                       const bool *const *reached, struct wg_shared_variable *variable,
                       LLVMValueRef value, int depth) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use && depth < 16; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user)) {
            mark_users(program, graph, reached, variable, user, depth + 1);
            continue;
        }
        LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
        size_t index = wg_callgraph_find(graph, function);
        for (size_t k = 0; k < program->kernel_count && index < graph->count; k++) {
            variable->used_by[k] |= reached[k][index];
        }
    }
}

static bool meet(const struct wg_shared_variable *a, const struct wg_shared_variable *b,
                 size_t kernel_count) {
    for (size_t k = 0; k < kernel_count; k++) {
        if (a->used_by[k] && b->used_by[k]) {
            return true;
        }
    }
    return false;
}

static uint64_t round_up(uint64_t value, uint64_t align) {
    return (value + align - 1) / align * align;
}

/* The lowest offset that is free of all earlier variables that this one meets. */
static void place(struct wg_shared *shared, size_t index, size_t kernel_count) {
    struct wg_shared_variable *variable = &shared->variables[index];
    variable->offset = 0;
    for (size_t i = 0; i < index; i++) {
        const struct wg_shared_variable *other = &shared->variables[i];
        bool overlaps = !other->is_dynamic && variable->offset < other->offset + other->bytes &&
                        other->offset < variable->offset + variable->bytes;
        if (overlaps && meet(variable, other, kernel_count)) {
            variable->offset = round_up(other->offset + other->bytes, variable->align);
            i = (size_t)-1; /* look again from the first */
        }
    }
}

struct wg_shared wg_shared_layout(const struct wg_program *program, struct wg_callgraph *graph) {
    struct wg_shared shared = {0};
    size_t kernels = program->kernel_count;
    bool **reached = wg_calloc(kernels + 1, sizeof *reached);
    for (size_t k = 0; k < kernels; k++) {
        reached[k] = wg_calloc(graph->count + 1, sizeof **reached);
        wg_callgraph_reach(graph, program->kernels[k].body, reached[k]);
    }
    shared.static_bytes = wg_calloc(kernels + 1, sizeof *shared.static_bytes);
    shared.uses_dynamic = wg_calloc(kernels + 1, sizeof *shared.uses_dynamic);
    const struct wg_ir *ir = &program->device;
    for (LLVMValueRef g = LLVMGetFirstGlobal(ir->module); g; g = LLVMGetNextGlobal(g)) {
        if (!is_dynamic(g) && !is_static(g)) {
            continue;
        }
        shared.variables = wg_realloc(shared.variables, shared.count + 1, sizeof *shared.variables);
        struct wg_shared_variable *variable = &shared.variables[shared.count++];
        *variable = (struct wg_shared_variable){
            .global = g,
            .name = wg_strdup(wg_debug_global_name(ir, g)),
            .bytes = LLVMABISizeOfType(ir->layout, LLVMGlobalGetValueType(g)),
            .align = LLVMGetAlignment(g) > 0 ? LLVMGetAlignment(g) : 16,
            .is_dynamic = is_dynamic(g),
            .used_by = wg_calloc(kernels + 1, sizeof(bool)),
        };
        mark_users(program, graph, (const bool *const *)reached, variable, g, 0);
        if (!variable->is_dynamic) {
            place(&shared, shared.count - 1, kernels);
        }
        for (size_t k = 0; k < kernels; k++) {
            uint64_t end = round_up(variable->offset + variable->bytes, 16);
            if (variable->used_by[k] && variable->is_dynamic) {
                shared.uses_dynamic[k] = true;
            } else if (variable->used_by[k] && end > shared.static_bytes[k]) {
                shared.static_bytes[k] = end;
            }
        }
    }
    for (size_t k = 0; k < kernels; k++) {
        free(reached[k]);
    }
    free(reached);
    return shared;
}

void wg_shared_done(struct wg_shared *shared) {
    for (size_t v = 0; v < shared->count; v++) {
        free(shared->variables[v].used_by);
        free(shared->variables[v].name);
    }
    free(shared->variables);
    free(shared->static_bytes);
    free(shared->uses_dynamic);
    *shared = (struct wg_shared){0};
}

const struct wg_shared_variable *wg_shared_find(const struct wg_shared *shared,
                                                LLVMValueRef global) {
    for (size_t v = 0; v < shared->count; v++) {
        if (shared->variables[v].global == global) {
            return &shared->variables[v];
        }
    }
    return NULL;
}

/* ---- Lowering ------------------------------------------------------------------------------- */

struct lowering {
    const struct wg_program *program;
    const struct wg_ir *ir;
    const struct wg_shared *shared;
    LLVMValueRef function;
    LLVMValueRef *addresses; /* of each variable in this function; NULL: not yet needed */
    bool failed;
};

/* Dynamic memory starts at a fixed place in a kernel; other functions, which several kernels may
 * call, look where the running one's starts. */
static LLVMValueRef dynamic_offset(struct lowering *low, LLVMValueRef self) {
    for (size_t k = 0; k < low->program->kernel_count; k++) {
        if (low->program->kernels[k].body == low->function) {
            return wg_ir_u64(low->ir, low->shared->static_bytes[k]);
        }
    }
    LLVMValueRef offset = wg_primitive_field(
        low->ir, self, offsetof(struct wg_cpu_thread, dynamic_shared_offset), false, 0);
    return LLVMBuildZExt(low->ir->builder, offset, low->ir->i64, "");
}

static LLVMValueRef address_of(struct lowering *low, size_t index) {
    if (!low->addresses[index]) {
        const struct wg_ir *ir = low->ir;
        const struct wg_shared_variable *variable = &low->shared->variables[index];
        LLVMValueRef self = wg_primitive_self(ir, low->function);
        LLVMValueRef base = wg_primitive_shared(ir, low->function);
        wg_ir_after(ir, base);
        LLVMSetCurrentDebugLocation2(ir->builder, NULL);
        LLVMValueRef offset =
            variable->is_dynamic ? dynamic_offset(low, self) : wg_ir_u64(ir, variable->offset);
        low->addresses[index] = LLVMBuildGEP2(ir->builder, ir->i8, base, &offset, 1, "");
    }
    return low->addresses[index];
}

static bool is_composite(LLVMValueRef value) {
    return LLVMIsAConstantExpr(value) || LLVMIsAConstantStruct(value) ||
           LLVMIsAConstantArray(value) || LLVMIsAConstantVector(value);
}

static bool mentions_shared(struct lowering *low, LLVMValueRef value, int depth) {
    if (LLVMIsAGlobalVariable(value)) {
        return wg_shared_find(low->shared, value) != NULL;
    }
    for (int i = 0; depth < 16 && is_composite(value) && i < LLVMGetNumOperands(value); i++) {
        if (mentions_shared(low, LLVMGetOperand(value, (unsigned)i), depth + 1)) {
            return true;
        }
    }
    return false;
}

static LLVMValueRef rebuild(struct lowering *low, LLVMValueRef value, LLVMValueRef before);

static LLVMValueRef rebuild_expression(struct lowering *low, LLVMValueRef value,
                                       LLVMValueRef *operands, unsigned count) {
    LLVMBuilderRef builder = low->ir->builder;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMOpcode opcode = LLVMGetConstOpcode(value);
    switch (opcode) {
    case LLVMGetElementPtr:
        return LLVMBuildGEP2(builder, LLVMGetGEPSourceElementType(value), operands[0], operands + 1,
                             count - 1, "");
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMTrunc:
        return LLVMBuildCast(builder, opcode, operands[0], type, "");
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMXor:
        return LLVMBuildBinOp(builder, opcode, operands[0], operands[1], "");
    default:
        low->failed = true;
        return LLVMGetUndef(type);
    }
}

static LLVMValueRef rebuild_aggregate(struct lowering *low, LLVMValueRef value,
                                      LLVMValueRef *operands, unsigned count) {
    LLVMValueRef whole = LLVMGetUndef(LLVMTypeOf(value));
    for (unsigned i = 0; i < count; i++) {
        whole = LLVMIsAConstantVector(value)
                    ? LLVMBuildInsertElement(low->ir->builder, whole, operands[i],
                                             wg_ir_u32(low->ir, i), "")
                    : LLVMBuildInsertValue(low->ir->builder, whole, operands[i], i, "");
    }
    return whole;
}

/* The constant as instructions before `before`. */
static LLVMValueRef rebuild(struct lowering *low, LLVMValueRef value, LLVMValueRef before) {
    if (!mentions_shared(low, value, 0)) {
        return value;
    }
    if (LLVMIsAGlobalVariable(value)) {
        return address_of(low,
                          (size_t)(wg_shared_find(low->shared, value) - low->shared->variables));
    }
    unsigned count = (unsigned)LLVMGetNumOperands(value);
    LLVMValueRef *operands = wg_calloc(count + 1, sizeof *operands);
    for (unsigned i = 0; i < count; i++) {
        operands[i] = rebuild(low, LLVMGetOperand(value, i), before);
    }
    wg_ir_before(low->ir, before);
    LLVMValueRef built = LLVMIsAConstantExpr(value)
                             ? rebuild_expression(low, value, operands, count)
                             : rebuild_aggregate(low, value, operands, count);
    free(operands);
    return built;
}

static void lower_operand(struct lowering *low, LLVMValueRef instruction, unsigned index) {
    LLVMValueRef operand = LLVMGetOperand(instruction, index);
    if (!operand || !LLVMIsConstant(operand) || LLVMIsAFunction(operand) ||
        !mentions_shared(low, operand, 0)) {
        return;
    }
    LLVMValueRef before = instruction;
    if (LLVMIsAPHINode(instruction)) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(instruction, index);
        for (unsigned i = 0; i < index; i++) { /* a switch may come from one block twice */
            if (LLVMGetIncomingBlock(instruction, i) == from) {
                LLVMSetOperand(instruction, index, LLVMGetOperand(instruction, i));
                return;
            }
        }
        before = LLVMGetBasicBlockTerminator(from);
    }
    LLVMSetOperand(instruction, index, rebuild(low, operand, before));
}

static void lower_function(struct lowering *low, LLVMValueRef function) {
    low->function = function;
    memset(low->addresses, 0, low->shared->count * sizeof *low->addresses);
    size_t count = 0;
    LLVMValueRef *code = wg_ir_instructions(function, &count);
    for (size_t i = 0; i < count; i++) {
        if (wg_ir_is_intrinsic(code[i], "llvm.dbg.")) {
            continue;
        }
        int operands = LLVMGetNumOperands(code[i]);
        for (int o = 0; o < operands; o++) {
            lower_operand(low, code[i], (unsigned)o);
        }
    }
    free(code);
}

/* Constants that nothing uses any more do not count. */
static bool has_live_use(LLVMValueRef value, int depth) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (depth >= 16 || LLVMIsAInstruction(user) || LLVMIsAGlobalValue(user) ||
            has_live_use(user, depth + 1)) {
            return true;
        }
    }
    return false;
}

enum wg_code wg_shared_lower(const struct wg_program *program, const struct wg_shared *shared,
                             struct wg_err *err) {
    const struct wg_ir *ir = &program->device;
    struct lowering low = {.program = program, .ir = ir, .shared = shared};
    low.addresses = wg_calloc(shared->count + 1, sizeof *low.addresses);
    size_t count = 0;
    LLVMValueRef *functions = wg_ir_functions(ir, &count);
    for (size_t f = 0; f < count && shared->count > 0; f++) {
        lower_function(&low, functions[f]);
    }
    free(functions);
    free(low.addresses);
    for (size_t v = 0; v < shared->count; v++) {
        LLVMValueRef global = shared->variables[v].global;
        if (low.failed || has_live_use(global, 0)) {
            return wg_fail(err, WG_EUNSUPPORTED,
                           "the address of __shared__ variable '%s' is used in a way that is not "
                           "supported on the cpu platform",
                           shared->variables[v].name);
        }
    }
    for (size_t v = 0; v < shared->count; v++) {
        LLVMValueRef global = shared->variables[v].global;
        LLVMReplaceAllUsesWith(global, LLVMGetUndef(ir->ptr));
        LLVMDeleteGlobal(global);
    }
    return WG_OK;
}
