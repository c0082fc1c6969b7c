/* malloc, free, new and delete in kernels.
 *
 * Theory. Objects are cut from slabs of device memory, one after the other, under a lock of its
 * own: worker threads come here while the launch holds the API's. What is freed is used again only
 * after a launch that leaves no object alive. Until then two threads never get the same address, so
 * that the checker, which cannot see through an allocator, takes no hand-over for a race. */
#include <pthread.h>
#include <string.h>

#include "sandbox/platform/cpu/runtime/runtime.h"

enum { SLAB_BYTES = 4 << 20, ALIGN_BYTES = 16, MOST_SLABS = 256 };

static struct {
    pthread_mutex_t lock;
    struct wg_allocation *slabs[MOST_SLABS];
    size_t count, current; /* slabs that exist; the one that is being cut */
    size_t used;           /* bytes of the current one */
    size_t live;           /* objects */
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A slab with room for bytes becomes the current one. */
static bool next_slab(size_t bytes) {
    size_t next = heap.count > 0 ? heap.current + 1 : 0;
    while (next < heap.count && heap.slabs[next]->bytes < bytes) {
        next++;
    }
    if (next == heap.count) {
        size_t slab_bytes = bytes > SLAB_BYTES ? bytes : SLAB_BYTES;
        if (heap.count == MOST_SLABS ||
            (heap.slabs[next] = wg_arena_alloc(slab_bytes, WG_MEMORY_DEVICE, 0)) == NULL) {
            return false;
        }
        heap.count++;
    }
    heap.current = next;
    heap.used = 0;
    return true;
}

void *wg_cpu_heap_alloc(uint64_t bytes) {
    if (bytes == 0 || bytes > WG_DEVICE_BYTES) {
        return NULL;
    }
    size_t rounded = (bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    void *object = NULL;
    pthread_mutex_lock(&heap.lock);
    bool fits = heap.count > 0 && heap.slabs[heap.current]->bytes - heap.used >= rounded;
    if (fits || next_slab(rounded)) {
        object = heap.slabs[heap.current]->base + heap.used;
        heap.used += rounded;
        heap.live++;
    }
    pthread_mutex_unlock(&heap.lock);
    return object;
}

void wg_cpu_heap_free(void *object) {
    pthread_mutex_lock(&heap.lock);
    heap.live -= object != NULL && heap.live > 0;
    pthread_mutex_unlock(&heap.lock);
}

void wg_heap_launch_end(void) {
    if (heap.live > 0 || heap.count == 0 || (heap.current == 0 && heap.used == 0)) {
        return;
    }
    for (size_t i = 0; i <= heap.current; i++) {
        size_t bytes = i < heap.current ? heap.slabs[i]->bytes : heap.used;
        wg_poison(heap.slabs[i]->base, bytes);
        if (wg_checker_on) {
            wg_checker_undefine(heap.slabs[i]->base, bytes);
        }
    }
    heap.current = 0;
    heap.used = 0;
}

void wg_heap_reset(void) {
    memset(heap.slabs, 0, sizeof heap.slabs);
    heap.count = heap.current = heap.used = heap.live = 0;
}
