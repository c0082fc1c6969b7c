/* From the answers for single cases to one: the verdict that names the submission, and its
 * sentence. */
#ifndef WG_GRADE_SUMMARY_H
#define WG_GRADE_SUMMARY_H

#include "grader/result/result.h"

/* Worsens the verdict to the worst of the cases and sets the sentence. checked: memory errors and
 * races were looked for. */
void wg_summary_make(struct wg_result *result, bool checked);

#endif
