/* Cleanup by attribute: a local that owns something says so where it is declared.
 *
 *   WG_CLEANUP(wg_buf_done) struct wg_buf text = {0};
 *   WG_CLEANUP(wg_freep) char *path = NULL;
 *   ...
 *   *out = WG_TAKE(&path);       the local no longer owns it
 */
#ifndef WG_BASE_CLEANUP_H
#define WG_BASE_CLEANUP_H

#include <stdlib.h>

#define WG_CLEANUP(fn) __attribute__((cleanup(fn)))

#define WG_TAKE(ptr)                                                                               \
    __extension__({                                                                                \
        __typeof__(*(ptr)) wg_taken = *(ptr);                                                      \
        *(ptr) = NULL;                                                                             \
        wg_taken;                                                                                  \
    })

/* Cleanup functions for the two commonest resources; both accept "nothing" (NULL, -1). */
static inline void wg_freep(void *pointer_to_pointer) {
    free(*(void **)pointer_to_pointer);
    *(void **)pointer_to_pointer = NULL;
}
void wg_closep(int *fd);

#endif
