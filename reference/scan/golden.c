/* Inclusive prefix sums in double, and the same of the sizes: the error of a float sum of the first
 * terms is proportional to that. */
#include <math.h>
#include <stdint.h>

void golden(const float *in, double *out, double *out_magnitude, int32_t n);

void golden(const float *in, double *out, double *out_magnitude, int32_t n) {
    double sum = 0;
    double magnitude = 0;
    for (int32_t i = 0; i < n; i++) {
        sum += (double)in[i];
        magnitude += fabs((double)in[i]);
        out[i] = sum;
        out_magnitude[i] = magnitude;
    }
}
