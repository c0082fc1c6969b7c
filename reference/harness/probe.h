/* What probe.hip does for the harness; compiled for the platform at hand like a reference, since
 * the harness itself is C and has no kernels. */
#ifndef WG_HARNESS_PROBE_H
#define WG_HARNESS_PROBE_H

#include <stdint.h>

enum wg_probe_what {
    WG_PROBE_EMPTY = 0, /* launches a kernel that does nothing */
    WG_PROBE_COPY,      /* count units from `from` to `to` */
    WG_PROBE_READ,      /* count units of `from`; `to` is written once at most */
    WG_PROBE_FILL,      /* count elements of `type`: uniform in [low, high), never 0 */
};
#define WG_PROBE_ABSOLUTE   16 /* added to WG_PROBE_FILL: magnitudes of the same numbers */
#define WG_PROBE_SKEWED     32 /* added to WG_PROBE_FILL: the lower the more often, 0 included */
#define WG_PROBE_UNIT_BYTES 16
#define WG_PROBE_SYMBOL     "wg_probe"

/* type: enum wg_type */
typedef void wg_probe_fn(void *to, const void *from, int64_t count, int64_t seed, double low,
                         double high, int32_t type, int32_t what);

#endif
