/* New folders to fill in: an assignment, or the repository that a course's students start from.
 *
 * A folder appears complete or not at all, and one that exists and is not empty is never touched.
 */
#ifndef WG_SCAFFOLD_H
#define WG_SCAFFOLD_H

#include <stddef.h>

#include "grader/base/err.h"
#include "grader/manifest/manifest.h"

/* name: an identifier, since it becomes the name of a function and of files. folder: NULL for one
 * named like the assignment, here. Errors: WG_EINVAL (name, or the folder is in use), WG_EIO. */
enum wg_code wg_scaffold_assignment(const char *name, const char *folder, struct wg_err *err);

struct wg_scaffold_course {
    const char *name;   /* for the README */
    const char *folder; /* NULL for one of that name, here */
    /* Where pipelines find wavegrade, "OWNER/REPOSITORY@REF" on GitHub and "GROUP/PROJECT" on
     * GitLab; NULL: to be filled in. */
    const char *action, *project;
    const struct wg_manifest *const *assignments;
    size_t assignment_count;
};

/* Starters and hand-outs, and gates for GitHub and GitLab. Assignments that are not bundled are
 * copied into .wavegrade/, without naive.hip and tuned.hip. Errors: as above; WG_ENOTFOUND for an
 * assignment without a starter. */
enum wg_code wg_scaffold_course(const struct wg_scaffold_course *course, struct wg_err *err);

#endif
