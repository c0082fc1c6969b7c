// AMD's compiler builtins, by what they mean for one thread.
#include "expect.h"

__global__ __attribute__((amdgpu_flat_work_group_size(1, 256))) void builtins(int *out,
                                                                              float *numbers) {
    int lane = (int)__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
    unsigned start = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x();
    int i = (int)(start + __builtin_amdgcn_workitem_id_x());
    __shared__ int tile[128];
    tile[threadIdx.x] = i;
    __builtin_amdgcn_s_waitcnt(0);
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    int mirrored = tile[127 - threadIdx.x];
    int first = __builtin_amdgcn_readfirstlane(i);
    int other = __builtin_amdgcn_ds_bpermute((lane ^ 1) * 4, i);
    int third = __builtin_amdgcn_readlane(i, 3);
    int wave = i - lane;
    out[i] = (first == wave) + 2 * (other == (i ^ 1)) + 4 * (third == wave + 3) +
             8 * (mirrored == (int)start + 127 - (int)threadIdx.x);
    numbers[i] = __builtin_amdgcn_fmed3f(3.0f, (float)i, 9.0f) + __builtin_amdgcn_rcpf(4.0f) +
                 __builtin_amdgcn_sqrtf(16.0f);
}

int main() {
    Buffer<int> out(256);
    Buffer<float> numbers(256);
    builtins<<<2, 128>>>(out, numbers);
    expect_launched();
    expect_all("out", out.get(), [](int) { return 15; });
    expect_all("numbers", numbers.get(), [](int i) {
        return (i < 3 ? 3.0f : i > 9 ? 9.0f : (float)i) + 4.25f;
    });
    return finish();
}
