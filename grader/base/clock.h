/* Clocks and dates. Monotonic time is for durations, wall time for dates in results. */
#ifndef WG_BASE_CLOCK_H
#define WG_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

int64_t wg_clock_mono_ns(void);
int64_t wg_clock_wall_s(void);

/* "2026-11-30T15:04:05Z" into out, UTC. */
void wg_clock_format_utc(int64_t unix_s, char out[32]);

/* A date that people write: "2026-11-30", with " 18:00", "T18:00" or "T18:00:59" behind it, and
 * with "Z" or "+01:00" behind that; this machine's time zone otherwise. Of a day alone it is the
 * last second (end_of_day) or the first. False when it is none. */
bool wg_clock_parse(const char *text, bool end_of_day, int64_t *unix_s);

#endif
