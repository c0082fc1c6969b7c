/* Whole-file reading and writing, folders that clean themselves up.
 *
 * Paths are plain byte strings. Reading is bounded by the caller; writing is atomic: a reader sees
 * the old contents or the new, never half. */
#ifndef WG_BASE_FILE_H
#define WG_BASE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"

/* Appends the contents of a regular file. Errors: WG_ENOTFOUND, WG_EINVAL (a folder), WG_EIO,
 * WG_ELIMIT (larger than limit_bytes). */
enum wg_code wg_file_read(const char *path, size_t limit_bytes, struct wg_buf *out,
                          struct wg_err *err);

/* Writes a file that gets its name when it is complete. mode as for open(2). What is no regular
 * file (a device, a fifo) is written to; so is an open stream, by its path (/dev/stdout, /dev/fd/3)
 * or by that of the file which standard output or standard error goes to: behind what it holds.
 * Errors: WG_EINVAL (a folder), WG_EIO. */
enum wg_code wg_file_write(const char *path, const void *bytes, size_t len, mode_t mode,
                           struct wg_err *err);

bool wg_file_exists(const char *path);
bool wg_file_is_folder(const char *path);

/* mkdir -p. */
enum wg_code wg_folder_make(const char *path, mode_t mode, struct wg_err *err);

/* A new private folder (0700) below $TMPDIR or /tmp; *out is owned by the caller, who removes the
 * tree with wg_folder_remove. See temp.h for those of processes that were killed. */
enum wg_code wg_folder_make_temp(const char *prefix, char **out, struct wg_err *err);

/* rm -r, without following symbolic links and without crossing into another file system. A path
 * that does not exist is success. */
enum wg_code wg_folder_remove(const char *path, struct wg_err *err);

/* Whether a part of the path is "..", which may lead out of what it is relative to. */
bool wg_path_climbs(const char *path);

/* "dir/name", heap, caller frees. */
char *wg_path_join(const char *dir, const char *name);

#endif
