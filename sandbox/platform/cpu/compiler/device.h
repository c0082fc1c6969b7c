/* The device module: from clang's bitcode to something that the runtime can launch. */
#ifndef WG_COMPILER_DEVICE_H
#define WG_COMPILER_DEVICE_H

#include "sandbox/platform/cpu/compiler/kernel.h"

/* False when device code has something that can only run on a GPU (its assembly language); told as
 * a diagnostic. */
bool wg_device_accept(const struct wg_program *program);

/* What the plain and the checked build have in common: junk removed, functions inlined. */
enum wg_code wg_device_prepare(struct wg_program *program, struct wg_err *err);

/* Lowers the prepared module for good. checked: with instrumentation, without block loops. */
enum wg_code wg_device_lower(struct wg_program *program, bool checked, struct wg_err *err);

#endif
