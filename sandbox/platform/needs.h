/* What the programs of a platform need to see inside their jail, beside our own files: the vendor's
 * toolkit, the driver's libraries, the device. And which device there is, asked in a jail as well.
 *
 * All of it is found once a process; strings and structs are static. */
#ifndef WG_PLATFORM_NEEDS_H
#define WG_PLATFORM_NEEDS_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/base/err.h"
#include "sandbox/jail/jail.h"

#define WG_NEEDS_MAX 8

struct wg_needs {
    struct wg_jail_bind binds[WG_NEEDS_MAX];
    size_t bind_count;
    const char *env[WG_NEEDS_MAX]; /* "NAME=value", beside what any program gets; NULL-terminated */
};

/* Of several devices the one that jails get (index, UUID or PCI address); otherwise the first.
 * Before anything else here. Errors: WG_EINVAL, with what there is. */
enum wg_code wg_needs_choose_device(const char *platform, const char *wanted, struct wg_err *err);

/* For compiling, and for running on the device. A platform that is not known needs nothing. */
const struct wg_needs *wg_needs_of_compiler(const char *platform);
const struct wg_needs *wg_needs_of_run(const char *platform);

/* Fixed file names that tell at a glance that a platform's device or toolkit is there. */
bool wg_needs_have_device(const char *platform);
bool wg_needs_have_compiler(const char *platform);

/* The vendor's compiler as a path outside, for its version; NULL: it has none of its own. */
const char *wg_needs_compiler_program(const char *platform);

struct wg_device {
    char arch[64], name[128];
    char address[32];             /* on the PCI bus */
    char driver[32], runtime[32]; /* versions, for people; "": not known */
};

/* Asks the platform's harness, in a jail, for the first device; again at most once a process.
 * Errors: WG_EUNSUPPORTED, with what to do. */
enum wg_code wg_device_find(const char *platform, const struct wg_device **out, struct wg_err *err);

#endif
