#include "reference/harness/buffers.h"

#include "reference/harness/device.h"

#define MAX_KEPT       256
#define MAX_KEPT_BYTES ((size_t)1 << 30)

struct kept {
    size_t position, bytes;
    void *buffer;
};

static struct kept table[MAX_KEPT];
static size_t table_count;
static size_t table_bytes;

int wg_buffers_get(size_t position, size_t bytes, bool fresh, void **out) {
    struct kept *found = NULL;
    for (size_t i = 0; i < table_count && found == NULL; i++) {
        if (table[i].position == position && table[i].bytes == bytes) {
            found = &table[i];
        }
    }
    if (found != NULL && !fresh) {
        *out = found->buffer;
        return 0;
    }
    if (found == NULL && table_count == MAX_KEPT) {
        return -1; /* no parent asks for so many */
    }
    void *buffer = NULL;
    int error = wg_device_allocate(bytes, &buffer);
    if (error != 0) {
        return error;
    }
    if (found != NULL) {
        /* Only now, so that the allocator cannot hand the same address out again. */
        wg_device_free(found->buffer);
        found->buffer = buffer;
    } else {
        table[table_count++] = (struct kept){position, bytes, buffer};
        table_bytes += bytes;
    }
    *out = buffer;
    return 0;
}

void wg_buffers_trim(void) {
    /* A call adds at most one buffer for each argument; all of them are dropped at once because
     * which addresses come back must not depend on the order of cases in a subtle way. */
    if (table_count > MAX_KEPT / 2 || table_bytes > MAX_KEPT_BYTES) {
        wg_buffers_drop();
    }
}

void wg_buffers_drop(void) {
    for (size_t i = 0; i < table_count; i++) {
        wg_device_free(table[i].buffer);
    }
    table_count = 0;
    table_bytes = 0;
}
