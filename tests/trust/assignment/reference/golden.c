/* c = a + b. The double sum of two floats, rounded to float once more, equals the float sum: 53
 * bits are more than 2*24+2. So the parent may demand equality bit for bit. */
#include <math.h>
#include <stdint.h>

void golden(const float *a, const float *b, double *c, double *c_magnitude, int32_t n);

void golden(const float *a, const float *b, double *c, double *c_magnitude, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        double x = a[i];
        double y = b[i];
        c[i] = x + y;
        c_magnitude[i] = fabs(x) + fabs(y);
    }
}
