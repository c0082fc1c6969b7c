/* The compiler's words as data.
 *
 * Clang prints FILE:LINE:COLUMN: SEVERITY: MESSAGE, one a line, with source excerpts between. The
 * text is student-made (file names, identifiers, #error) and bounded by the jail; everything kept
 * here is cleaned and bounded again. */
#ifndef WG_BUILD_DIAGNOSTICS_H
#define WG_BUILD_DIAGNOSTICS_H

#include <stddef.h>

#include "grader/build/build.h"

#define WG_DIAGNOSTICS_MAX 50

/* Parses a log. Errors come first, then warnings and notes, each in the order of the log; what the
 * host and the device pass both say comes once. An error inside a header that a line of the
 * student's file caused (notes behind it say so) is moved to that line. *out is an array of *count
 * that the caller frees with wg_diagnostics_free. */
void wg_diagnostics_parse(const char *log, size_t len, const char *file_name,
                          struct wg_diagnostic **out, size_t *count);
void wg_diagnostics_free(struct wg_diagnostic *diagnostics, size_t count);

/* The first error, or NULL. */
const struct wg_diagnostic *wg_diagnostics_first_error(const struct wg_diagnostic *diagnostics,
                                                       size_t count);

#endif
