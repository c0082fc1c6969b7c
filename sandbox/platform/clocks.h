/* The clock that a device runs at, read back from outside the jail. */
#ifndef WG_PLATFORM_CLOCKS_H
#define WG_PLATFORM_CLOCKS_H

#include <stdbool.h>

struct wg_clocks;

/* address: on the PCI bus. NULL: the clocks of this device cannot be read here. */
struct wg_clocks *wg_clocks_open(const char *platform, const char *address);
/* Of the device's processors, in MHz; 0: not to be had right now. */
unsigned wg_clocks_read(struct wg_clocks *clocks);
/* NULL is fine. */
void wg_clocks_close(struct wg_clocks *clocks);

#endif
