/* Where the program's own files are: beside the executable in a build tree, or below the
 * installation prefix.
 *
 * The returned strings belong to the module and live as long as the process; they are absolute and
 * free of symbolic links. Call wg_paths_init once, from main. */
#ifndef WG_BASE_PATHS_H
#define WG_BASE_PATHS_H

#include "grader/base/err.h"

/* Finds EXE_DIR/libexec/wavegrade (build tree) or EXE_DIR/../libexec/wavegrade (installed).
 * Errors: WG_ENOTFOUND when neither is there: the installation is broken. */
enum wg_code wg_paths_init(struct wg_err *err);

const char *wg_paths_libexec(void); /* .../libexec/wavegrade: programs that run inside the jail */
const char *
wg_paths_share(void); /* .../share/wavegrade: assignments, references, schemas, headers */

/* The user's cache folder, $XDG_CACHE_HOME/wavegrade or ~/.cache/wavegrade, made when it is missing
 * (0700). Errors: WG_EIO. */
enum wg_code wg_paths_cache(const char **out, struct wg_err *err);

#endif
