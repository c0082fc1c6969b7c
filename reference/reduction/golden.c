/* The sum of all elements, in double, and the sum of their sizes, which the error of a float sum is
 * proportional to. Kahan's compensation keeps the double sum exact to the last digit or so. */
#include <math.h>
#include <stdint.h>

void golden(const float *in, double *sum, double *sum_magnitude, int32_t n);

void golden(const float *in, double *sum, double *sum_magnitude, int32_t n) {
    double total = 0;
    double lost = 0;
    double magnitude = 0;
    for (int32_t i = 0; i < n; i++) {
        double term = (double)in[i] - lost;
        double next = total + term;
        lost = (next - total) - term;
        total = next;
        magnitude += fabs((double)in[i]);
    }
    *sum = total;
    *sum_magnitude = magnitude;
}
