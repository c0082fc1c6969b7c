/* What debug information says about the student's source: places, names, types.
 *
 * llvm-c hands out metadata nodes but few of their fields, so this file knows the operand order of
 * LLVM 19's nodes. Strings belong to the module's context; everything tolerates absent nodes. */
#ifndef WG_COMPILER_DEBUGINFO_H
#define WG_COMPILER_DEBUGINFO_H

#include "sandbox/platform/cpu/compiler/ir.h"

struct wg_source_place {
    const char *file; /* as named on the command line; "" when not known */
    unsigned line, column;
    const char *function; /* symbol of the enclosing function, or NULL */
};

/* Files below these folders are ours and never a place in the student's source. At most two. */
void wg_debug_add_header_folder(const char *folder);

/* Innermost frame outside our and the system's headers. An instruction without a location gets
 * that of its function. */
struct wg_source_place wg_debug_place(const struct wg_ir *ir, LLVMValueRef instruction);
struct wg_source_place wg_debug_function_place(const struct wg_ir *ir, LLVMValueRef function);

/* Name in the source, template arguments included, without namespaces; NULL when not known. */
const char *wg_debug_function_name(const struct wg_ir *ir, LLVMValueRef function);
const char *wg_debug_global_name(const struct wg_ir *ir, LLVMValueRef global);
/* Enclosing namespaces and classes: "hw::detail::", heap, never NULL. The caller frees. */
char *wg_debug_function_scope(const struct wg_ir *ir, LLVMValueRef function);

/* Types of a function's parameters as the source has them. */
size_t wg_debug_param_count(const struct wg_ir *ir, LLVMValueRef function);
LLVMMetadataRef wg_debug_param_type(const struct wg_ir *ir, LLVMValueRef function, size_t index);
/* The type as C++ writes it, roughly; heap. The caller frees. */
char *wg_debug_type_name(const struct wg_ir *ir, LLVMMetadataRef type);
uint64_t wg_debug_type_bytes(const struct wg_ir *ir, LLVMMetadataRef type);
/* What a pointer or reference type points to; NULL when it is none. */
LLVMMetadataRef wg_debug_pointee(const struct wg_ir *ir, LLVMMetadataRef type);

/* The local variable that an llvm.dbg.declare describes, and its name. */
LLVMValueRef wg_debug_declared_value(LLVMValueRef declare_call);
const char *wg_debug_declared_name(LLVMValueRef declare_call);

#endif
