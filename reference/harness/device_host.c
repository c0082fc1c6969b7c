/* No device at all: golden() is plain C over host memory. */
#include "reference/harness/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct timespec timer_start;

bool wg_device_describe(int index, struct wg_device_info *info) {
    strncpy(info->name, "host", sizeof info->name - 1);
    return index == 0;
}

bool wg_device_open(struct wg_device_info *info) {
    return wg_device_describe(0, info);
}

bool wg_device_is_host(void) {
    return true;
}

const char *wg_device_error_name(int error) {
    const char *name = strerrorname_np(error);
    return name != NULL ? name : "unknown";
}

int wg_device_allocate(size_t bytes, void **out) {
    *out = calloc(1, bytes);
    return *out != NULL ? 0 : ENOMEM;
}

void wg_device_free(void *buffer) {
    free(buffer);
}

int wg_device_set(void *buffer, int byte, size_t count) {
    memset(buffer, byte, count);
    return 0;
}

int wg_device_upload(void *buffer, const void *bytes, size_t count) {
    memcpy(buffer, bytes, count);
    return 0;
}

int wg_device_download(void *bytes, const void *buffer, size_t count) {
    memcpy(bytes, buffer, count);
    return 0;
}

bool wg_device_is_gone(int error) {
    (void)error;
    return false;
}

int wg_device_launch(const void *kernel, const struct wg_device_shape *shape, void **arguments) {
    (void)kernel;
    (void)shape;
    (void)arguments;
    return ENOTSUP;
}

void wg_device_clear_error(void) {}

int wg_device_join(void) {
    return 0;
}

void wg_device_drain(void) {}

void wg_device_forget_cached(void) {}

int wg_device_timer_start(void) {
    return clock_gettime(CLOCK_MONOTONIC, &timer_start);
}

int wg_device_timer_stop(double *elapsed_ms) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *elapsed_ms = (double)(now.tv_sec - timer_start.tv_sec) * 1e3 +
                  (double)(now.tv_nsec - timer_start.tv_nsec) / 1e6;
    return 0;
}
