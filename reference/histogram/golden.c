/* How often each byte occurs. Counts below 2^53 are exact in double. */
#include <stdint.h>

void golden(const uint8_t *keys, double *bins, double *bins_magnitude, int32_t n);

void golden(const uint8_t *keys, double *bins, double *bins_magnitude, int32_t n) {
    for (int32_t bin = 0; bin < 256; bin++) {
        bins[bin] = 0;
    }
    for (int32_t i = 0; i < n; i++) {
        bins[keys[i]] += 1;
    }
    for (int32_t bin = 0; bin < 256; bin++) {
        bins_magnitude[bin] = bins[bin];
    }
}
