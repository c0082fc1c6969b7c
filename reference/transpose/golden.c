/* out is in, transposed. Floats pass through double unchanged, so equality is asked for. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

void golden(const float *in, double *out, double *out_magnitude, int32_t rows, int32_t columns);

void golden(const float *in, double *out, double *out_magnitude, int32_t rows, int32_t columns) {
    for (size_t row = 0; row < (size_t)rows; row++) {
        for (size_t column = 0; column < (size_t)columns; column++) {
            double x = in[row * (size_t)columns + column];
            out[column * (size_t)rows + row] = x;
            out_magnitude[column * (size_t)rows + row] = fabs(x);
        }
    }
}
