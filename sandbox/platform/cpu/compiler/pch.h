/* Our HIP headers, parsed ahead of time.
 *
 * Reading hip/hip_runtime.h and what it needs of the C++ library is most of the work of compiling a
 * small file, so it is done once, when wavegrade is built (compile --precompile), for both passes.
 * A source that does not begin like most do, or a compiler that has been replaced since, simply
 * does without. */
#ifndef WG_COMPILER_PCH_H
#define WG_COMPILER_PCH_H

#include <stdbool.h>

#include "grader/base/err.h"

/* The parsed form names the headers by their place inside the jail. Anywhere else an overlay makes
 * clang see them there. They hang on an empty main file, which exists everywhere: clang goes back
 * to the main file when it has something to say. */
#define WG_PCH_INCLUDE "/wg/share/cpu/include"
#define WG_PCH_SOURCE  "/dev/null"

struct wg_pch {
    char *host, *device; /* files for the two passes, heap */
};

/* True when the folder holds headers parsed by the compiler that is installed. */
bool wg_pch_find(const char *folder, struct wg_pch *out);
void wg_pch_done(struct wg_pch *pch);

/* True when the source means the same with the headers put before it: its first lines are comments
 * and includes of system headers, hip/hip_runtime.h among them. */
bool wg_pch_fits(const char *source);

/* The path, in folder, of the headers parsed for a pass ("host", "device"); heap. */
char *wg_pch_path(const char *folder, const char *pass);
/* Writes the stamp that makes the folder valid, once both files are there. */
enum wg_code wg_pch_write_stamp(const char *folder, struct wg_err *err);

/* Writes the overlay that puts the headers of `include` where the parsed form expects them; *path
 * is NULL when they are there already, else heap. */
enum wg_code wg_pch_write_overlay(const char *folder, const char *include, char **path,
                                  struct wg_err *err);

#endif
