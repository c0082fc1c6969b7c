/* What a learning platform that runs autograders wants to be given: its scripts and the assignment,
 * in the archive that it takes. The scripts are files of their own, in share/wavegrade/kit. */
#ifndef WG_KIT_H
#define WG_KIT_H

#include "grader/base/buf.h"
#include "grader/base/err.h"
#include "grader/manifest/manifest.h"

struct wg_kit_request {
    const struct wg_manifest *manifest;
    const char *folder; /* of the file in a submission; NULL: at its root */
    const char *deb;    /* wavegrade as a package to be installed (Gradescope); NULL: none */
    const char *source; /* wavegrade as a tarball to be built (Gradescope); NULL: none */
};

/* A zip with setup.sh and run_autograder. Errors: WG_EIO, WG_ENOTFOUND, WG_ELIMIT, WG_EINVAL (deb
 * or source is something else). */
enum wg_code wg_kit_gradescope(const struct wg_kit_request *request, struct wg_buf *out,
                               struct wg_err *err);

/* A tar with autograde-Makefile and autograde.tar. */
enum wg_code wg_kit_autolab(const struct wg_kit_request *request, struct wg_buf *out,
                            struct wg_err *err);

#endif
