/* Points: the assignment's rubric applied to what was found out about a submission.
 *
 * A line that could not be measured here (speed on an emulated device, say) is marked as such and
 * counts neither for nor against; result->points and max_points cover the measured lines only.
 * Nothing is scored under GRADER_ERROR. */
#ifndef WG_SCORE_H
#define WG_SCORE_H

#include <stdbool.h>

#include "grader/manifest/manifest.h"
#include "grader/result/result.h"

struct wg_score_facts {
    bool checked;       /* the checked build ran, so that no finding means no error */
    bool timing_wanted; /* false: switched off by the caller */
    bool can_time;      /* the platform's times count */
};

/* Fills the rubric lines and sums of *result from its verdict, cases, findings and timings. */
void wg_score_apply(const struct wg_manifest *manifest, const struct wg_score_facts *facts,
                    struct wg_result *result);

/* The share (0..1) of a speedup line's points; 0 for a speedup that is no number. */
double wg_score_curve_share(const struct wg_rubric_line *line, double speedup);

/* Geometric mean over the timings that count, of what the curve goes by; 0 when there is none. */
double wg_score_speed(const struct wg_result *result, enum wg_curve_kind kind);

#endif
