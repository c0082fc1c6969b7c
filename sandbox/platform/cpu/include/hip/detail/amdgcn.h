/* The AMD compiler builtins that coursework uses, by what they mean for one thread. clang knows the
 * names for AMD targets only, so each is a macro here; one that is missing (matrix instructions,
 * DPP, swizzles) stays a compile error that the grader knows for a gap of this platform. */
#ifndef WG_HIP_DETAIL_AMDGCN_H
#define WG_HIP_DETAIL_AMDGCN_H

#include <hip/detail/warp.h>
#include <hip/device_functions.h>
#include <hip/math_functions.h>

#ifdef __HIP__

#define __builtin_amdgcn_workitem_id_x()    (threadIdx.x)
#define __builtin_amdgcn_workitem_id_y()    (threadIdx.y)
#define __builtin_amdgcn_workitem_id_z()    (threadIdx.z)
#define __builtin_amdgcn_workgroup_id_x()   (blockIdx.x)
#define __builtin_amdgcn_workgroup_id_y()   (blockIdx.y)
#define __builtin_amdgcn_workgroup_id_z()   (blockIdx.z)
#define __builtin_amdgcn_workgroup_size_x() (blockDim.x)
#define __builtin_amdgcn_workgroup_size_y() (blockDim.y)
#define __builtin_amdgcn_workgroup_size_z() (blockDim.z)
#define __builtin_amdgcn_grid_size_x()      (gridDim.x * blockDim.x)
#define __builtin_amdgcn_grid_size_y()      (gridDim.y * blockDim.y)
#define __builtin_amdgcn_grid_size_z()      (gridDim.z * blockDim.z)
#define __builtin_amdgcn_wavefrontsize()    ((unsigned)(int)warpSize)

#define __builtin_amdgcn_s_barrier()           __syncthreads()
#define __builtin_amdgcn_wave_barrier()        __syncwarp()
#define __builtin_amdgcn_fence(order, scope)   __threadfence()
#define __builtin_amdgcn_s_memtime()           ((unsigned long long)clock64())
#define __builtin_amdgcn_s_memrealtime()       ((unsigned long long)wall_clock64())
#define __builtin_amdgcn_ballot_w64(predicate) __ballot(predicate)
#define __builtin_amdgcn_ballot_w32(predicate) ((unsigned)__ballot(predicate))

/* Advice to the scheduler of a GPU. */
#define __builtin_amdgcn_s_waitcnt(count)             ((void)0)
#define __builtin_amdgcn_s_sleep(cycles)              ((void)0)
#define __builtin_amdgcn_s_setprio(priority)          ((void)0)
#define __builtin_amdgcn_sched_barrier(mask)          ((void)0)
#define __builtin_amdgcn_sched_group_barrier(m, n, s) ((void)0)
#define __builtin_amdgcn_iglp_opt(variant)            ((void)0)

#define __builtin_amdgcn_rcpf(x)         (1.0f / (float)(x))
#define __builtin_amdgcn_rcp(x)          (1.0 / (double)(x))
#define __builtin_amdgcn_rsqf(x)         (1.0f / __builtin_sqrtf(x))
#define __builtin_amdgcn_sqrtf(x)        __builtin_sqrtf(x)
#define __builtin_amdgcn_exp2f(x)        ::exp2f(x)
#define __builtin_amdgcn_logf(x)         ::log2f(x)
#define __builtin_amdgcn_fmed3f(x, y, z) __wg_median(x, y, z)

#define __builtin_amdgcn_readfirstlane(value)  __wg_read_first_lane(value)
#define __builtin_amdgcn_readlane(value, lane) ((int)__shfl((int)(value), (int)(lane)))
#define __builtin_amdgcn_ds_bpermute(place, value)                                                 \
    ((int)__shfl((int)(value), (int)((unsigned)(place) / 4)))
#define __builtin_amdgcn_mbcnt_lo(mask, base)                                                      \
    ((unsigned)(base) + __popc((unsigned)(mask) & (unsigned)__lanemask_lt()))
#define __builtin_amdgcn_mbcnt_hi(mask, base)                                                      \
    ((unsigned)(base) + __popc((unsigned)(mask) & (unsigned)(__lanemask_lt() >> 32)))

WG_DEVICE WG_CONVERGENT int __wg_read_first_lane(int value) {
    return __shfl(value, __ffsll(__activemask()) - 1);
}
WG_DEVICE unsigned __mbcnt_lo(unsigned mask, unsigned base) {
    return __builtin_amdgcn_mbcnt_lo(mask, base);
}
WG_DEVICE unsigned __mbcnt_hi(unsigned mask, unsigned base) {
    return __builtin_amdgcn_mbcnt_hi(mask, base);
}
/* A lane is named by its place in bytes, 4 for each. */
WG_DEVICE WG_CONVERGENT unsigned __hip_ds_bpermute(int place, unsigned value) {
    return __shfl(value, (int)((unsigned)place / 4));
}
WG_DEVICE WG_CONVERGENT float __hip_ds_bpermutef(int place, float value) {
    return __shfl(value, (int)((unsigned)place / 4));
}
WG_DEVICE float __wg_median(float x, float y, float z) {
    return __builtin_fmaxf(__builtin_fminf(x, y), __builtin_fminf(__builtin_fmaxf(x, y), z));
}

#endif
#endif
