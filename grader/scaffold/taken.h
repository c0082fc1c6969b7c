/* Names that a kernel's source cannot give to a function of its own. */
#ifndef WG_SCAFFOLD_TAKEN_H
#define WG_SCAFFOLD_TAKEN_H

#include <stdbool.h>

/* Whether a name is a word of C or C++, is declared by the headers that sources include
 * (hip/hip_runtime.h, math.h, stdio.h, stdlib.h, string.h, stdint.h), or is one of an assignment's
 * own. */
bool wg_name_is_taken(const char *name);

#endif
