/* Who calls whom in the device module, and what follows from it: which functions are inlined, what
 * a kernel can reach, whether it may ever wait for other threads. */
#ifndef WG_COMPILER_CALLGRAPH_H
#define WG_COMPILER_CALLGRAPH_H

#include "sandbox/platform/cpu/compiler/kernel.h"

struct wg_function {
    LLVMValueRef value;
    size_t *callees; /* indices, one a call site; also functions whose address is taken */
    size_t callee_count;
    size_t instructions; /* its own */
    bool waits;          /* calls something that may wait for other threads */
    bool reads_index;    /* asks for threadIdx */
    bool calls_unknown;  /* through a pointer */
    bool address_taken;
    /* for the traversals */
    bool on_path, done, recursive;
    size_t expanded; /* instructions once its callees are inlined */
};

struct wg_callgraph {
    struct wg_function *functions; /* sorted by value */
    size_t count;
};

struct wg_callgraph wg_callgraph_make(const struct wg_ir *ir);
void wg_callgraph_done(struct wg_callgraph *graph);

/* Index of a function with a body; graph->count when it has none. */
size_t wg_callgraph_find(const struct wg_callgraph *graph, LLVMValueRef function);

/* Marks in reached[graph->count] all that function may call, itself included. */
void wg_callgraph_reach(struct wg_callgraph *graph, LLVMValueRef function, bool *reached);

/* Makes every device function disappear into its callers, except recursive ones and where the code
 * would grow beyond reason. A kernel in one piece is what makes loops over its threads fast, and
 * lets the checker see which parameter an access belongs to. */
enum wg_code wg_callgraph_inline_all(struct wg_program *program, struct wg_err *err);

#endif
