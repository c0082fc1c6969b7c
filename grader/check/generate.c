#include "grader/check/generate.h"

#include <math.h>
#include <stdbool.h>

/* An unlucky draw is repeated with another counter; a range that holds a single value cannot do
 * better, so the attempts are bounded. */
enum { ATTEMPTS = 16 };

/* The closest a value may come to zero, as a share of the range. */
static const double nearest_to_zero = 1.0 / 1024;

/* splitmix64's output function: a bijection whose output for a counter looks random. */
static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Elements from one peak to the next, on average. */
static const double peak_distance = 600;

uint64_t wg_generate_derive(uint64_t root, uint64_t purpose) {
    return mix(mix(root + 0x9e3779b97f4a7c15u) + (purpose + 1) * 0x9e3779b97f4a7c15u);
}

/* In [0, 1), 53 bits. */
static double uniform(uint64_t seed, uint64_t counter) {
    return (double)(mix(seed + (counter + 1) * 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
}

static double rounded_to(enum wg_type type, double value) {
    switch (type) {
    case WG_TYPE_F32:
        return (double)(float)value;
    case WG_TYPE_F64:
        return value;
    default:
        return floor(value);
    }
}

/* What the type can hold, as far as a double says it exactly. */
static void clamp_range(enum wg_type type, double *low, double *high) {
    double least = *low;
    double most = *high;
    switch (type) {
    case WG_TYPE_I8:
        least = -0x1p7, most = 0x1p7;
        break;
    case WG_TYPE_U8:
        least = 0, most = 0x1p8;
        break;
    case WG_TYPE_I32:
        least = -0x1p31, most = 0x1p31;
        break;
    case WG_TYPE_U32:
        least = 0, most = 0x1p32;
        break;
    case WG_TYPE_I64:
        least = -0x1p53, most = 0x1p53;
        break;
    case WG_TYPE_U64:
        least = 0, most = 0x1p53;
        break;
    case WG_TYPE_F32:
    case WG_TYPE_F64:
        break;
    }
    *low = fmax(*low, least);
    *high = fmin(*high, most);
}

static void store(enum wg_type type, void *out, size_t index, double value) {
    switch (type) {
    case WG_TYPE_I8:
        ((int8_t *)out)[index] = (int8_t)value;
        break;
    case WG_TYPE_U8:
        ((uint8_t *)out)[index] = (uint8_t)value;
        break;
    case WG_TYPE_I32:
        ((int32_t *)out)[index] = (int32_t)value;
        break;
    case WG_TYPE_U32:
        ((uint32_t *)out)[index] = (uint32_t)value;
        break;
    case WG_TYPE_I64:
        ((int64_t *)out)[index] = (int64_t)value;
        break;
    case WG_TYPE_U64:
        ((uint64_t *)out)[index] = (uint64_t)value;
        break;
    case WG_TYPE_F32:
        ((float *)out)[index] = (float)value;
        break;
    case WG_TYPE_F64:
        ((double *)out)[index] = value;
        break;
    }
}

void wg_generate_fill(enum wg_type type, double low, double high, uint64_t seed, void *out,
                      size_t count) {
    clamp_range(type, &low, &high);
    double span = high - low;
    double previous = NAN;
    for (size_t i = 0; i < count; i++) {
        double value = 0;
        for (uint64_t attempt = 0; attempt < ATTEMPTS; attempt++) {
            value = rounded_to(type, low + span * uniform(seed, i + (attempt << 48)));
            bool usable =
                value >= low && value < high && value != 0 && fabs(value) >= span * nearest_to_zero;
            if (usable && value != previous) {
                break;
            }
        }
        store(type, out, i, value);
        previous = value;
    }
}

/* The square of a uniform number: its density falls like 1/sqrt, so that every value has another
 * share and none is rare. */
void wg_generate_fill_skewed(enum wg_type type, double low, double high, uint64_t seed, void *out,
                             size_t count) {
    clamp_range(type, &low, &high);
    for (size_t i = 0; i < count; i++) {
        double share = uniform(seed, i);
        double value = rounded_to(type, low + (high - low) * share * share);
        store(type, out, i, value < high ? value : low);
    }
}

void wg_generate_fill_peaked(enum wg_type type, double low, double high, uint64_t seed, void *out,
                             size_t count) {
    clamp_range(type, &low, &high);
    wg_generate_fill(type, low, low + (high - low) / 2, seed, out, count);
    uint64_t places = mix(seed);
    for (size_t i = 0; i < count; i++) {
        double chance = uniform(places, i) * peak_distance;
        if (chance < 1) {
            store(type, out, i, rounded_to(type, high - (high - low) / 8 * (1 - chance)));
        }
    }
}
