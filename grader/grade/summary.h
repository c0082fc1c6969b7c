/* From single answers to one: the verdict that names the submission, its sentence, the order of
 * findings. */
#ifndef WG_GRADE_SUMMARY_H
#define WG_GRADE_SUMMARY_H

#include "grader/result/result.h"

/* Sorts findings (what to fix first comes first) and sets verdict and sentence from cases and
 * findings. checked: memory errors and races were looked for. */
void wg_summary_make(struct wg_result *result, bool checked);

#endif
