/* What to do about a fault that is ours or the machine's. */
#ifndef WG_GRADE_FAULT_H
#define WG_GRADE_FAULT_H

#include "grader/base/err.h"

/* One or two whole sentences for whoever runs the grader. Static. */
const char *wg_fault_next_step(const struct wg_err *err);

#endif
