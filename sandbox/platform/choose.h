/* Which of several GPUs: by index, UUID or PCI address, as the vendor's tools print them.
 *
 * Devices are found by their nodes and what the kernel tells of them, without a vendor's library.
 * The chosen one is the only one that jails have (needs.h), so that it is the first and only device
 * in there. */
#ifndef WG_PLATFORM_CHOOSE_H
#define WG_PLATFORM_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/base/err.h"

#define WG_CHOOSE_MOST 64

struct wg_gpu {
    char platform[8]; /* "nvidia" or "amd" */
    int index;        /* among those of its platform, from 0 */
    char node[64];    /* below the folder of devices: "nvidia0", "dri/renderD128" */
    char address[32]; /* "0000:41:00.0"; "": not known */
    char uuid[64];    /* "": not known */
};

/* Where to look; for tests. */
struct wg_choose_roots {
    const char *dev, *proc, *sys;
};
extern const struct wg_choose_roots wg_choose_machine;

/* In the order of their nodes. */
size_t wg_choose_list(const struct wg_choose_roots *roots, struct wg_gpu gpus[WG_CHOOSE_MOST]);

/* platform: "auto" or a name. Errors: WG_EINVAL, with what there is. */
enum wg_code wg_choose_find(const struct wg_gpu *gpus, size_t count, const char *platform,
                            const char *wanted, const struct wg_gpu **out, struct wg_err *err);

#endif
