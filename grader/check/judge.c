#include "grader/check/judge.h"

#include <math.h>

/* Root mean square of the relative error of one rounding, in units of u. */
static const double rms_of_rounding = 0.43;

double wg_judge_value(enum wg_type type, const void *elements, size_t index) {
    switch (type) {
    case WG_TYPE_I8:
        return ((const int8_t *)elements)[index];
    case WG_TYPE_U8:
        return ((const uint8_t *)elements)[index];
    case WG_TYPE_I32:
        return ((const int32_t *)elements)[index];
    case WG_TYPE_U32:
        return ((const uint32_t *)elements)[index];
    case WG_TYPE_I64:
        return (double)((const int64_t *)elements)[index];
    case WG_TYPE_U64:
        return (double)((const uint64_t *)elements)[index];
    case WG_TYPE_F32:
        return (double)((const float *)elements)[index];
    case WG_TYPE_F64:
        return ((const double *)elements)[index];
    }
    return NAN;
}

/* The unit roundoff of a type; integers are exact. */
static double roundoff(enum wg_type type) {
    switch (type) {
    case WG_TYPE_F32:
        return 0x1p-24;
    case WG_TYPE_F64:
        return 0x1p-53;
    default:
        return 0;
    }
}

/* Below it results lose digits or become zero. */
static double smallest_normal(enum wg_type type) {
    return type == WG_TYPE_F64 ? 0x1p-1022 : type == WG_TYPE_F32 ? 0x1p-126 : 0;
}

static double gamma_of(double terms, double u) {
    return terms * u < 1 ? terms * u / (1 - terms * u) : INFINITY;
}

static double relative_bound(const struct wg_judge_rule *rule) {
    static const double lambda = 8;
    double u = roundoff(rule->type);
    double terms = (double)rule->terms;
    switch (rule->judge) {
    case WG_JUDGE_EXACT:
        break;
    case WG_JUDGE_DOT:
        return gamma_of(terms, u);
    case WG_JUDGE_SUM:
        return fmin(gamma_of(terms, u), expm1(lambda * sqrt(terms) * u + terms * u * u));
    case WG_JUDGE_RELATIVE:
        return rule->ulps * u;
    }
    return u;
}

/* What golden's double is in the element type. */
static double rounded(enum wg_type type, double golden) {
    switch (type) {
    case WG_TYPE_F32:
        return (double)(float)golden;
    case WG_TYPE_F64:
        return golden;
    default:
        return nearbyint(golden);
    }
}

static bool accepts(const struct wg_judge_rule *rule, double relative, double got, double golden,
                    double magnitude) {
    if (isnan(golden)) {
        return isnan(got);
    }
    if (rule->judge == WG_JUDGE_EXACT) {
        double want = rounded(rule->type, golden);
        return got == want && signbit(got) == signbit(want);
    }
    if (isinf(golden)) {
        return got == golden;
    }
    /* Written so that a NaN anywhere fails. */
    return fabs(got - golden) <= relative * magnitude + smallest_normal(rule->type);
}

bool wg_judge_accepts(const struct wg_judge_rule *rule, double got, double golden,
                      double magnitude) {
    return accepts(rule, relative_bound(rule), got, golden, magnitude);
}

/* |error| / bound. For exact outputs the bound is one rounding of the expected value. */
static double error_in_bounds(const struct wg_judge_rule *rule, double relative, double got,
                              double golden, double magnitude) {
    double bound = rule->judge == WG_JUDGE_EXACT
                       ? relative * fabs(golden)
                       : relative * magnitude + smallest_normal(rule->type);
    double error = fabs(got - golden);
    double units = error == 0 ? 0 : error / bound;
    return units <= WG_JUDGE_WORST ? units : WG_JUDGE_WORST;
}

/* Expected squared error of a sequential sum; see the header. */
static double sequential_square(double u, double terms, double golden, double magnitude) {
    double walk = golden * golden * terms / 3 + 16.0 / 9 / 6 * magnitude * magnitude;
    return rms_of_rounding * rms_of_rounding * u * u * walk;
}

static double rms_in_limit(const struct wg_judge_rule *rule, const void *got, const double *golden,
                           const double *magnitude, size_t count) {
    if (rule->judge != WG_JUDGE_DOT || !(rule->rms_factor > 0) || roundoff(rule->type) == 0) {
        return 0;
    }
    double u = roundoff(rule->type);
    double errors = 0;
    double limits = 0;
    for (size_t i = 0; i < count; i++) {
        if (isfinite(golden[i])) {
            double error = wg_judge_value(rule->type, got, i) - golden[i];
            errors += error * error;
            limits += sequential_square(u, (double)rule->terms, golden[i], magnitude[i]);
        }
    }
    double limit = rule->rms_factor * sqrt(limits);
    double share = errors == 0 ? 0 : sqrt(errors) / limit;
    return share <= WG_JUDGE_WORST ? share : WG_JUDGE_WORST;
}

void wg_judge_compare(const struct wg_judge_rule *rule, const void *got, const double *golden,
                      const double *magnitude, size_t count, uint8_t *wrong,
                      struct wg_judgement *out) {
    struct wg_judgement j = {.element_count = count};
    double relative = relative_bound(rule);
    for (size_t i = 0; i < count; i++) {
        double value = wg_judge_value(rule->type, got, i);
        bool right = accepts(rule, relative, value, golden[i], magnitude[i]);
        if (!right || (rule->judge != WG_JUDGE_EXACT && isfinite(golden[i]))) {
            double error = error_in_bounds(rule, relative, value, golden[i], magnitude[i]);
            j.error_in_bounds = fmax(j.error_in_bounds, error);
        }
        if (wrong != NULL) {
            wrong[i] = !right;
        }
        if (right) {
            continue;
        }
        if (j.wrong_count++ == 0) {
            j.first_wrong = i;
            j.got = value;
            j.expected = rounded(rule->type, golden[i]);
        }
        j.nan_count += isnan(value) && !isnan(golden[i]);
    }
    if (j.wrong_count == 0) {
        j.rms_in_limit = rms_in_limit(rule, got, golden, magnitude, count);
    }
    *out = j;
}
