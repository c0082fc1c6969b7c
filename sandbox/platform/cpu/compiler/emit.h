/* Optimizes a lowered module and writes it as an object file. */
#ifndef WG_COMPILER_EMIT_H
#define WG_COMPILER_EMIT_H

#include "sandbox/platform/cpu/compiler/ir.h"

enum wg_effort {
    WG_EFFORT_FAST, /* code that runs little or is bound by hooks anyway */
    WG_EFFORT_FULL,
};

/* Debug information is dropped: the sites carry what anybody needs. Undefined symbols are listed
 * before, one "SYMBOL FILE LINE COLUMN" a line, in object_path + ".uses", so that a link error can
 * be told in terms of the source. */
enum wg_code wg_emit_object(struct wg_ir *ir, enum wg_effort effort, const char *object_path,
                            struct wg_err *err);

#endif
