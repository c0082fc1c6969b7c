/* c = a * b, row-major, accumulated in double; the magnitude is the sum of the absolute products,
 * which the error bound of a dot product is proportional to.
 *
 * Products of floats are exact in double. The loops run over rows of b so that a plain compiler
 * makes them fast. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

void golden(const float *a, const float *b, double *c, double *c_magnitude, int32_t m, int32_t n,
            int32_t k);

void golden(const float *a, const float *b, double *c, double *c_magnitude, int32_t m, int32_t n,
            int32_t k) {
    size_t rows = (size_t)m;
    size_t columns = (size_t)n;
    size_t terms = (size_t)k;
    for (size_t i = 0; i < rows; i++) {
        double *restrict sum = c + i * columns;
        double *restrict magnitude = c_magnitude + i * columns;
        for (size_t j = 0; j < columns; j++) {
            sum[j] = 0;
            magnitude[j] = 0;
        }
        for (size_t p = 0; p < terms; p++) {
            double x = a[i * terms + p];
            const float *restrict row = b + p * columns;
            for (size_t j = 0; j < columns; j++) {
                double product = x * (double)row[j];
                sum[j] += product;
                magnitude[j] += fabs(product);
            }
        }
    }
}
