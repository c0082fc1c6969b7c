/* Results that a course sees, for every export format: perfect, wrong at n=1000, a race, does not
 * compile, our own fault, and one whose every string is an attack on whoever reads it. */
#ifndef WG_EXPORT_SAMPLES_H
#define WG_EXPORT_SAMPLES_H

#include "grader/result/result.h"

struct sample {
    const char *name;
    struct wg_result *(*make)(void);
};
extern const struct sample samples[];
extern const size_t sample_count;

#endif
