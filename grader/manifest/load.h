/* Steps of wg_manifest_load, one file each. Not for other modules. */
#ifndef WG_MANIFEST_LOAD_H
#define WG_MANIFEST_LOAD_H

#include "grader/manifest/json.h"
#include "grader/manifest/manifest.h"

/* load.c: fills everything that stands in the file. Complaints are kept in the document. */
void wg_manifest_read(const struct wg_json *root, struct wg_manifest *manifest);

/* validate.c: evaluates every expression for every case, so that nothing after loading can fail on
 * the manifest's account. Errors: WG_EPARSE with the case. */
enum wg_code wg_manifest_validate(const struct wg_manifest *manifest, const char *file,
                                  struct wg_err *err);

/* digest.c: SHA-256 over names and contents of all files of both folders. */
enum wg_code wg_manifest_digest(const char *folder, const char *reference_folder, char out[65],
                                struct wg_err *err);

#endif
