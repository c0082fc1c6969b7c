/* What a submission's library asks of the libraries around it.
 *
 * Student code shares its process with the harness, so what it could reach there is kept small: the
 * C++ runtime, the parts of the C library that coursework uses, and HIP. Anything else is refused
 * by its name before the library is ever loaded: other threads and processes, the loader, the
 * memory map, descriptors, signals, bare system calls. It is a list of what is allowed, so a name
 * that nobody thought of is refused as well. */
#ifndef WG_BUILD_IMPORTS_H
#define WG_BUILD_IMPORTS_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"

/* The names that relocations of a library refer to outside of it, one a line, without versions.
 * Errors: WG_EPROTO: no library that our linkers make. */
enum wg_code wg_imports_read(const void *library, size_t len, struct wg_buf *out,
                             struct wg_err *err);

/* What is wrong with importing a name: words that continue "it calls NAME, ..."; NULL: nothing. */
const char *wg_imports_doubt(const char *name, size_t len);

/* One sentence on the first name that may not be imported, with the line where the source mentions
 * it; heap. NULL: all of them may. may_load: the loader is allowed, which vendors' header-only
 * libraries ask for. */
char *wg_imports_refuse(const char *file_name, const char *source, size_t source_len,
                        const char *names, bool may_load);

#endif
