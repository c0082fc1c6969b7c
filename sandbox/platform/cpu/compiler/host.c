/* The host module: clang's kernel stubs and registration give way to calls of our runtime. */
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "sandbox/platform/cpu/abi.h"
#include "sandbox/platform/cpu/compiler/debuginfo.h"
#include "sandbox/platform/cpu/compiler/kernel.h"
#include "sandbox/platform/cpu/compiler/site.h"

static void copy_param_attributes(LLVMValueRef from, LLVMValueRef to) {
    for (unsigned i = 1; i <= LLVMCountParams(from); i++) {
        LLVMAttributeRef attributes[32];
        unsigned count = LLVMGetAttributeCountAtIndex(from, i);
        if (count > 32) {
            continue;
        }
        LLVMGetAttributesAtIndex(from, i, attributes);
        for (unsigned a = 0; a < count; a++) {
            LLVMAddAttributeAtIndex(to, i, attributes[a]);
        }
    }
}

/* void stub(args) { pack them; wg_cpu_launch_stub(&descriptor, pack); } */
static void build_stub(const struct wg_ir *ir, const struct wg_kernel *kernel, size_t index,
                       LLVMValueRef function) {
    LLVMTypeRef bytes = LLVMArrayType2(ir->i8, kernel->pack_bytes);
    LLVMTypeRef launch_params[2] = {ir->ptr, ir->ptr};
    LLVMValueRef launch = wg_ir_declare(ir, "wg_cpu_launch_stub", ir->void_type, launch_params, 2);
    LLVMValueRef descriptor = LLVMAddGlobal(ir->module, ir->i8, "");
    wg_ir_make_hidden(descriptor, wg_kernel_descriptor_name(index));
    LLVMPositionBuilderAtEnd(ir->builder,
                             LLVMAppendBasicBlockInContext(ir->context, function, "entry"));
    LLVMSetCurrentDebugLocation2(ir->builder, NULL);
    LLVMValueRef pack = LLVMBuildAlloca(ir->builder, bytes, "pack");
    LLVMSetAlignment(pack, 16);
    for (unsigned a = 0; a < kernel->arg_count; a++) {
        const struct wg_kernel_arg *arg = &kernel->args[a];
        const struct wg_kernel_param *param = &kernel->params[arg->param];
        LLVMValueRef offset = wg_ir_u64(ir, param->offset + arg->offset);
        LLVMValueRef to = LLVMBuildGEP2(ir->builder, ir->i8, pack, &offset, 1, "");
        LLVMValueRef value = LLVMGetParam(function, a);
        if (arg->by_reference) {
            LLVMBuildMemCpy(ir->builder, to, 1, value, 1, wg_ir_u64(ir, param->bytes));
            continue;
        }
        if (arg->storage != LLVMTypeOf(value)) {
            value = LLVMBuildZExt(ir->builder, value, arg->storage, "");
        }
        LLVMSetAlignment(LLVMBuildStore(ir->builder, value, to), 1);
    }
    wg_ir_call(ir, launch, (LLVMValueRef[]){descriptor, pack}, 2);
    LLVMBuildRetVoid(ir->builder);
}

static void replace_stub(const struct wg_ir *ir, struct wg_kernel *kernel, size_t index) {
    LLVMValueRef old = kernel->stub;
    LLVMValueRef stub = LLVMAddFunction(ir->module, "", LLVMGlobalGetValueType(old));
    copy_param_attributes(old, stub);
    build_stub(ir, kernel, index, stub);
    LLVMReplaceAllUsesWith(old, stub);
    LLVMDeleteFunction(old);
    wg_ir_make_internal(stub);
    kernel->stub = stub;
}

/* The pointer that both sides follow to a managed variable lives in the device object. */
static void share_variable(const struct wg_ir *ir, LLVMValueRef pointer, size_t index) {
    LLVMValueRef real = LLVMAddGlobal(ir->module, LLVMGlobalGetValueType(pointer), "");
    LLVMSetAlignment(real, LLVMGetAlignment(pointer));
    wg_ir_make_hidden(real, wg_variable_name(index));
    LLVMReplaceAllUsesWith(pointer, real);
    LLVMDeleteGlobal(pointer);
}

static void tell_touch(const struct wg_ir *ir, LLVMValueRef instruction, LLVMValueRef shadow,
                       enum wg_cpu_host_use use) {
    LLVMTypeRef params[3] = {ir->ptr, ir->i32, ir->ptr};
    LLVMValueRef hook = wg_ir_declare(ir, "wg_cpu_host_touch", ir->void_type, params, 3);
    wg_ir_before(ir, instruction);
    LLVMValueRef args[3] = {
        shadow, wg_ir_u32(ir, use),
        wg_site_make(ir, wg_debug_place(ir, instruction), (struct wg_site_object){0})};
    wg_ir_call(ir, hook, args, 3);
}

static bool is_stub(const struct wg_program *program, LLVMValueRef function) {
    for (size_t k = 0; k < program->kernel_count; k++) {
        if (program->kernels[k].stub == function) {
            return true;
        }
    }
    return false;
}

/* Finds what host code does with a shadow: address is the shadow or a place inside. */
static void watch_uses(const struct wg_program *program, LLVMValueRef address,
                       LLVMValueRef shadow) {
    const struct wg_ir *ir = &program->host;
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool is_target = LLVMGetNumOperands(user) > 0 && LLVMGetOperand(user, 0) == address;
        bool is_atomic = LLVMIsAAtomicRMWInst(user) || LLVMIsAAtomicCmpXchgInst(user);
        bool is_store = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == address;
        bool is_copy = wg_ir_is_intrinsic(user, "llvm.mem");
        if (wg_ir_is_gep(user)) {
            watch_uses(program, user, shadow);
        } else if (is_store || is_atomic || (is_copy && is_target)) {
            tell_touch(ir, user, shadow, WG_HOST_WRITE);
        } else if (LLVMIsALoadInst(user) || is_copy) {
            tell_touch(ir, user, shadow, WG_HOST_READ);
        } else if (wg_ir_callee(user) && is_stub(program, wg_ir_callee(user))) {
            tell_touch(ir, user, shadow, WG_HOST_TO_KERNEL);
        }
    }
}

/* Host code sees a variable of its own behind the name of a device variable, as on a GPU: its
 * address tells the runtime which variable is meant, and its value means nothing. */
static void watch_variables(const struct wg_program *program) {
    const struct wg_ir *ir = &program->host;
    for (size_t v = 0; v < program->variable_count; v++) {
        LLVMValueRef shadow = LLVMGetNamedGlobal(ir->module, program->variables[v].symbol);
        if (program->variables[v].is_managed) {
            share_variable(ir, shadow, v);
        } else {
            watch_uses(program, shadow, shadow);
        }
    }
}

static void name_shadows(const struct wg_program *program) {
    const struct wg_ir *ir = &program->host;
    for (size_t v = 0; v < program->variable_count; v++) {
        LLVMValueRef shadow = LLVMGetNamedGlobal(ir->module, program->variables[v].symbol);
        if (!program->variables[v].is_managed) {
            LLVMSetInitializer(shadow, LLVMConstNull(LLVMGlobalGetValueType(shadow)));
            LLVMSetGlobalConstant(shadow, false);
            wg_ir_make_hidden(shadow, wg_shadow_name(v));
        }
    }
}

/* Takes one function out of llvm.global_ctors. */
static void drop_constructor(const struct wg_ir *ir, LLVMValueRef constructor) {
    LLVMValueRef list = LLVMGetNamedGlobal(ir->module, "llvm.global_ctors");
    LLVMValueRef old = list ? LLVMGetInitializer(list) : NULL;
    if (!old) {
        return;
    }
    struct wg_values kept = {0};
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(old); i++) {
        LLVMValueRef entry = LLVMGetOperand(old, i);
        if (LLVMGetOperand(entry, 1) != constructor) {
            wg_values_add(&kept, entry);
        }
    }
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(old));
    LLVMDeleteGlobal(list);
    if (kept.count > 0) {
        LLVMValueRef entries = LLVMConstArray2(element, kept.at, kept.count);
        list = LLVMAddGlobal(ir->module, LLVMTypeOf(entries), "llvm.global_ctors");
        LLVMSetInitializer(list, entries);
        LLVMSetLinkage(list, LLVMAppendingLinkage);
    }
    wg_values_done(&kept);
}

static void delete_global(const struct wg_ir *ir, const char *name) {
    LLVMValueRef global = LLVMGetNamedGlobal(ir->module, name);
    if (global) {
        LLVMReplaceAllUsesWith(global, LLVMGetUndef(ir->ptr));
        LLVMDeleteGlobal(global);
    }
}

/* What clang emits for a fat binary that we do not have. */
static void drop_registration(const struct wg_ir *ir) {
    static const char *const functions[] = {"__hip_module_ctor", "__hip_register_globals",
                                            "__hip_module_dtor"};
    static const char *const globals[] = {"llvm.compiler.used", "llvm.global.annotations",
                                          "__hip_cuid_",        "__hip_fatbin_wrapper",
                                          "__hip_fatbin_",      "__hip_gpubin_handle_"};
    LLVMValueRef constructor = LLVMGetNamedFunction(ir->module, functions[0]);
    if (constructor) {
        drop_constructor(ir, constructor);
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(ir->module, functions[i]);
        if (function) {
            LLVMReplaceAllUsesWith(function, LLVMGetUndef(ir->ptr));
            LLVMDeleteFunction(function);
        }
    }
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++) {
        delete_global(ir, globals[i]);
    }
}

static bool is_exported(LLVMValueRef global, const char *exported, bool keep_main) {
    const char *name = wg_ir_name(global);
    return (exported && strcmp(name, exported) == 0) ||
           (keep_main && strcmp(name, "wg_student_main") == 0);
}

/* Copies of what libstdc++ itself exports stay references to it. */
static bool is_ours(LLVMValueRef global) {
    return !LLVMIsDeclaration(global) && !wg_ir_has_prefix(global, "llvm.") &&
           LLVMGetLinkage(global) != LLVMAvailableExternallyLinkage;
}

static void hide_rest(const struct wg_ir *ir, const char *exported, bool keep_main) {
    struct wg_values all = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f)) {
        wg_values_add(&all, f);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(ir->module); g; g = LLVMGetNextGlobal(g)) {
        wg_values_add(&all, g);
    }
    for (size_t i = 0; i < all.count; i++) {
        if (is_ours(all.at[i])) {
            wg_ir_make_internal(all.at[i]);
            if (is_exported(all.at[i], exported, keep_main)) {
                LLVMSetLinkage(all.at[i], LLVMExternalLinkage);
            }
        }
    }
    wg_values_done(&all);
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(ir->module); a; a = LLVMGetNextGlobalAlias(a)) {
        LLVMSetLinkage(a, LLVMInternalLinkage);
    }
}

/* crtbegin.o, which usually defines it, is not linked: nothing here is ever unloaded. */
static void define_dso_handle(const struct wg_ir *ir) {
    LLVMValueRef handle = LLVMGetNamedGlobal(ir->module, "__dso_handle");
    if (handle && LLVMIsDeclaration(handle)) {
        LLVMSetInitializer(handle, LLVMConstNull(LLVMGlobalGetValueType(handle)));
        wg_ir_make_internal(handle);
    }
}

/* A handle that is exported keeps its name and gets an alias for the device object's table. */
static void name_handles(struct wg_program *program, const char *exported) {
    const struct wg_ir *ir = &program->host;
    for (size_t k = 0; k < program->kernel_count; k++) {
        LLVMValueRef handle = program->kernels[k].handle;
        if (exported && strcmp(wg_ir_name(handle), exported) == 0) {
            LLVMValueRef alias =
                LLVMAddAlias2(ir->module, ir->ptr, 0, handle, wg_kernel_handle_name(k));
            LLVMSetVisibility(alias, LLVMHiddenVisibility);
        } else {
            wg_ir_make_hidden(handle, wg_kernel_handle_name(k));
        }
    }
}

enum wg_code wg_host_lower(struct wg_program *program, const char *exported, bool keep_main,
                           struct wg_err *err) {
    const struct wg_ir *ir = &program->host;
    drop_registration(ir);
    for (size_t k = 0; k < program->kernel_count; k++) {
        replace_stub(ir, &program->kernels[k], k);
    }
    watch_variables(program);
    LLVMValueRef main_function = LLVMGetNamedFunction(ir->module, "main");
    if (main_function && !LLVMIsDeclaration(main_function)) {
        wg_ir_rename(main_function, "wg_student_main");
    }
    define_dso_handle(ir);
    hide_rest(ir, exported, keep_main);
    name_handles(program, exported);
    name_shadows(program);
    return wg_ir_run(&program->host, "globaldce", NULL, err);
}
