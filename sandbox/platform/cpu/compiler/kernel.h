/* The kernels and device variables of one student file: what the host and the device module agree
 * on. Everything is found once, before the objects are made; the lists own their strings. */
#ifndef WG_COMPILER_KERNEL_H
#define WG_COMPILER_KERNEL_H

#include "sandbox/platform/cpu/compiler/ir.h"

/* A parameter as the source has it, and its place in the argument pack. */
struct wg_kernel_param {
    char *name; /* NULL when unnamed */
    uint64_t bytes, offset;
    uint32_t align;
    bool is_pointer;
    uint32_t element_bytes; /* of what a pointer points to; 0 when not known */
};

/* One argument of the lowered function. The ABI may split a struct over several, or pass it by
 * reference. */
struct wg_kernel_arg {
    unsigned param;
    uint64_t offset;     /* within the parameter */
    bool by_reference;   /* the argument is the address of the parameter in the pack */
    LLVMTypeRef storage; /* how it lies in memory: i8 for a bool that is passed as i1 */
};

struct wg_kernel {
    char *symbol;        /* mangled; the handle's and the device function's name */
    LLVMValueRef handle; /* host: what host code knows the kernel by */
    LLVMValueRef stub;   /* host: the function that <<<>>> calls */
    LLVMValueRef body;   /* device: the kernel itself */
    struct wg_kernel_param *params;
    size_t param_count;
    struct wg_kernel_arg *args;
    size_t arg_count;
    uint64_t pack_bytes;
    uint32_t max_threads; /* 0: no launch bounds */
};

struct wg_device_variable {
    char *symbol; /* in both modules */
    bool is_constant, is_managed;
};

struct wg_program {
    struct wg_ir host, device;
    struct wg_kernel *kernels;
    size_t kernel_count;
    struct wg_device_variable *variables; /* that host code may know */
    size_t variable_count;
};

/* Finds the kernels and variables of program->host and their bodies in program->device. */
enum wg_code wg_program_read(struct wg_program *program, struct wg_err *err);
void wg_program_done(struct wg_program *program);

/* Names of symbols that join the two objects of a library; in a static buffer that is overwritten
 * by the next call. */
const char *wg_kernel_descriptor_name(size_t index);
const char *wg_kernel_handle_name(size_t index);
const char *wg_variable_name(size_t index);
const char *wg_shadow_name(size_t index);

/* host.c: turns the host module into one that calls the runtime. exported: the symbols that stay
 * visible. keep_main: the student's main becomes wg_student_main; else nothing calls it. */
enum wg_code wg_host_lower(struct wg_program *program, const char *exported, bool keep_main,
                           struct wg_err *err);

#endif
