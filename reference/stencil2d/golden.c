/* One step of the stencil in double; the border keeps its values. Both weights are powers of two,
 * so that all the error there is comes from adding five terms: gamma_4 of the sum of their sizes,
 * and three times gamma_6 where somebody writes c + (n + s + w + e - 4 * c) / 8. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

void golden(const float *in, double *out, double *out_magnitude, int32_t rows, int32_t columns);

void golden(const float *in, double *out, double *out_magnitude, int32_t rows, int32_t columns) {
    size_t width = (size_t)columns;
    for (int32_t row = 0; row < rows; row++) {
        for (int32_t column = 0; column < columns; column++) {
            size_t at = (size_t)row * width + (size_t)column;
            double center = in[at];
            if (row == 0 || column == 0 || row == rows - 1 || column == columns - 1) {
                out[at] = center;
                out_magnitude[at] = fabs(center);
                continue;
            }
            double north = in[at - width];
            double south = in[at + width];
            double west = in[at - 1];
            double east = in[at + 1];
            out[at] = 0.5 * center + 0.125 * (north + south + west + east);
            out_magnitude[at] =
                0.5 * fabs(center) + 0.125 * (fabs(north) + fabs(south) + fabs(west) + fabs(east));
        }
    }
}
