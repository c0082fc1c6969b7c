/* What every device header builds on: the macros that mark our functions and the primitives that
 * the lowering of the cpu platform expands (sandbox/platform/cpu/abi.h).
 *
 * All our device functions are always inlined and carry no debug information, so whatever they do
 * counts as done by the student's line that calls them. Functions in which threads meet are
 * convergent: no optimization may move such a call into or out of a branch. */
#ifndef WG_HIP_DETAIL_PLATFORM_H
#define WG_HIP_DETAIL_PLATFORM_H

/* <stdlib.h> comes before everything else: libstdc++ reaches for its host functions early. */
#include <stdlib.h>

#include <stddef.h>
#include <stdint.h>

#include <hip/hip_common.h>
#include <hip/host_defines.h>

#ifdef __HIP__
#define WG_INLINED     __attribute__((always_inline, nodebug))
#define WG_CONVERGENT  __attribute__((convergent))
#define WG_DEVICE      static __device__ inline WG_INLINED
#define WG_HOST_DEVICE static __host__ __device__ inline WG_INLINED
#define WG_MEMBER      __device__ inline WG_INLINED
#define WG_HD_MEMBER   __host__ __device__ inline WG_INLINED
#else
#define WG_HOST_DEVICE static inline
#define WG_HD_MEMBER   inline
#endif

#ifdef __HIP__
#define WG_PURE_PRIMITIVE __device__ __attribute__((const, nothrow))
#define WG_SYNC_PRIMITIVE __device__ __attribute__((convergent, nothrow))

extern "C" {
WG_PURE_PRIMITIVE unsigned __wg_thread_idx_x(void);
WG_PURE_PRIMITIVE unsigned __wg_thread_idx_y(void);
WG_PURE_PRIMITIVE unsigned __wg_thread_idx_z(void);
WG_PURE_PRIMITIVE unsigned __wg_block_idx_x(void);
WG_PURE_PRIMITIVE unsigned __wg_block_idx_y(void);
WG_PURE_PRIMITIVE unsigned __wg_block_idx_z(void);
WG_PURE_PRIMITIVE unsigned __wg_block_dim_x(void);
WG_PURE_PRIMITIVE unsigned __wg_block_dim_y(void);
WG_PURE_PRIMITIVE unsigned __wg_block_dim_z(void);
WG_PURE_PRIMITIVE unsigned __wg_grid_dim_x(void);
WG_PURE_PRIMITIVE unsigned __wg_grid_dim_y(void);
WG_PURE_PRIMITIVE unsigned __wg_grid_dim_z(void);
WG_PURE_PRIMITIVE unsigned __wg_warp_size(void);

WG_SYNC_PRIMITIVE void __syncthreads(void);
WG_SYNC_PRIMITIVE int __wg_barrier_reduce(int op, int predicate);
WG_SYNC_PRIMITIVE void __wg_warp_barrier(unsigned long long mask);
WG_SYNC_PRIMITIVE unsigned long long __wg_ballot(unsigned long long mask, int predicate);
WG_SYNC_PRIMITIVE unsigned long long __wg_activemask(void);
WG_SYNC_PRIMITIVE unsigned long long __wg_shuffle(int mode, unsigned long long mask,
                                                  unsigned long long value, int lane_or_delta,
                                                  int width);
WG_SYNC_PRIMITIVE void __wg_grid_barrier(void);
WG_SYNC_PRIMITIVE int __wg_grid_is_cooperative(void);
}

/* Arguments of the primitives. */
enum __wg_reduce_op { __WG_REDUCE_COUNT = 0, __WG_REDUCE_AND = 1, __WG_REDUCE_OR = 2 };
enum __wg_shuffle_mode {
    __WG_SHUFFLE_IDX = 0,
    __WG_SHUFFLE_UP = 1,
    __WG_SHUFFLE_DOWN = 2,
    __WG_SHUFFLE_XOR = 3
};
#define __WG_ALL_LANES 0xffffffffffffffffull
#endif

#endif
