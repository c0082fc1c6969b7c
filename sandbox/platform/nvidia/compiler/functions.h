/* The functions of a student's file, as the compilers that read it saw them.
 *
 * Two sources tell about them: the object's symbol table has the names that can be called, and the
 * host compiler's notes on stack use (-fstack-usage) have the declaration and the place of each
 * function, which C names lack. Kernels are told apart from host functions by what ptxas compiled:
 * for each kernel there is a host function of the same name. */
#ifndef WG_NVIDIA_FUNCTIONS_H
#define WG_NVIDIA_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/base/err.h"

struct wg_function {
    char *symbol;     /* what to look up in the library */
    char *name;       /* as the student wrote it, without namespaces and template arguments */
    char *parameters; /* "const float*, float*, int" */
    unsigned line, column;
    bool is_kernel;
    bool is_global; /* can be looked up at all */
};

struct wg_functions {
    struct wg_function *at;
    size_t count;
};

/* is_kernel: whether ptxas compiled a kernel of that symbol. source: only functions that stand in
 * it. Errors: WG_EIO, WG_EINTERNAL (not an object file). */
enum wg_code wg_functions_read(const char *object, const char *notes, const char *source,
                               bool (*is_kernel)(const void *context, const char *symbol),
                               const void *context, struct wg_functions *out, struct wg_err *err);
void wg_functions_done(struct wg_functions *functions);

/* Lets a symbol of an object file be looked up in the library that it is linked to: newer versions
 * of nvcc hide kernels. Errors: WG_EIO, WG_EINTERNAL. */
enum wg_code wg_functions_export(const char *object, const char *symbol, struct wg_err *err);

/* "ns::tile<16>" for the symbol of "void ns::tile<16>(float*, int)"; heap. */
char *wg_functions_kernel_name(const char *symbol);

/* How many parameters a list has, and each of them: *at (0 at first) moves on. False at the end. */
bool wg_functions_next_parameter(const char *list, size_t *at, const char **parameter, size_t *len);

#endif
