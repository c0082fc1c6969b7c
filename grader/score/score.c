#include <math.h>
#include <string.h>

#include "grader/score/score.h"

double wg_score_curve_share(const struct wg_rubric_line *line, double speedup) {
    const struct wg_curve_point *curve = line->curve;
    if (line->curve_count == 0 || !isfinite(speedup)) {
        return 0;
    }
    if (speedup <= curve[0].speedup) {
        return speedup > 0 ? curve[0].share : 0;
    }
    for (size_t i = 1; i < line->curve_count; i++) {
        if (speedup <= curve[i].speedup) {
            double part =
                (speedup - curve[i - 1].speedup) / (curve[i].speedup - curve[i - 1].speedup);
            return curve[i - 1].share + part * (curve[i].share - curve[i - 1].share);
        }
    }
    return curve[line->curve_count - 1].share;
}

static double speed_of(const struct wg_result_timing *timing, enum wg_curve_kind kind) {
    switch (kind) {
    case WG_CURVE_TUNED:
        return timing->tuned_share;
    case WG_CURVE_CEILING:
        return timing->ceiling_share;
    default:
        return timing->speedup;
    }
}

/* By logarithms: a product of many small ratios would underflow. */
double wg_score_speed(const struct wg_result *result, enum wg_curve_kind kind) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < result->timing_count; i++) {
        const struct wg_result_timing *timing = &result->timings[i];
        double speed = speed_of(timing, kind);
        if (timing->scored && !timing->emulated && isfinite(speed) && speed > 0) {
            sum += log(speed);
            count++;
        }
    }
    return count ? exp(sum / (double)count) : 0;
}

struct tally {
    size_t cases, passed, errors;
    bool ran;
};

static struct tally count(const struct wg_result *result) {
    struct tally tally = {.cases = result->case_count, .ran = result->case_count > 0};
    for (size_t i = 0; i < result->case_count; i++) {
        tally.passed += result->cases[i].verdict == WG_VERDICT_PASS;
    }
    for (size_t i = 0; i < result->finding_count; i++) {
        const char *severity = result->findings[i].severity;
        tally.errors += severity && strcmp(severity, "error") == 0;
    }
    return tally;
}

static void not_measured(struct wg_result_rubric *line, const char *why) {
    line->measured = false;
    line->points = 0;
    line->note = wg_strdup(why);
}

static void measured(struct wg_result_rubric *line, double share, char *note) {
    line->measured = true;
    line->points = line->max_points * share;
    line->note = note;
}

static void score_correctness(const struct tally *tally, struct wg_result_rubric *line) {
    if (!tally->ran) {
        measured(line, 0, wg_strdup("nothing ran"));
        return;
    }
    measured(line, (double)tally->passed / (double)tally->cases,
             wg_strf("%zu of %zu cases right", tally->passed, tally->cases));
}

/* A kernel that does nothing makes no memory errors: clean memory is worth points only beside a
 * right answer. */
static void score_memory(const struct tally *tally, const struct wg_score_facts *facts,
                         struct wg_result_rubric *line) {
    if (!tally->ran) {
        measured(line, 0, wg_strdup("nothing ran"));
    } else if (tally->errors) {
        measured(line, 0,
                 wg_strf("%zu error%s found", tally->errors, tally->errors == 1 ? "" : "s"));
    } else if (!facts->checked) {
        not_measured(line, "not measured here: checked mode did not run");
    } else if (tally->passed == 0) {
        measured(line, 0, wg_strdup("counts once a case is right"));
    } else {
        measured(line, 1, wg_strdup("no errors found"));
    }
}

static char *speed_in_words(enum wg_curve_kind kind, double speed) {
    switch (kind) {
    case WG_CURVE_TUNED:
        return wg_strf("%.0f%% of the speed of tuned.hip (geometric mean)", speed * 100);
    case WG_CURVE_CEILING:
        return wg_strf("%.0f%% of what this device can do (geometric mean)", speed * 100);
    default:
        return wg_strf("%.2f times as fast as naive (geometric mean)", speed);
    }
}

static void score_speedup(const struct tally *tally, const struct wg_score_facts *facts,
                          const struct wg_rubric_line *rule, const struct wg_result *result,
                          struct wg_result_rubric *line) {
    if (!facts->can_time) {
        not_measured(line, "not measured here: needs a GPU");
        return;
    }
    if (!facts->timing_wanted) {
        not_measured(line, "not measured here: timing was switched off");
        return;
    }
    if (result->verdict == WG_VERDICT_TIMING_SUSPECT) {
        measured(line, 0, wg_strdup("impossible times: for the instructor to look at"));
        return;
    }
    if (!tally->ran || tally->passed < tally->cases) {
        measured(line, 0, wg_strdup("speed counts once every case is right"));
        return;
    }
    double speed = wg_score_speed(result, rule->curve_kind);
    if (speed <= 0) {
        not_measured(line, "not measured here: no size gave a time that counts");
        return;
    }
    measured(line, wg_score_curve_share(rule, speed), speed_in_words(rule->curve_kind, speed));
}

static void score_line(const struct wg_rubric_line *rule, const struct tally *tally,
                       const struct wg_score_facts *facts, const struct wg_result *result,
                       struct wg_result_rubric *line) {
    if (result->verdict == WG_VERDICT_GRADER_ERROR) {
        not_measured(line, "not graded");
        return;
    }
    switch (rule->kind) {
    case WG_RUBRIC_BUILD:
        measured(line, result->build.ok ? 1 : 0,
                 wg_strdup(result->build.ok        ? "compiles"
                           : result->build.reached ? "does not compile"
                                                   : "no file to compile"));
        break;
    case WG_RUBRIC_CORRECTNESS:
        score_correctness(tally, line);
        break;
    case WG_RUBRIC_MEMORY:
        score_memory(tally, facts, line);
        break;
    case WG_RUBRIC_SPEEDUP:
        score_speedup(tally, facts, rule, result, line);
        break;
    }
}

void wg_score_apply(const struct wg_manifest *manifest, const struct wg_score_facts *facts,
                    struct wg_result *result) {
    struct tally tally = count(result);
    result->points = result->max_points = result->total_points = 0;
    result->score_complete = true;
    for (size_t i = 0; i < manifest->rubric_count; i++) {
        const struct wg_rubric_line *rule = &manifest->rubric[i];
        struct wg_result_rubric *line = wg_result_add_rubric(result);
        line->id = wg_strdup(rule->id);
        line->title = wg_strdup(rule->title);
        line->max_points = rule->points;
        score_line(rule, &tally, facts, result, line);
        result->total_points += line->max_points;
        if (line->measured) {
            result->points += line->points;
            result->max_points += line->max_points;
        } else {
            result->score_complete = false;
        }
    }
}
