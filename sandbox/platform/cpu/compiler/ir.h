/* Small vocabulary over llvm-c that the rest of the compiler is written in.
 *
 * A struct wg_ir owns a module together with its context and builder; wg_ir_done releases all of
 * it. Values and types are LLVM's and live as long as the module. */
#ifndef WG_COMPILER_IR_H
#define WG_COMPILER_IR_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/base/err.h"

struct wg_ir {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout; /* owned by the module */
    LLVMTypeRef void_type, ptr, i1, i8, i32, i64;
};

/* Reads bitcode. Debug information is kept as intrinsics, the only form that llvm-c can read. */
enum wg_code wg_ir_load(const char *path, struct wg_ir *out, struct wg_err *err);
void wg_ir_done(struct wg_ir *ir);

/* Runs passes given as for opt(1). machine may be NULL. */
enum wg_code wg_ir_run(struct wg_ir *ir, const char *passes, LLVMTargetMachineRef machine,
                       struct wg_err *err);

/* ---- Values -------------------------------------------------------------------------------- */
const char *wg_ir_name(LLVMValueRef value);
bool wg_ir_has_prefix(LLVMValueRef value, const char *prefix);
void wg_ir_rename(LLVMValueRef value, const char *name);
LLVMValueRef wg_ir_u32(const struct wg_ir *ir, uint32_t value);
LLVMValueRef wg_ir_u64(const struct wg_ir *ir, uint64_t value);
LLVMValueRef wg_ir_null(const struct wg_ir *ir);

/* A private, NUL-terminated string constant; null pointer for NULL. */
LLVMValueRef wg_ir_string(const struct wg_ir *ir, const char *text);

/* Declares (once) an external function that does not unwind. */
LLVMValueRef wg_ir_declare(const struct wg_ir *ir, const char *name, LLVMTypeRef result,
                           LLVMTypeRef *params, unsigned count);
LLVMValueRef wg_ir_call(const struct wg_ir *ir, LLVMValueRef function, LLVMValueRef *args,
                        unsigned count);

/* Gives a definition a private copy of its own: internal, in no comdat group. */
void wg_ir_make_internal(LLVMValueRef global);
/* A symbol shared between the objects of one library and invisible outside of it. */
void wg_ir_make_hidden(LLVMValueRef global, const char *name);

bool wg_ir_has_attribute(LLVMValueRef function, LLVMAttributeIndex index, const char *name);
void wg_ir_add_attribute(const struct wg_ir *ir, LLVMValueRef function, const char *name);
void wg_ir_drop_attribute(LLVMValueRef function, LLVMAttributeIndex index, const char *name);
/* The type in byval(T) of a parameter, or NULL. */
LLVMTypeRef wg_ir_byval(LLVMValueRef function, unsigned param);

/* The function that a call calls directly, or NULL. */
LLVMValueRef wg_ir_callee(LLVMValueRef instruction);
bool wg_ir_is_intrinsic(LLVMValueRef instruction, const char *prefix);

/* Byte offset of a GEP from its pointer operand when all indices are constant. */
bool wg_ir_gep_constant(const struct wg_ir *ir, LLVMValueRef gep, int64_t *offset);
/* The same offset as an i64 value, built at the builder's position. */
LLVMValueRef wg_ir_gep_offset(const struct wg_ir *ir, LLVMValueRef gep);
bool wg_ir_is_gep(LLVMValueRef value);

/* Innermost scalar of nested arrays, vectors and structs of one type, in bytes; a mixed struct
 * counts as one element. */
uint32_t wg_ir_element_bytes(const struct wg_ir *ir, LLVMTypeRef type);

/* All instructions of a function, in order. The caller frees. */
LLVMValueRef *wg_ir_instructions(LLVMValueRef function, size_t *count);
/* All functions of the module that have a body. The caller frees. */
LLVMValueRef *wg_ir_functions(const struct wg_ir *ir, size_t *count);

/* Puts the builder before an instruction, with its debug location. */
void wg_ir_before(const struct wg_ir *ir, LLVMValueRef instruction);
void wg_ir_after(const struct wg_ir *ir, LLVMValueRef instruction);
/* Behind the stack slots, which are made to come first in the entry block. */
void wg_ir_at_entry(const struct wg_ir *ir, LLVMValueRef function);

/* ---- A growing list of values -------------------------------------------------------------- */
struct wg_values {
    LLVMValueRef *at;
    size_t count, cap;
};
void wg_values_add(struct wg_values *list, LLVMValueRef value);
bool wg_values_has(const struct wg_values *list, LLVMValueRef value);
void wg_values_done(struct wg_values *list);

#endif
