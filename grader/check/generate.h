/* Seeded input data.
 *
 * Every value depends only on the seed and its index, so a case can be made again from the seed in
 * a result. Values are uniform in the declared range, never zero and never close to it (a forgotten
 * term must show), and differ from their left neighbour (a shifted index must show). */
#ifndef WG_CHECK_GENERATE_H
#define WG_CHECK_GENERATE_H

#include <stddef.h>
#include <stdint.h>

#include "reference/harness/protocol.h"

/* An independent seed for one purpose: the same root and purpose give the same seed. */
uint64_t wg_generate_derive(uint64_t root, uint64_t purpose);

/* count elements in [low, high). */
typedef void wg_generate_into(enum wg_type type, double low, double high, uint64_t seed, void *out,
                              size_t count);
wg_generate_into wg_generate_fill;

/* The same for keys and levels: all of [low, high), 0 included, low values more often than high
 * ones, and equal neighbours as chance has it. */
wg_generate_into wg_generate_fill_skewed;

/* The same in the lower half of [low, high), but for one in some 600 elements, which lies near
 * high: rows whose largest element stands out, and may be anywhere. */
wg_generate_into wg_generate_fill_peaked;

#endif
