/* The platforms by name: which there are, whether this machine can use them, and if not, why. */
#ifndef WG_GRADE_PLATFORM_H
#define WG_GRADE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/base/err.h"

struct wg_platform {
    const char *name;
    const char *device, *arch; /* when the run itself does not tell */
    const char *compiler;      /* the program whose version is part of the environment */
    bool times_count;          /* false: emulated, never scored */
    int warp_size;             /* default */
    /* NULL when it can be used here, otherwise why not and what to do. The string is static or
     * lives as long as the process. */
    const char *(*why_not)(void);
};

/* All of them, best first: the order in which "auto" tries. */
const struct wg_platform *wg_platform_list(size_t *count);

/* name: "auto" or a platform's. Errors: WG_EINVAL (unknown), WG_EUNSUPPORTED (cannot be used here:
 * the message says why). */
enum wg_code wg_platform_pick(const char *name, const struct wg_platform **out, struct wg_err *err);

/* What runs submissions there, for people: "NVIDIA H200, sm_90, at 0000:00:06.0"; heap. */
char *wg_platform_device(const struct wg_platform *platform);

/* The arch of the device that the platform's programs will run on, heap; NULL: the platform
 * compiles for this machine in any case. */
char *wg_platform_arch(const struct wg_platform *platform);

#endif
