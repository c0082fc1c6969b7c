/* malloc and free in kernels, beside the host's. They have to be known before <new>: clang's own
 * operator new for device code, which it puts in front of the C++ library's, calls them. */
#ifndef WG_HIP_DETAIL_HEAP_H
#define WG_HIP_DETAIL_HEAP_H

#include <hip/detail/platform.h>

#ifdef __HIP__
extern "C" {
__device__ void *__wg_heap_alloc(size_t bytes) __asm__("wg_cpu_heap_alloc");
__device__ void __wg_heap_free(void *object) __asm__("wg_cpu_heap_free");
}
WG_DEVICE void *malloc(size_t bytes) {
    return __wg_heap_alloc(bytes);
}
WG_DEVICE void free(void *object) {
    __wg_heap_free(object);
}

#include <new>
#endif
#endif
