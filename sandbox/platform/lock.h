/* One timed job a device at a time, over all processes and users of a machine.
 *
 * A lock is a file by the device's address, in a folder that all users share; the kernel gives it
 * up with the process that holds it. Jobs that only use the device share it with each other, but
 * not with one that is timed. */
#ifndef WG_PLATFORM_LOCK_H
#define WG_PLATFORM_LOCK_H

#include <stdbool.h>

#include "grader/base/err.h"

/* *fd is the lock: close it to give it up. waiting (may be NULL) is called once when somebody else
 * has the device. Errors: WG_EIO. */
enum wg_code wg_device_lock(const char *folder, const char *platform, const char *address,
                            bool alone, void (*waiting)(void *ctx), void *ctx, int *fd,
                            struct wg_err *err);

/* Where locks are: "/run/lock", or "/tmp" where that is not for all. */
const char *wg_device_lock_folder(void);

#endif
