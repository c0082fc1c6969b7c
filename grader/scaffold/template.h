/* Folders copied with words filled in. Not for other modules. */
#ifndef WG_SCAFFOLD_TEMPLATE_H
#define WG_SCAFFOLD_TEMPLATE_H

#include <stddef.h>

#include "grader/base/err.h"

struct wg_word {
    const char *name, *value; /* "@name@" becomes value */
};

/* Copies all regular files below `from` into `to`, which is made, with the words replaced in names
 * and text. Symbolic links are passed over. Errors: WG_EIO, WG_ELIMIT. */
enum wg_code wg_template_copy(const char *from, const char *to, const struct wg_word *words,
                              size_t word_count, struct wg_err *err);

#endif
