#include "sandbox/platform/cpu/compiler/device.h"

#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "sandbox/platform/cpu/compiler/callgraph.h"
#include "sandbox/platform/cpu/compiler/check.h"
#include "sandbox/platform/cpu/compiler/debuginfo.h"
#include "sandbox/platform/cpu/compiler/diag.h"
#include "sandbox/platform/cpu/compiler/entries.h"
#include "sandbox/platform/cpu/compiler/primitive.h"
#include "sandbox/platform/cpu/compiler/rejoin.h"
#include "sandbox/platform/cpu/compiler/shared.h"
#include "sandbox/platform/cpu/compiler/site.h"
#include "sandbox/platform/cpu/compiler/tables.h"

static bool is_kernel(const struct wg_program *program, LLVMValueRef function) {
    for (size_t k = 0; k < program->kernel_count; k++) {
        if (program->kernels[k].body == function) {
            return true;
        }
    }
    return false;
}

static bool is_variable(const struct wg_program *program, LLVMValueRef global) {
    const char *name = wg_ir_name(global);
    for (size_t v = 0; v < program->variable_count; v++) {
        const char *symbol = program->variables[v].symbol;
        size_t length = strlen(symbol);
        if (strncmp(name, symbol, length) == 0 &&
            (name[length] == '\0' || strcmp(name + length, ".managed") == 0)) {
            return true;
        }
    }
    return false;
}

/* Only kernels and variables that the host knows stay visible, so that the rest can be dropped. */
static void hide_rest(const struct wg_program *program) {
    const struct wg_ir *ir = &program->device;
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f)) {
            wg_ir_make_internal(f);
            if (is_kernel(program, f)) {
                LLVMSetLinkage(f, LLVMExternalLinkage);
            }
        }
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(ir->module); g; g = LLVMGetNextGlobal(g)) {
        if (!LLVMIsDeclaration(g) && !wg_ir_has_prefix(g, "llvm.")) {
            wg_ir_make_internal(g);
            if (is_variable(program, g)) {
                LLVMSetLinkage(g, LLVMExternalLinkage);
            }
        }
    }
}

bool wg_device_accept(const struct wg_program *program) {
    const struct wg_ir *ir = &program->device;
    bool accepted = true;
    size_t function_count = 0;
    LLVMValueRef *functions = wg_ir_functions(ir, &function_count);
    for (size_t f = 0; f < function_count; f++) {
        size_t count = 0;
        LLVMValueRef *code = wg_ir_instructions(functions[f], &count);
        for (size_t i = 0; i < count; i++) {
            bool is_call = LLVMIsACallInst(code[i]) != NULL;
            LLVMValueRef assembly = is_call ? LLVMIsAInlineAsm(LLVMGetCalledValue(code[i])) : NULL;
            size_t length = 0;
            if (assembly && LLVMGetInlineAsmAsmString(assembly, &length) && length > 0) {
                struct wg_source_place place = wg_debug_place(ir, code[i]);
                wg_diag_error(place.file, place.line, place.column, NULL,
                              "assembly language of a GPU cannot run on the cpu platform");
                accepted = false;
            }
        }
        free((void *)code);
    }
    free((void *)functions);
    return accepted;
}

enum wg_code wg_device_prepare(struct wg_program *program, struct wg_err *err) {
    static const char *const junk[] = {"llvm.compiler.used", "llvm.used", "llvm.global_ctors",
                                       "llvm.global_dtors", "__hip_cuid_"};
    const struct wg_ir *ir = &program->device;
    for (size_t i = 0; i < sizeof junk / sizeof *junk; i++) {
        LLVMValueRef global = LLVMGetNamedGlobal(ir->module, junk[i]);
        if (global) {
            LLVMReplaceAllUsesWith(global, LLVMGetUndef(ir->ptr));
            LLVMDeleteGlobal(global);
        }
    }
    hide_rest(program);
    enum wg_code code = wg_callgraph_inline_all(program, err);
    if (!code) {
        wg_rejoin_insert(ir);
    }
    return code;
}

static LLVMValueRef *kernel_sites(const struct wg_program *program) {
    const struct wg_ir *ir = &program->device;
    LLVMValueRef *sites = wg_calloc(program->kernel_count + 1, sizeof *sites);
    for (size_t k = 0; k < program->kernel_count; k++) {
        struct wg_source_place place = wg_debug_function_place(ir, program->kernels[k].body);
        wg_site_dump("kernel", place, (struct wg_site_object){0});
        sites[k] = wg_site_make(ir, place, (struct wg_site_object){0});
    }
    return sites;
}

enum wg_code wg_device_lower(struct wg_program *program, bool checked, struct wg_err *err) {
    struct wg_callgraph graph = wg_callgraph_make(&program->device);
    struct wg_shared shared = wg_shared_layout(program, &graph);
    LLVMValueRef *declared_at = kernel_sites(program);
    struct wg_kernel_entries *entries = NULL;
    enum wg_code code = WG_OK;
    if (checked) {
        code = wg_check_instrument(program, &shared, err);
    }
    if (!code) {
        code = wg_shared_lower(program, &shared, err);
    }
    if (!code) {
        code = wg_entries_build(program, &shared, &graph, !checked, &entries, err);
    }
    if (!code) {
        wg_primitive_expand(&program->device);
        for (size_t k = 0; k < program->kernel_count; k++) {
            wg_ir_make_internal(program->kernels[k].body);
        }
        wg_tables_build(program, &shared, entries, declared_at, checked);
        code = wg_ir_run(&program->device, "globaldce", NULL, err);
    }
    free(entries);
    free((void *)declared_at);
    wg_shared_done(&shared);
    wg_callgraph_done(&graph);
    return code;
}
