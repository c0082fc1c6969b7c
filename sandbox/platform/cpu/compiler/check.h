/* The checked build: every access of device code asks the runtime first. */
#ifndef WG_COMPILER_CHECK_H
#define WG_COMPILER_CHECK_H

#include "sandbox/platform/cpu/compiler/shared.h"

enum wg_code wg_check_instrument(struct wg_program *program, const struct wg_shared *shared,
                                 struct wg_err *err);

#endif
