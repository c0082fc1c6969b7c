/* Device memory for arguments, kept from call to call.
 *
 * A result cached by pointer is only caught when new data comes under an old address, one cached by
 * content only when old data comes under a new one. So a buffer belongs to the argument's position
 * and size, and the parent chooses between the same and a fresh address. */
#ifndef WG_HARNESS_BUFFERS_H
#define WG_HARNESS_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

/* The buffer of the argument, allocated when there is none or a fresh one is asked for; owned by
 * this module. Returns an error of the device layer. */
int wg_buffers_get(size_t position, size_t bytes, bool fresh, void **out);

/* Frees the buffers that no longer fit into what is kept; between calls only. */
void wg_buffers_trim(void);
/* Frees all of them. */
void wg_buffers_drop(void);

#endif
