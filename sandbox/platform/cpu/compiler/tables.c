#include "sandbox/platform/cpu/compiler/tables.h"

#include <stdlib.h>

#include "grader/base/buf.h"
#include "sandbox/platform/cpu/abi.h"
#include "sandbox/platform/cpu/compiler/debuginfo.h"

_Static_assert(sizeof(struct wg_cpu_kernel) == 80 && sizeof(struct wg_cpu_param) == 24 &&
                   sizeof(struct wg_cpu_shared_var) == 16 && sizeof(struct wg_cpu_variable) == 40 &&
                   sizeof(struct wg_cpu_module) == 40,
               "this file knows the layout of the structs in abi.h");

static LLVMValueRef add_constant(const struct wg_ir *ir, LLVMValueRef value, const char *name) {
    LLVMValueRef global = LLVMAddGlobal(ir->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(global, value);
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetGlobalConstant(global, true);
    return global;
}

static LLVMValueRef make_struct(const struct wg_ir *ir, LLVMValueRef *fields, unsigned count) {
    return LLVMConstStructInContext(ir->context, fields, count, false);
}

/* A constant array of structs; null pointer when empty. */
static LLVMValueRef add_array(const struct wg_ir *ir, struct wg_values *elements,
                              const char *name) {
    LLVMValueRef array = wg_ir_null(ir);
    if (elements->count > 0) {
        LLVMTypeRef type = LLVMTypeOf(elements->at[0]);
        array = add_constant(ir, LLVMConstArray2(type, elements->at, elements->count), name);
    }
    wg_values_done(elements);
    return array;
}

static LLVMValueRef params_table(const struct wg_ir *ir, const struct wg_kernel *kernel) {
    struct wg_values list = {0};
    for (size_t p = 0; p < kernel->param_count; p++) {
        const struct wg_kernel_param *param = &kernel->params[p];
        LLVMValueRef fields[5] = {
            wg_ir_u32(ir, (uint32_t)param->offset), wg_ir_u32(ir, (uint32_t)param->bytes),
            wg_ir_u32(ir, param->is_pointer),       wg_ir_u32(ir, 0),
            wg_ir_string(ir, param->name),
        };
        wg_values_add(&list, make_struct(ir, fields, 5));
    }
    return add_array(ir, &list, "wg.params");
}

static LLVMValueRef shared_table(const struct wg_ir *ir, const struct wg_shared *shared, size_t k,
                                 uint32_t *count) {
    struct wg_values list = {0};
    for (size_t v = 0; v < shared->count; v++) {
        const struct wg_shared_variable *variable = &shared->variables[v];
        if (variable->used_by[k] && !variable->is_dynamic) {
            LLVMValueRef fields[3] = {wg_ir_string(ir, variable->name),
                                      wg_ir_u32(ir, (uint32_t)variable->offset),
                                      wg_ir_u32(ir, (uint32_t)variable->bytes)};
            wg_values_add(&list, make_struct(ir, fields, 3));
        }
    }
    *count = (uint32_t)list.count;
    return add_array(ir, &list, "wg.shared_vars");
}

static LLVMValueRef kernel_descriptor(const struct wg_program *program,
                                      const struct wg_shared *shared,
                                      const struct wg_kernel_entries *entries,
                                      LLVMValueRef declared_at, size_t k) {
    const struct wg_ir *ir = &program->device;
    const struct wg_kernel *kernel = &program->kernels[k];
    LLVMValueRef handle = LLVMAddGlobal(ir->module, ir->i8, "");
    wg_ir_make_hidden(handle, wg_kernel_handle_name(k));
    uint32_t shared_count = 0;
    LLVMValueRef shared_vars = shared_table(ir, shared, k, &shared_count);
    LLVMValueRef fields[13] = {
        wg_ir_string(ir, kernel->symbol),
        handle,
        entries[k].run_thread,
        entries[k].run_block ? entries[k].run_block : wg_ir_null(ir),
        wg_ir_u32(ir, (uint32_t)shared->static_bytes[k]),
        wg_ir_u32(ir, kernel->max_threads),
        wg_ir_u32(ir, (uint32_t)kernel->pack_bytes),
        wg_ir_u32(ir, (uint32_t)kernel->param_count),
        params_table(ir, kernel),
        shared_vars,
        wg_ir_u32(ir, shared_count),
        wg_ir_u32(ir, entries[k].may_wait),
        declared_at,
    };
    return make_struct(ir, fields, 13);
}

/* The descriptors lie in one array; each also has a symbol of its own, for the host object. */
static LLVMValueRef kernels_table(const struct wg_program *program, const struct wg_shared *shared,
                                  const struct wg_kernel_entries *entries,
                                  const LLVMValueRef *declared_at) {
    const struct wg_ir *ir = &program->device;
    struct wg_values list = {0};
    for (size_t k = 0; k < program->kernel_count; k++) {
        wg_values_add(&list, kernel_descriptor(program, shared, entries, declared_at[k], k));
    }
    LLVMTypeRef type = list.count > 0 ? LLVMTypeOf(list.at[0]) : NULL;
    LLVMValueRef array = add_array(ir, &list, "wg.kernels");
    for (size_t k = 0; k < program->kernel_count; k++) {
        LLVMValueRef index = wg_ir_u64(ir, k);
        LLVMValueRef alias =
            LLVMAddAlias2(ir->module, type, 0, LLVMConstInBoundsGEP2(type, array, &index, 1),
                          wg_kernel_descriptor_name(k));
        LLVMSetVisibility(alias, LLVMHiddenVisibility);
    }
    return array;
}

static LLVMValueRef variable_entry(const struct wg_ir *ir, const char *name, LLVMValueRef memory,
                                   LLVMValueRef shadow, bool is_constant, bool is_managed) {
    LLVMTypeRef type = LLVMGlobalGetValueType(memory);
    LLVMValueRef fields[6] = {wg_ir_string(ir, name),
                              memory,
                              shadow,
                              wg_ir_u64(ir, LLVMABISizeOfType(ir->layout, type)),
                              wg_ir_u32(ir, is_constant),
                              wg_ir_u32(ir, is_managed)};
    return make_struct(ir, fields, 6);
}

/* The host object's variable of the same name. */
static LLVMValueRef shadow_of(const struct wg_ir *ir, size_t index) {
    LLVMValueRef shadow = LLVMAddGlobal(ir->module, ir->i8, "");
    wg_ir_make_hidden(shadow, wg_shadow_name(index));
    return shadow;
}

/* What host code cannot name: static locals of device functions, constant tables, literals. */
static void add_private_variables(const struct wg_program *program, struct wg_values *list) {
    const struct wg_ir *ir = &program->device;
    struct wg_values globals = {0};
    for (LLVMValueRef g = LLVMGetFirstGlobal(ir->module); g; g = LLVMGetNextGlobal(g)) {
        bool is_own = wg_ir_has_prefix(g, "wg.") || wg_ir_has_prefix(g, "llvm.");
        if (!LLVMIsDeclaration(g) && !is_own) {
            wg_values_add(&globals, g);
        }
    }
    for (size_t i = 0; i < globals.count; i++) {
        LLVMValueRef g = globals.at[i];
        bool is_listed = false;
        for (size_t v = 0; v < program->variable_count && !is_listed; v++) {
            is_listed = wg_ir_has_prefix(g, program->variables[v].symbol);
        }
        if (!is_listed) {
            const char *name = wg_debug_global_name(ir, g);
            wg_values_add(list, variable_entry(ir, *name == '.' ? "a literal" : name, g,
                                               wg_ir_null(ir), LLVMIsGlobalConstant(g), false));
        }
    }
    wg_values_done(&globals);
}

/* Device variables; those that host code may know get the symbols that its object refers to. */
static LLVMValueRef variables_table(const struct wg_program *program, uint64_t *count) {
    const struct wg_ir *ir = &program->device;
    struct wg_values list = {0};
    add_private_variables(program, &list);
    for (size_t v = 0; v < program->variable_count; v++) {
        const struct wg_device_variable *variable = &program->variables[v];
        LLVMValueRef global = LLVMGetNamedGlobal(ir->module, variable->symbol);
        LLVMValueRef memory = global;
        const char *name = wg_debug_global_name(ir, global);
        if (variable->is_managed) {
            /* Both sides follow a pointer; the memory itself is another variable. */
            char *symbol = wg_strf("%s.managed", variable->symbol);
            LLVMValueRef storage = LLVMGetNamedGlobal(ir->module, symbol);
            free(symbol);
            memory = storage ? storage : global;
            LLVMSetInitializer(global, memory);
            name = wg_debug_global_name(ir, memory);
        }
        LLVMValueRef shadow = variable->is_managed ? wg_ir_null(ir) : shadow_of(ir, v);
        wg_values_add(&list, variable_entry(ir, name, memory, shadow, variable->is_constant,
                                            variable->is_managed));
        wg_ir_make_internal(memory);
        wg_ir_make_hidden(global, wg_variable_name(v));
    }
    *count = list.count;
    return add_array(ir, &list, "wg.variables");
}

static void add_hook(const struct wg_ir *ir, const char *list_name, const char *runtime_name,
                     LLVMValueRef module_table) {
    LLVMTypeRef type = LLVMFunctionType(ir->void_type, NULL, 0, false);
    LLVMValueRef hook = LLVMAddFunction(ir->module, "wg.hook", type);
    LLVMSetLinkage(hook, LLVMInternalLinkage);
    LLVMPositionBuilderAtEnd(ir->builder,
                             LLVMAppendBasicBlockInContext(ir->context, hook, "entry"));
    LLVMSetCurrentDebugLocation2(ir->builder, NULL);
    LLVMValueRef target =
        wg_ir_declare(ir, runtime_name, ir->void_type, &(LLVMTypeRef){ir->ptr}, 1);
    wg_ir_call(ir, target, &module_table, 1);
    LLVMBuildRetVoid(ir->builder);
    /* Before any constructor of the student's, which may well launch a kernel. */
    LLVMValueRef fields[3] = {wg_ir_u32(ir, 1), hook, wg_ir_null(ir)};
    LLVMValueRef entry = make_struct(ir, fields, 3);
    LLVMValueRef entries = LLVMConstArray2(LLVMTypeOf(entry), &entry, 1);
    LLVMValueRef list = LLVMAddGlobal(ir->module, LLVMTypeOf(entries), list_name);
    LLVMSetInitializer(list, entries);
    LLVMSetLinkage(list, LLVMAppendingLinkage);
}

void wg_tables_build(struct wg_program *program, const struct wg_shared *shared,
                     const struct wg_kernel_entries *entries, const LLVMValueRef *declared_at,
                     bool checked) {
    const struct wg_ir *ir = &program->device;
    uint64_t variable_count = 0;
    LLVMValueRef variables = variables_table(program, &variable_count);
    LLVMValueRef fields[6] = {
        wg_ir_u32(ir, WG_CPU_ABI),
        wg_ir_u32(ir, checked),
        kernels_table(program, shared, entries, declared_at),
        wg_ir_u64(ir, program->kernel_count),
        variables,
        wg_ir_u64(ir, variable_count),
    };
    LLVMValueRef table = add_constant(ir, make_struct(ir, fields, 6), "wg.module");
    add_hook(ir, "llvm.global_ctors", "wg_cpu_module_register", table);
    add_hook(ir, "llvm.global_dtors", "wg_cpu_module_unregister", table);
}
