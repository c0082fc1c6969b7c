/* Puts the code objects of all arches into the host module, where the HIP runtime finds them. */
#ifndef WG_AMD_FATBIN_H
#define WG_AMD_FATBIN_H

#include "grader/base/buf.h"
#include "sandbox/platform/cpu/compiler/ir.h"

struct wg_amd_image {
    const char *arch; /* "gfx90a" */
    const char *path; /* of the code object */
};

/* Appends the images in the form that clang-offload-bundler writes. Errors: WG_EIO. */
enum wg_code wg_amd_bundle(const struct wg_amd_image *images, size_t count, struct wg_buf *out,
                           struct wg_err *err);

/* Gives the host module the bundle that its constructor registers, and hides everything but the
 * symbol `exported`. */
enum wg_code wg_amd_host_finish(struct wg_ir *host, const struct wg_buf *bundle,
                                const char *exported, struct wg_err *err);

#endif
