/* Shared by the files of the checked build's instrumentation. */
#ifndef WG_COMPILER_CHECK_INTERNAL_H
#define WG_COMPILER_CHECK_INTERNAL_H

#include "sandbox/platform/cpu/compiler/shared.h"
#include "sandbox/platform/cpu/compiler/site.h"

/* A local variable of a device function: a stack slot, or a struct parameter passed by value. */
struct wg_local {
    LLVMValueRef object; /* alloca or argument */
    const char *name;    /* NULL: a temporary */
    LLVMTypeRef type;
    uint64_t bytes;
    /* Every access to it is visible and goes to a computed place inside it: generated code can
     * judge it, and nobody else ever sees its address. */
    bool is_simple;
    /* It has no initializer: reads before the first write are findings. */
    bool is_tracked;
    bool is_exposed;    /* its address goes to code that is not instrumented */
    LLVMValueRef flags; /* of a simple, tracked one: as large as itself, all ones where written */
};

struct wg_instrument {
    const struct wg_program *program;
    const struct wg_ir *ir;
    const struct wg_shared *shared;
    LLVMValueRef read, write, atomic, fence, copy, fill, announce; /* the runtime's hooks */
    LLVMValueRef copy_in, copy_out;
    LLVMValueRef report_bounds, report_undefined; /* inlined: call a hook if a flag says so */
    LLVMValueRef mark, keep; /* placeholders that live only while instrumenting */
    LLVMValueRef function;
    LLVMValueRef words; /* of function: where copy_in tells what was written; NULL: not yet made */
    const struct wg_kernel *kernel; /* of which function is the body; NULL: a device function */
    struct wg_local *locals;        /* of function, sorted by object */
    size_t local_count;
};

/* What a pointer is derived from. */
struct wg_base {
    LLVMValueRef value; /* NULL: not known */
    struct wg_site_object object;
    struct wg_local *local; /* when it is a local variable */
};

/* access.c: walks through GEPs, casts, phis and selects while all ways agree. */
struct wg_base wg_access_base(const struct wg_instrument *in, LLVMValueRef pointer);

/* True for the pointer by which code finds a __managed__ variable; reading it is no access. */
bool wg_is_managed_pointer(const struct wg_instrument *in, LLVMValueRef pointer);

/* locals_prepare.c, locals.c */
/* Before memory is promoted to registers: replaces the automatic initialization of variables by
 * marks, and protects what must stay in memory. */
void wg_locals_prepare(struct wg_instrument *in);
/* After: finds and judges the variables of in->function. */
void wg_locals_find(struct wg_instrument *in);
/* Gives the simple ones that may be undefined their flags. */
void wg_locals_add_flags(struct wg_instrument *in);
struct wg_local *wg_locals_lookup(const struct wg_instrument *in, LLVMValueRef object);
/* Instruments an access to a simple local. */
void wg_locals_access(const struct wg_instrument *in, const struct wg_local *local,
                      LLVMValueRef instruction);
/* Copies or fills simple locals: keeps the flags of what was written in step. */
void wg_locals_copy(const struct wg_instrument *in, LLVMValueRef call);
/* Sets the flags of what a call copies into a simple local from the bits that copy_in left, and the
 * other way round. */
void wg_locals_take_words(const struct wg_instrument *in, LLVMValueRef call, LLVMValueRef words);
LLVMValueRef wg_locals_give_words(const struct wg_instrument *in, LLVMValueRef call);
/* Turns the marks of in->function into code, or removes them. */
void wg_locals_finish(const struct wg_instrument *in);

/* The stack slot or argument at the root of an address. */
LLVMValueRef wg_local_root(LLVMValueRef pointer);
/* An alloca of one object whose size is known. */
bool wg_is_static_slot(LLVMValueRef value);
bool wg_is_auto_init(const struct wg_ir *ir, LLVMValueRef instruction);
struct wg_site_object wg_local_object(const struct wg_ir *ir, const struct wg_local *local);
bool wg_is_copy(LLVMValueRef instruction); /* memcpy, memmove */
bool wg_is_fill(LLVMValueRef instruction); /* memset */

#endif
