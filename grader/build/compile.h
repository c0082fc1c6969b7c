/* One run of a compiler in the jail: private to this folder.
 *
 * A job folder holds src/FILE and receives what the compiler makes; inside the jail it is /job. */
#ifndef WG_BUILD_COMPILE_H
#define WG_BUILD_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/base/err.h"
#include "grader/build/build.h"
#include "grader/manifest/manifest.h"
#include "sandbox/jail/jail.h"

/* A job folder with src/file_name in it, for the caller to remove with wg_jail_folder_remove. */
enum wg_code wg_compile_make_job(const char *file_name, const void *source, size_t len, char **out,
                                 struct wg_err *err);

/* argv is run in /job/src with the tools of a platform at hand. The caller frees *out with
 * wg_jail_result_done. */
enum wg_code wg_compile_run(const char *platform, int64_t wall_s, const char *const *argv,
                            const char *folder, struct wg_jail_result *out, struct wg_err *err);

/* The arguments of the platform's compiler for a file: what wg_compile_run wants. Freed by
 * wg_compile_argv_done. */
struct wg_compile_argv {
    const char *argv[16];
    char *program, *kernels, *signature;
};
void wg_compile_argv_make(const struct wg_build_target *target, const struct wg_manifest *manifest,
                          const char *file_name, struct wg_compile_argv *out);
void wg_compile_argv_done(struct wg_compile_argv *argv);

/* "launcher SYMBOL NAME" into the entry fields of *out. False: malformed. */
bool wg_compile_parse_entry(const char *text, size_t len, struct wg_build *out);

#endif
