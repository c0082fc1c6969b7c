/* The right answer, in double, and what its error is proportional to: the sizes of both terms. */
#include <math.h>
#include <stdint.h>

void golden(const float *x, const float *y, double *out, double *out_magnitude, int32_t n);

void golden(const float *x, const float *y, double *out, double *out_magnitude, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        double first = 0.75 * (double)x[i];
        double second = 0.25 * (double)y[i];
        out[i] = first + second;
        out_magnitude[i] = fabs(first) + fabs(second);
    }
}
