/* What does a pointer point into? A buffer that the kernel got as a parameter, one __shared__
 * array, a local variable: the runtime holds an access to that object, so that an overrun which
 * lands in a neighbouring one is still seen, and named after the object that was meant. */
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "sandbox/platform/cpu/compiler/check_internal.h"

enum { MAX_STEPS = 64 };

struct walk {
    LLVMValueRef pending[MAX_STEPS];
    size_t pending_count;
    LLVMValueRef seen[MAX_STEPS]; /* phis and selects */
    size_t seen_count;
    LLVMValueRef leaf;
    bool failed;
};

static void push(struct walk *walk, LLVMValueRef value) {
    if (walk->pending_count == MAX_STEPS) {
        walk->failed = true;
    } else {
        walk->pending[walk->pending_count++] = value;
    }
}

static bool first_visit(struct walk *walk, LLVMValueRef value) {
    for (size_t i = 0; i < walk->seen_count; i++) {
        if (walk->seen[i] == value) {
            return false;
        }
    }
    if (walk->seen_count == MAX_STEPS) {
        walk->failed = true;
        return false;
    }
    walk->seen[walk->seen_count++] = value;
    return true;
}

static bool is_cast(LLVMValueRef value) {
    if (LLVMIsAInstruction(value)) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
        return opcode == LLVMBitCast || opcode == LLVMAddrSpaceCast || opcode == LLVMFreeze;
    }
    return LLVMIsAConstantExpr(value) && (LLVMGetConstOpcode(value) == LLVMBitCast ||
                                          LLVMGetConstOpcode(value) == LLVMAddrSpaceCast);
}

static void step(struct walk *walk, LLVMValueRef value) {
    if (wg_ir_is_gep(value) || is_cast(value)) {
        push(walk, LLVMGetOperand(value, 0));
    } else if (LLVMIsAPHINode(value)) {
        unsigned count = first_visit(walk, value) ? LLVMCountIncoming(value) : 0;
        for (unsigned i = 0; i < count; i++) {
            push(walk, LLVMGetIncomingValue(value, i));
        }
    } else if (LLVMIsASelectInst(value)) {
        if (first_visit(walk, value)) {
            push(walk, LLVMGetOperand(value, 1));
            push(walk, LLVMGetOperand(value, 2));
        }
    } else if (LLVMIsNull(value) || LLVMIsUndef(value) || LLVMIsPoison(value)) {
        return; /* a way on which nothing is accessed */
    } else if (!walk->leaf || walk->leaf == value) {
        walk->leaf = value;
    } else {
        walk->failed = true;
    }
}

static LLVMValueRef find_leaf(LLVMValueRef pointer) {
    struct walk walk = {0};
    push(&walk, pointer);
    for (int steps = 0; walk.pending_count > 0 && !walk.failed; steps++) {
        step(&walk, walk.pending[--walk.pending_count]);
        walk.failed |= steps > 4 * MAX_STEPS;
    }
    return walk.failed ? NULL : walk.leaf;
}

static struct wg_base global_base(const struct wg_instrument *in, LLVMValueRef global) {
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    struct wg_base base = {.value = global};
    base.object.element_bytes = wg_ir_element_bytes(in->ir, type);
    const struct wg_shared_variable *shared = wg_shared_find(in->shared, global);
    if (shared) {
        base.object.name = shared->name;
        base.object.bytes = shared->bytes;
        base.object.kind = shared->is_dynamic ? WG_OBJECT_DYNAMIC : WG_OBJECT_SHARED;
        return base;
    }
    base.object.name = wg_debug_global_name(in->ir, global);
    base.object.bytes = LLVMABISizeOfType(in->ir->layout, type);
    base.object.kind = LLVMIsGlobalConstant(global) ? WG_OBJECT_CONSTANT : WG_OBJECT_DEVICE_VAR;
    for (size_t v = 0; v < in->program->variable_count; v++) {
        if (in->program->variables[v].is_constant &&
            strcmp(wg_ir_name(global), in->program->variables[v].symbol) == 0) {
            base.object.kind = WG_OBJECT_CONSTANT;
        }
    }
    return base;
}

static struct wg_base param_base(const struct wg_instrument *in, LLVMValueRef argument) {
    for (unsigned a = 0; in->kernel && a < in->kernel->arg_count; a++) {
        const struct wg_kernel_param *param = &in->kernel->params[in->kernel->args[a].param];
        if (LLVMGetParam(in->function, a) == argument && param->is_pointer) {
            return (struct wg_base){
                .value = argument,
                .object = {.name = param->name,
                           .kind = WG_OBJECT_PARAM,
                           .element_bytes = param->element_bytes},
            };
        }
    }
    return (struct wg_base){0};
}

/* The memory of a managed variable, whose address both sides load from a pointer. */
static LLVMValueRef managed_storage(const struct wg_instrument *in, LLVMValueRef leaf) {
    if (!LLVMIsALoadInst(leaf) || !wg_is_managed_pointer(in, LLVMGetOperand(leaf, 0))) {
        return NULL;
    }
    char *name = wg_strf("%s.managed", wg_ir_name(LLVMGetOperand(leaf, 0)));
    LLVMValueRef storage = LLVMGetNamedGlobal(in->ir->module, name);
    free(name);
    return storage;
}

bool wg_is_managed_pointer(const struct wg_instrument *in, LLVMValueRef pointer) {
    for (size_t v = 0; v < in->program->variable_count && LLVMIsAGlobalVariable(pointer); v++) {
        const struct wg_device_variable *variable = &in->program->variables[v];
        if (variable->is_managed && strcmp(wg_ir_name(pointer), variable->symbol) == 0) {
            return true;
        }
    }
    return false;
}

struct wg_base wg_access_base(const struct wg_instrument *in, LLVMValueRef pointer) {
    LLVMValueRef leaf = find_leaf(pointer);
    if (!leaf) {
        return (struct wg_base){0};
    }
    struct wg_local *local = wg_locals_lookup(in, leaf);
    if (local) {
        return (struct wg_base){
            .value = leaf, .object = wg_local_object(in->ir, local), .local = local};
    }
    LLVMValueRef storage = managed_storage(in, leaf);
    if (storage) {
        struct wg_base base = global_base(in, storage);
        base.value = leaf;
        return base;
    }
    if (LLVMIsAGlobalVariable(leaf)) {
        return global_base(in, leaf);
    }
    if (LLVMIsAArgument(leaf)) {
        return param_base(in, leaf);
    }
    return (struct wg_base){0};
}
