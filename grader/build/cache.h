/* Compiled references, kept between runs.
 *
 * An entry is one file below the user's cache folder, written through a rename, so that any number
 * of processes may read and write it at the same time. It starts with a digest of itself; an entry
 * that is damaged counts as missing. The cache is a convenience: nothing that goes wrong with it is
 * an error. */
#ifndef WG_BUILD_CACHE_H
#define WG_BUILD_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#define WG_CACHE_FILES_MAX 4

/* The key of what `argv` makes of `source`: it also covers the compiler, our headers and the
 * platform's tools as they lie on this machine. */
void wg_cache_key(const char *platform, const char *const *argv, const void *source, size_t len,
                  char out[65]);

/* Writes the named files of an entry into folder. False: no (intact) entry, nothing was written. */
bool wg_cache_load(const char *key, const char *folder, const char *const *names);

/* Keeps the named files of folder. */
void wg_cache_store(const char *key, const char *folder, const char *const *names);

#endif
