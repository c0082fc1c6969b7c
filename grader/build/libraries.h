/* Libraries that do an assignment's work, and whether a submission uses one.
 *
 * What counts is what the compiler read and what it was not given: the list of included files, a
 * header that was not found, a function that nothing defines. A name in a comment is none of these.
 */
#ifndef WG_BUILD_LIBRARIES_H
#define WG_BUILD_LIBRARIES_H

#include "grader/build/build.h"

/* One sentence on the first library that the assignment does not allow, with the line where it is
 * included; heap; NULL: none. includes: the compiler's list in the form of a rule for make. */
char *wg_libraries_refuse(const struct wg_manifest *manifest, const char *file_name,
                          const char *source, size_t len, const char *includes,
                          const struct wg_diagnostic *diagnostics, size_t diagnostic_count);

#endif
