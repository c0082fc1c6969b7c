/* Softmax of each row in double. The magnitude is the result itself: every operation is on positive
 * numbers, so that relative errors add up. Of one result they are at most, in units of u = 2^-24:
 *   columns - 1  for the sum of the row
 *   |x - max|    for the difference, which exp turns into a relative error; 103 where a float
 *                result is not zero
 *   121          for a fast exp of that size (2 + 1.16 * 103; an accurate one: 2)
 *   some 15      for the same two in the sum, where large differences weigh nothing
 *   3            for a division that is not correctly rounded
 * which the manifest rounds up to columns + 256. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

void golden(const float *in, double *out, double *out_magnitude, int32_t rows, int32_t columns);

void golden(const float *in, double *out, double *out_magnitude, int32_t rows, int32_t columns) {
    size_t width = (size_t)columns;
    for (size_t row = 0; row < (size_t)rows; row++) {
        const float *x = in + row * width;
        double *y = out + row * width;
        double largest = x[0];
        for (size_t i = 1; i < width; i++) {
            largest = fmax(largest, (double)x[i]);
        }
        double sum = 0;
        for (size_t i = 0; i < width; i++) {
            y[i] = exp((double)x[i] - largest);
            sum += y[i];
        }
        for (size_t i = 0; i < width; i++) {
            y[i] /= sum;
            out_magnitude[row * width + i] = y[i];
        }
    }
}
