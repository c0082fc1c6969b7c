/* What a later reader must know to judge whether two results may be compared: machine, system,
 * compiler, versions. */
#ifndef WG_GRADE_ENVIRONMENT_H
#define WG_GRADE_ENVIRONMENT_H

#include "grader/grade/platform.h"
#include "grader/result/result.h"

/* Fills what is still empty in result->environment. Never fails: what cannot be found out stays
 * NULL. */
void wg_environment_fill(const struct wg_platform *platform, struct wg_result *result);

#endif
