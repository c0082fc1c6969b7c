/* Archives to hand to other systems, made in memory: the only door to libarchive.
 *
 * The same contents make the same bytes: entries carry no owner and one fixed date. */
#ifndef WG_KIT_ARCHIVE_H
#define WG_KIT_ARCHIVE_H

#include <stdbool.h>

#include "grader/base/buf.h"
#include "grader/base/err.h"

enum wg_archive_format { WG_ARCHIVE_ZIP, WG_ARCHIVE_TAR };

struct wg_archive;

/* Writes into out, which must outlive it. Errors: WG_EINTERNAL. */
enum wg_code wg_archive_open(enum wg_archive_format format, struct wg_buf *out,
                             struct wg_archive **archive, struct wg_err *err);

/* A file; path is relative, with slashes. Errors: WG_EINTERNAL. */
enum wg_code wg_archive_add(struct wg_archive *archive, const char *path, const void *bytes,
                            size_t len, bool is_program, struct wg_err *err);

/* All regular files below a folder, sorted, as prefix/...; .git and symbolic links are passed over.
 * Errors: WG_EIO, WG_ELIMIT. */
enum wg_code wg_archive_add_folder(struct wg_archive *archive, const char *prefix,
                                   const char *folder, struct wg_err *err);

/* Whether bytes are a tar, packed by gzip, bzip2, xz or zstd or not at all, that has a file of this
 * path below its one top folder: "scripts/setup" for wavegrade-1/scripts/setup. */
bool wg_archive_has(const void *bytes, size_t len, const char *path);

/* Completes what is in out. */
enum wg_code wg_archive_close(struct wg_archive *archive, struct wg_err *err);

/* Safe for NULL and after wg_archive_close. */
void wg_archive_free(struct wg_archive *archive);

#endif
