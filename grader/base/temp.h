/* Temporary folders (wg_folder_make_temp in file.h) whose owner never came to remove them.
 *
 * Each is locked (flock) as long as the process that made it lives; so whoever gets the lock may
 * remove it. */
#ifndef WG_BASE_TEMP_H
#define WG_BASE_TEMP_H

/* How the prefixes of all folders of the program begin: "wavegrade-job.XXXXXX". */
#define WG_TEMP_PREFIX "wavegrade-"

/* Removes what processes that were killed have left, as far as this user may. */
void wg_temp_sweep(void);

/* For an end by a signal: leaves a process behind that removes this one's folders as soon as it is
 * gone, and all that it has started with it. */
void wg_temp_remove_at_end(void);

/* The folder is gone: its lock is given back. For wg_folder_remove. */
void wg_temp_forget(const char *path);

#endif
