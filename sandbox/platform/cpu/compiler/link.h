/* Links objects to a library that the harness can load. */
#ifndef WG_COMPILER_LINK_H
#define WG_COMPILER_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "grader/base/err.h"

/* Starts the linker; its words go to output + ".log". Errors: WG_EIO. */
enum wg_code wg_link_start(const char *const *objects, size_t object_count, const char *runtime,
                           const char *output, pid_t *out, struct wg_err *err);

/* Tells about undefined symbols as errors at the places that use them; false when the linker failed
 * for another reason, whose first words are then in err. */
bool wg_link_explain(const char *const *objects, size_t object_count, const char *source,
                     const char *output, struct wg_err *err);

#endif
