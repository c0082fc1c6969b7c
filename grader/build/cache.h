/* What was compiled, kept: references between runs, in the user's cache folder; submissions as long
 * as a batch lasts, in a folder of its own.
 *
 * An entry is one file, written through a rename, so that any number
 * of processes may read and write it at the same time. It starts with a digest of itself; an entry
 * that is damaged counts as missing. The cache is a convenience: nothing that goes wrong with it is
 * an error. */
#ifndef WG_BUILD_CACHE_H
#define WG_BUILD_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#define WG_CACHE_FILES_MAX 6

/* The key of what `argv` makes of `source`: it also covers the compiler, our headers and the
 * platform's tools as they lie on this machine. */
void wg_cache_key(const char *platform, const char *const *argv, const void *source, size_t len,
                  char out[65]);

/* Writes the named files of an entry into folder. cache: the folder of entries; NULL: the user's.
 * False: no (intact) entry, nothing was written. */
bool wg_cache_load(const char *cache, const char *key, const char *folder,
                   const char *const *names);

/* Keeps the named files of folder, which must all be there. */
void wg_cache_store(const char *cache, const char *key, const char *folder,
                    const char *const *names);

#endif
