/* The device as the harness sees it. Functions return 0 or an error number of the device layer's
 * own (hipError_t), which wg_device_error_name turns into words. */
#ifndef WG_HARNESS_DEVICE_H
#define WG_HARNESS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wg_device_info {
    char name[256];
    char arch[64];
    char address[32]; /* on the PCI bus: the same from process to process */
    int runtime_version, driver_version;
    uint32_t warp_size;
    uint64_t memory_bytes, cache_bytes; /* last level of cache that the driver tells of */
};

/* False when there is no device of that index (from 0). */
bool wg_device_describe(int index, struct wg_device_info *info);
/* Makes the first device the one that everything below is about. False when there is none. */
bool wg_device_open(struct wg_device_info *info);
/* Whether entries are functions over host memory (golden). */
bool wg_device_is_host(void);
const char *wg_device_error_name(int error);

int wg_device_allocate(size_t bytes, void **out);
void wg_device_free(void *buffer);
int wg_device_set(void *buffer, int byte, size_t count);
int wg_device_upload(void *buffer, const void *bytes, size_t count);
int wg_device_download(void *bytes, const void *buffer, size_t count);
/* Whether a download's error says that there is no such buffer any more, and not that the device
 * broke. (Where buffers have guards, a submission's pointer is none that could be freed.) */
bool wg_device_is_gone(int error);

struct wg_device_shape {
    uint32_t grid[3], block[3], shared_bytes;
};
/* arguments: the address of each argument's value. */
int wg_device_launch(const void *kernel, const struct wg_device_shape *shape, void **arguments);

/* Errors of earlier work are forgotten. */
void wg_device_clear_error(void);
/* Waits for the default stream and what is ordered before it, and nothing else: work that a
 * submission leaves on an unordered stream must not be waited for. Returns the first error that the
 * call left behind. */
int wg_device_join(void);
/* Waits for everything, so that what a call left running does not disturb the next one. */
void wg_device_drain(void);

/* What a submission asked the cache to keep is like any other line again. */
void wg_device_forget_cached(void);

/* Time between two points of the default stream; one measurement at a time. Neither waits for the
 * device before its point is passed on to it; stop waits until the second one is reached. */
int wg_device_timer_start(void);
int wg_device_timer_stop(double *elapsed_ms);

#endif
