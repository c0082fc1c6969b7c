/* Who am I, and when do we meet: built-in variables, block barriers, fences, and the few C library
 * functions that kernels call (printf, assert, memcpy, clocks). */
#ifndef WG_HIP_DETAIL_THREAD_H
#define WG_HIP_DETAIL_THREAD_H

#include <hip/detail/platform.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <type_traits>

#include <hip/driver_types.h>
#include <hip/hip_vector_types.h>

#ifdef __HIP__

/* threadIdx and its like are objects without storage: .x calls a static getter, so no reference to
 * the object itself reaches the code. */
#define WG_BUILTIN_INDEX(name, primitive)                                                          \
    struct __wg_##name##_t {                                                                       \
        __declspec(property(get = __get_x)) unsigned x;                                            \
        __declspec(property(get = __get_y)) unsigned y;                                            \
        __declspec(property(get = __get_z)) unsigned z;                                            \
        static WG_MEMBER unsigned __get_x(void) {                                                  \
            return primitive##_x();                                                                \
        }                                                                                          \
        static WG_MEMBER unsigned __get_y(void) {                                                  \
            return primitive##_y();                                                                \
        }                                                                                          \
        static WG_MEMBER unsigned __get_z(void) {                                                  \
            return primitive##_z();                                                                \
        }                                                                                          \
        WG_MEMBER operator dim3() const {                                                          \
            return dim3(__get_x(), __get_y(), __get_z());                                          \
        }                                                                                          \
        WG_MEMBER operator uint3() const {                                                         \
            return uint3(__get_x(), __get_y(), __get_z());                                         \
        }                                                                                          \
    };                                                                                             \
    static const __device__ __attribute__((nodebug)) __wg_##name##_t name = {}

WG_BUILTIN_INDEX(threadIdx, __wg_thread_idx);
WG_BUILTIN_INDEX(blockIdx, __wg_block_idx);
WG_BUILTIN_INDEX(blockDim, __wg_block_dim);
WG_BUILTIN_INDEX(gridDim, __wg_grid_dim);
#undef WG_BUILTIN_INDEX

#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipThreadIdx_z (threadIdx.z)
#define hipBlockIdx_x  (blockIdx.x)
#define hipBlockIdx_y  (blockIdx.y)
#define hipBlockIdx_z  (blockIdx.z)
#define hipBlockDim_x  (blockDim.x)
#define hipBlockDim_y  (blockDim.y)
#define hipBlockDim_z  (blockDim.z)
#define hipGridDim_x   (gridDim.x)
#define hipGridDim_y   (gridDim.y)
#define hipGridDim_z   (gridDim.z)

/* 64 or 32, known when the program runs; a macro would hit hipDeviceProp_t::warpSize. */
struct __wg_warp_size_t {
    WG_MEMBER operator int() const { return (int)__wg_warp_size(); }
};
static const __device__ __attribute__((nodebug)) __wg_warp_size_t warpSize = {};

/* ---- Block barriers (__syncthreads is a primitive) ---- */
WG_DEVICE WG_CONVERGENT int __syncthreads_count(int predicate) {
    return __wg_barrier_reduce(__WG_REDUCE_COUNT, predicate);
}
WG_DEVICE WG_CONVERGENT int __syncthreads_and(int predicate) {
    return __wg_barrier_reduce(__WG_REDUCE_AND, predicate);
}
WG_DEVICE WG_CONVERGENT int __syncthreads_or(int predicate) {
    return __wg_barrier_reduce(__WG_REDUCE_OR, predicate);
}

/* ---- Fences. The threads of a block share one processor, so there the compiler's order is all. */
WG_DEVICE void __threadfence_block(void) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
WG_DEVICE void __threadfence(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
WG_DEVICE void __threadfence_system(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ---- Clocks. wall_clock64 ticks at 100 MHz, as on AMD's GPUs. ---- */
WG_DEVICE long long clock64(void) {
    return (long long)__builtin_readcyclecounter();
}
WG_DEVICE long long __clock64(void) {
    return clock64();
}
WG_DEVICE clock_t clock(void) {
    return (clock_t)__builtin_readcyclecounter();
}
WG_DEVICE clock_t __clock(void) {
    return clock();
}
extern "C" __device__ int __wg_clock_gettime(int which,
                                             struct timespec *now) __asm__("clock_gettime");
WG_DEVICE long long wall_clock64(void) {
    struct timespec now;
    __wg_clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 100000000 + now.tv_nsec / 10;
}

/* ---- The C library in kernels ---- */
WG_DEVICE __attribute__((noreturn)) void __trap(void) {
    __builtin_trap();
}
extern "C" __device__ __attribute__((noreturn)) void abort(void);
extern "C" __device__ __attribute__((noreturn)) void
__assert_fail(const char *assertion, const char *file, unsigned line, const char *function);

WG_DEVICE void *memcpy(void *dst, const void *src, size_t bytes) {
    return __builtin_memcpy(dst, src, bytes);
}
WG_DEVICE void *memset(void *dst, int byte, size_t bytes) {
    return __builtin_memset(dst, byte, bytes);
}

extern "C" __device__ int __wg_printf(const char *format, ...) __asm__("printf");
template <class T> WG_DEVICE T __wg_printable(T value) {
    return value;
}
WG_DEVICE int __wg_printable(__wg_warp_size_t size) {
    return size;
}
template <class... T>
inline constexpr bool __wg_has_warp_size = (__is_same(T, __wg_warp_size_t) || ...);
/* Templates, because the object warpSize has to become a number on its way; a call with that object
 * in it goes without the compiler's check of the format. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"
template <class... T, class = std::enable_if_t<!__wg_has_warp_size<T...>>>
WG_DEVICE __attribute__((format(printf, 1, 2))) int printf(const char *format, T... arguments) {
    return __wg_printf(format, arguments...);
}
#pragma clang diagnostic pop
template <class... T, class = std::enable_if_t<__wg_has_warp_size<T...>>, class = void>
WG_DEVICE int printf(const char *format, T... arguments) {
    return __wg_printf(format, __wg_printable(arguments)...);
}

#endif
#endif
