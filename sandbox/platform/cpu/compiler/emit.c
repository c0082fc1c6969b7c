#include "sandbox/platform/cpu/compiler/emit.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/buf.h"
#include "grader/base/cleanup.h"
#include "grader/base/file.h"
#include "sandbox/platform/cpu/compiler/debuginfo.h"

static enum wg_code make_machine(const struct wg_ir *ir, enum wg_effort effort,
                                 LLVMTargetMachineRef *out, struct wg_err *err) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser(); /* host code may have inline assembly */
    LLVMTargetRef target = NULL;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(LLVMGetTarget(ir->module), &target, &message)) {
        enum wg_code code = wg_fail(err, WG_EUNSUPPORTED, "%s", message);
        LLVMDisposeMessage(message);
        return code;
    }
    char *cpu = LLVMGetHostCPUName();
    char *features = LLVMGetHostCPUFeatures();
    *out = LLVMCreateTargetMachine(target, LLVMGetTarget(ir->module), cpu, features,
                                   effort == WG_EFFORT_FULL ? LLVMCodeGenLevelDefault
                                                            : LLVMCodeGenLevelLess,
                                   LLVMRelocPIC, LLVMCodeModelDefault);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    return WG_OK;
}

/* clang wrote a generic processor into every function; the library runs on this one. */
static void follow_machine(const struct wg_ir *ir) {
    static const char *const names[] = {"target-cpu", "target-features", "tune-cpu"};
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f)) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            LLVMRemoveStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                             names[i], (unsigned)strlen(names[i]));
        }
    }
}

static LLVMValueRef first_instruction_using(LLVMValueRef value, int depth) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use && depth < 8; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMValueRef found =
            LLVMIsAInstruction(user) ? user : first_instruction_using(user, depth + 1);
        if (found) {
            return found;
        }
    }
    return NULL;
}

static enum wg_code write_uses(const struct wg_ir *ir, const char *object_path,
                               struct wg_err *err) {
    WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(ir->module); f; f = LLVMGetNextFunction(f)) {
        LLVMValueRef use = LLVMIsDeclaration(f) && LLVMGetIntrinsicID(f) == 0
                               ? first_instruction_using(f, 0)
                               : NULL;
        if (use) {
            struct wg_source_place place = wg_debug_place(ir, use);
            wg_buf_printf(&text, "%s %u %u %s\n", wg_ir_name(f), place.line, place.column,
                          place.file);
        }
    }
    WG_CLEANUP(wg_freep) char *path = wg_strf("%s.uses", object_path);
    return wg_file_write(path, wg_buf_str(&text), text.len, 0600, err);
}

/* llvm-c's target machine would write constructors to .ctors, which no loader looks at any more; so
 * the pointers are put into .init_array by hand, after the optimizer, which knows only the list. */
static void place_hooks(const struct wg_ir *ir, const char *list_name, const char *section) {
    LLVMValueRef list = LLVMGetNamedGlobal(ir->module, list_name);
    LLVMValueRef entries = list ? LLVMGetInitializer(list) : NULL;
    int count = entries ? LLVMGetNumOperands(entries) : 0;
    for (int i = 0; i < count; i++) {
        LLVMValueRef entry = LLVMGetOperand(entries, (unsigned)i);
        uint64_t priority = LLVMConstIntGetZExtValue(LLVMGetOperand(entry, 0));
        WG_CLEANUP(wg_freep)
        char *name = priority == 65535 ? wg_strdup(section)
                                       : wg_strf("%s.%05u", section, (unsigned)priority);
        LLVMValueRef pointer = LLVMAddGlobal(ir->module, ir->ptr, "");
        LLVMSetInitializer(pointer, LLVMGetOperand(entry, 1));
        LLVMSetLinkage(pointer, LLVMInternalLinkage);
        LLVMSetSection(pointer, name);
    }
    if (list) {
        LLVMDeleteGlobal(list);
    }
}

static enum wg_code optimize_and_write(struct wg_ir *ir, enum wg_effort effort,
                                       LLVMTargetMachineRef machine, const char *object_path,
                                       struct wg_err *err) {
    char *message = NULL;
    /* Whatever odd construct slipped through is told here, and not by a crash of the optimizer. */
    if (LLVMVerifyModule(ir->module, LLVMReturnStatusAction, &message)) {
        enum wg_code broken = wg_fail(err, WG_EINTERNAL, "broken code: %.200s", message);
        LLVMDisposeMessage(message);
        return broken;
    }
    LLVMDisposeMessage(message);
    message = NULL;
    enum wg_code code =
        wg_ir_run(ir, effort == WG_EFFORT_FULL ? "default<O2>" : "default<O1>", machine, err);
    place_hooks(ir, "llvm.global_ctors", ".init_array");
    place_hooks(ir, "llvm.global_dtors", ".fini_array");
    if (!code &&
        LLVMTargetMachineEmitToFile(machine, ir->module, object_path, LLVMObjectFile, &message)) {
        code = wg_fail(err, WG_EIO, "write '%s': %s", object_path, message);
        LLVMDisposeMessage(message);
    }
    return code;
}

enum wg_code wg_emit_object(struct wg_ir *ir, enum wg_effort effort, const char *object_path,
                            struct wg_err *err) {
    LLVMTargetMachineRef machine = NULL;
    enum wg_code code = make_machine(ir, effort, &machine, err);
    if (code) {
        return code;
    }
    code = write_uses(ir, object_path, err);
    if (!code) {
        LLVMStripModuleDebugInfo(ir->module);
        follow_machine(ir);
        code = optimize_and_write(ir, effort, machine, object_path, err);
    }
    LLVMDisposeTargetMachine(machine);
    return code;
}
