/* Child processes whose output goes to a file. */
#ifndef WG_COMPILER_SPAWN_H
#define WG_COMPILER_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

#include "grader/base/err.h"

/* Starts args[0] with standard input closed and both outputs in the file `log`. Errors: WG_EIO,
 * WG_EUNSUPPORTED when the program is not there. */
enum wg_code wg_spawn(const char *const *args, const char *log, pid_t *out, struct wg_err *err);

/* Waits for it. The exit status, or 128 plus the signal that ended it. */
int wg_spawn_wait(pid_t pid);

#endif
