/* Whether a repository's address, ref and folder make sense at all, before anything is read: what
 * does not is a mistake of whoever wrote the command line or the roster, and no student's. */
#ifndef WG_REPO_LOCATION_H
#define WG_REPO_LOCATION_H

#include "grader/base/err.h"

/* All return WG_EINVAL and a sentence that names what is wrong, without passwords. */

/* An address as of wg_repo_request.location that can never work is refused; one that cannot be
 * reached is no matter of this. Looks whether a path exists. */
enum wg_code wg_location_check(const char *location, struct wg_err *err);

/* A branch, tag or commit; NULL is the default branch. */
enum wg_code wg_location_check_ref(const char *ref, struct wg_err *err);

/* A folder inside the repository; NULL is its root. */
enum wg_code wg_location_check_folder(const char *folder, struct wg_err *err);

#endif
