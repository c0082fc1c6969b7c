/* How a kernel's parameters are found.
 *
 * clang's host stub of a kernel stores its arguments to stack slots, one a parameter, and the
 * slots' addresses to an array for hipLaunchKernel. That array is the parameter list as the source
 * has it, empty structs included; following each argument to its slot tells where the pieces of a
 * split struct belong. The device function has the same lowered signature, so one description
 * serves both sides: the stub writes the pack, the kernel's entry reads it. */
#include "sandbox/platform/cpu/compiler/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "sandbox/platform/cpu/compiler/debuginfo.h"

static const char *numbered(const char *stem, size_t index) {
    static char name[64];
    snprintf(name, sizeof name, "%s%zu", stem, index);
    return name;
}

const char *wg_kernel_descriptor_name(size_t index) {
    return numbered("wg_kernel_", index);
}
const char *wg_kernel_handle_name(size_t index) {
    return numbered("wg_handle_", index);
}
const char *wg_variable_name(size_t index) {
    return numbered("wg_variable_", index);
}
const char *wg_shadow_name(size_t index) {
    return numbered("wg_shadow_", index);
}

static uint64_t round_up(uint64_t value, uint64_t align) {
    return (value + align - 1) / align * align;
}

/* The slot that address points into, and where. */
static LLVMValueRef slot_of(const struct wg_ir *ir, LLVMValueRef address, uint64_t *offset) {
    int64_t sum = 0;
    while (wg_ir_is_gep(address)) {
        int64_t step = 0;
        if (!wg_ir_gep_constant(ir, address, &step)) {
            return NULL;
        }
        sum += step;
        address = LLVMGetOperand(address, 0);
    }
    *offset = (uint64_t)sum;
    return address;
}

/* clang reassembles some structs in one slot and copies the whole to another. */
static LLVMValueRef copied_to(const struct wg_ir *ir, LLVMValueRef slot) {
    for (LLVMUseRef use = LLVMGetFirstUse(slot); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (wg_ir_is_intrinsic(user, "llvm.memcpy") && LLVMGetOperand(user, 1) == slot) {
            return LLVMGetOperand(user, 0);
        }
        if (LLVMIsALoadInst(user)) {
            LLVMUseRef next = LLVMGetFirstUse(user);
            LLVMValueRef store = next ? LLVMGetUser(next) : NULL;
            if (store && LLVMIsAStoreInst(store) && LLVMGetOperand(store, 0) == user) {
                uint64_t offset = 0;
                return slot_of(ir, LLVMGetOperand(store, 1), &offset);
            }
        }
    }
    return NULL;
}

/* slots[i]: the address that stands for parameter i in the array for hipLaunchKernel. */
static bool read_slots(const struct wg_ir *ir, LLVMValueRef stub, struct wg_values *slots) {
    LLVMValueRef array = NULL;
    size_t count = 0;
    LLVMValueRef *code = wg_ir_instructions(stub, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef callee = wg_ir_callee(code[i]);
        if (callee && strcmp(wg_ir_name(callee), "hipLaunchKernel") == 0) {
            array = LLVMGetOperand(code[i], LLVMGetNumArgOperands(code[i]) - 3);
        }
    }
    for (size_t i = 0; i < count && array; i++) {
        uint64_t offset = 0;
        if (LLVMIsAStoreInst(code[i]) &&
            slot_of(ir, LLVMGetOperand(code[i], 1), &offset) == array) {
            wg_values_add(slots, LLVMGetOperand(code[i], 0)); /* clang stores them in order */
        }
    }
    free(code);
    return array != NULL;
}

static char *param_name(LLVMValueRef slot) {
    const char *name = wg_ir_name(slot);
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, ".addr") == 0) {
        length -= 5;
    }
    return length > 0 && name[0] != '.' ? wg_strf("%.*s", (int)length, name) : NULL;
}

static bool describe_param(const struct wg_program *program, struct wg_kernel *kernel,
                           unsigned index, LLVMValueRef slot) {
    const struct wg_ir *ir = &program->host;
    struct wg_kernel_param *param = &kernel->params[index];
    LLVMMetadataRef type = wg_debug_param_type(&program->device, kernel->body, index);
    param->name = param_name(slot);
    param->align = 16;
    if (LLVMIsAAllocaInst(slot)) {
        LLVMTypeRef stored = LLVMGetAllocatedType(slot);
        param->bytes = LLVMABISizeOfType(ir->layout, stored);
        param->align = LLVMGetAlignment(slot);
        param->is_pointer = LLVMGetTypeKind(stored) == LLVMPointerTypeKind;
    } else if (LLVMIsAArgument(slot)) {
        for (unsigned i = 0; i < LLVMCountParams(kernel->stub); i++) {
            LLVMTypeRef byval = wg_ir_byval(kernel->stub, i);
            if (LLVMGetParam(kernel->stub, i) == slot && byval) {
                param->bytes = LLVMABISizeOfType(ir->layout, byval);
            }
        }
        if (param->bytes == 0) { /* passed by reference: only the debug information knows */
            param->bytes = wg_debug_type_bytes(&program->device, type);
        }
    }
    LLVMMetadataRef pointee = wg_debug_pointee(&program->device, type);
    if (param->is_pointer && pointee) {
        param->element_bytes = (uint32_t)wg_debug_type_bytes(&program->device, pointee);
    }
    return param->bytes > 0;
}

/* Follows one argument of the stub to its parameter. */
static bool describe_arg(const struct wg_ir *ir, struct wg_kernel *kernel, unsigned index,
                         const struct wg_values *slots) {
    LLVMValueRef value = LLVMGetParam(kernel->stub, index);
    struct wg_kernel_arg *arg = &kernel->args[index];
    arg->storage = LLVMTypeOf(value);
    for (unsigned p = 0; p < slots->count; p++) {
        if (slots->at[p] == value) {
            *arg = (struct wg_kernel_arg){.param = p, .by_reference = true, .storage = ir->ptr};
            return true;
        }
    }
    LLVMValueRef slot = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use && !slot;) {
        LLVMValueRef user = LLVMGetUser(use);
        use = LLVMGetNextUse(use);
        if (LLVMIsAZExtInst(user)) { /* a bool */
            arg->storage = LLVMTypeOf(user);
            use = LLVMGetFirstUse(user);
        } else if (LLVMIsAStoreInst(user)) {
            slot = slot_of(ir, LLVMGetOperand(user, 1), &arg->offset);
        }
    }
    for (int hops = 0; slot && hops < 4; hops++) {
        for (unsigned p = 0; p < slots->count; p++) {
            if (slots->at[p] == slot) {
                arg->param = p;
                return true;
            }
        }
        slot = copied_to(ir, slot);
    }
    return false;
}

static enum wg_code read_kernel(struct wg_program *program, struct wg_kernel *kernel,
                                struct wg_err *err) {
    const struct wg_ir *ir = &program->host;
    struct wg_values slots = {0};
    bool ok = read_slots(ir, kernel->stub, &slots);
    kernel->param_count = slots.count;
    kernel->params = wg_calloc(slots.count + 1, sizeof *kernel->params);
    kernel->arg_count = LLVMCountParams(kernel->stub);
    kernel->args = wg_calloc(kernel->arg_count + 1, sizeof *kernel->args);
    uint64_t offset = 0;
    for (unsigned p = 0; ok && p < slots.count; p++) {
        struct wg_kernel_param *param = &kernel->params[p];
        ok = describe_param(program, kernel, p, slots.at[p]);
        param->offset = round_up(offset, param->align > 8 ? param->align : 8);
        offset = param->offset + param->bytes;
    }
    for (unsigned a = 0; ok && a < kernel->arg_count; a++) {
        ok = describe_arg(ir, kernel, a, &slots);
    }
    /* The last piece of a split struct may be stored wider than the struct. */
    kernel->pack_bytes = round_up(offset, 16) + 16;
    wg_values_done(&slots);
    return ok ? WG_OK
              : wg_fail(err, WG_EINTERNAL,
                        "kernel '%s' has a parameter list that is not understood", kernel->symbol);
}

static LLVMValueRef stub_of(LLVMValueRef global) {
    LLVMValueRef function = LLVMIsDeclaration(global) ? NULL : LLVMGetInitializer(global);
    function = function ? LLVMIsAFunction(function) : NULL;
    return function && strstr(wg_ir_name(function), "__device_stub__") ? function : NULL;
}

static enum wg_code read_kernels(struct wg_program *program, struct wg_err *err) {
    for (LLVMValueRef global = LLVMGetFirstGlobal(program->host.module); global;
         global = LLVMGetNextGlobal(global)) {
        LLVMValueRef stub = stub_of(global);
        LLVMValueRef body = LLVMGetNamedFunction(program->device.module, wg_ir_name(global));
        if (!stub || !body || LLVMIsDeclaration(body)) {
            continue;
        }
        if (LLVMCountParams(stub) != LLVMCountParams(body)) {
            return wg_fail(err, WG_EINTERNAL, "host and device disagree about kernel '%s'",
                           wg_ir_name(global));
        }
        program->kernels =
            wg_realloc(program->kernels, program->kernel_count + 1, sizeof *program->kernels);
        struct wg_kernel *kernel = &program->kernels[program->kernel_count++];
        *kernel = (struct wg_kernel){
            .symbol = wg_strdup(wg_ir_name(global)), .handle = global, .stub = stub, .body = body};
        enum wg_code code = read_kernel(program, kernel, err);
        if (code) {
            return code;
        }
    }
    return WG_OK;
}

/* Launch bounds have no form in x86 code, so our header's __launch_bounds__ also annotates. */
static void read_launch_bounds(struct wg_program *program) {
    LLVMValueRef list = LLVMGetNamedGlobal(program->device.module, "llvm.global.annotations");
    LLVMValueRef entries = list ? LLVMGetInitializer(list) : NULL;
    int count = entries ? LLVMGetNumOperands(entries) : 0;
    for (int i = 0; i < count; i++) {
        LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i);
        LLVMValueRef text = LLVMGetInitializer(LLVMGetOperand(entry, 1));
        LLVMValueRef args = LLVMIsAGlobalVariable(LLVMGetOperand(entry, 4));
        size_t length = 0;
        if (!args || !text || !LLVMIsAConstantDataSequential(text) ||
            strcmp(LLVMGetAsString(text, &length), "wg_launch_bounds") != 0) {
            continue;
        }
        LLVMValueRef bound = LLVMGetOperand(LLVMGetInitializer(args), 0);
        for (size_t k = 0; k < program->kernel_count; k++) {
            if (program->kernels[k].body == LLVMGetOperand(entry, 0) && LLVMIsAConstantInt(bound)) {
                program->kernels[k].max_threads = (uint32_t)LLVMConstIntGetZExtValue(bound);
            }
        }
    }
    if (list) {
        LLVMDeleteGlobal(list);
    }
}

static void add_variable(struct wg_program *program, LLVMValueRef shadow, bool is_constant,
                         bool is_managed) {
    LLVMValueRef device = LLVMGetNamedGlobal(program->device.module, wg_ir_name(shadow));
    if (!LLVMIsAGlobalVariable(shadow) || !device || LLVMIsDeclaration(device)) {
        return;
    }
    program->variables =
        wg_realloc(program->variables, program->variable_count + 1, sizeof *program->variables);
    program->variables[program->variable_count++] = (struct wg_device_variable){
        .symbol = wg_strdup(wg_ir_name(shadow)),
        .is_constant = is_constant,
        .is_managed = is_managed,
    };
}

/* clang registers what host code can see of device variables in a function of its own. */
static void read_variables(struct wg_program *program) {
    LLVMValueRef list = LLVMGetNamedFunction(program->host.module, "__hip_register_globals");
    if (!list) {
        return;
    }
    size_t count = 0;
    LLVMValueRef *code = wg_ir_instructions(list, &count);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef callee = wg_ir_callee(code[i]);
        const char *name = callee ? wg_ir_name(callee) : "";
        if (strcmp(name, "__hipRegisterVar") == 0) {
            bool is_constant = LLVMConstIntGetZExtValue(LLVMGetOperand(code[i], 6)) != 0;
            add_variable(program, LLVMGetOperand(code[i], 1), is_constant, false);
        } else if (strcmp(name, "__hipRegisterManagedVar") == 0) {
            add_variable(program, LLVMGetOperand(code[i], 1), false, true);
        }
    }
    free(code);
}

enum wg_code wg_program_read(struct wg_program *program, struct wg_err *err) {
    enum wg_code code = read_kernels(program, err);
    if (code) {
        return code;
    }
    read_launch_bounds(program);
    read_variables(program);
    return WG_OK;
}

void wg_program_done(struct wg_program *program) {
    for (size_t k = 0; k < program->kernel_count; k++) {
        struct wg_kernel *kernel = &program->kernels[k];
        for (size_t p = 0; p < kernel->param_count; p++) {
            free(kernel->params[p].name);
        }
        free(kernel->params);
        free(kernel->args);
        free(kernel->symbol);
    }
    for (size_t v = 0; v < program->variable_count; v++) {
        free(program->variables[v].symbol);
    }
    free(program->kernels);
    free(program->variables);
    wg_ir_done(&program->host);
    wg_ir_done(&program->device);
    *program = (struct wg_program){0};
}
