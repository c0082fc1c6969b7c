/* Sites: constants that tell the runtime where in the student's source something happens. */
#ifndef WG_COMPILER_SITE_H
#define WG_COMPILER_SITE_H

#include <stdio.h>

#include "sandbox/platform/cpu/abi.h"
#include "sandbox/platform/cpu/compiler/debuginfo.h"

/* The object of an access; all zero when there is none or it is not known. */
struct wg_site_object {
    const char *name;
    uint64_t bytes;
    uint32_t kind; /* enum wg_cpu_object, with bits of enum wg_cpu_site_flag */
    uint32_t element_bytes;
};

/* A struct wg_cpu_site constant. */
LLVMValueRef wg_site_make(const struct wg_ir *ir, struct wg_source_place place,
                          struct wg_site_object object);

/* Lists every site as "what file:line:column function kind object bytes element"; NULL: do not. */
void wg_site_set_dump(FILE *to);
void wg_site_dump(const char *what, struct wg_source_place place, struct wg_site_object object);

#endif
