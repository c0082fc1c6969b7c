/* Clocks and dates. Monotonic time is for durations, wall time for dates in results. */
#ifndef WG_BASE_CLOCK_H
#define WG_BASE_CLOCK_H

#include <stdint.h>

int64_t wg_clock_mono_ns(void);
int64_t wg_clock_wall_s(void);

/* "2026-11-30T15:04:05Z" into out, UTC. */
void wg_clock_format_utc(int64_t unix_s, char out[32]);

#endif
