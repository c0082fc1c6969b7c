// A cooperative launch: all blocks meet at grid barriers.
#include "expect.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

// Jacobi steps between two arrays; every step reads what the neighbours' blocks wrote.
__global__ void smooth(float *a, float *b, int n, int steps) {
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < steps; step++) {
        for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) {
            float left = i > 0 ? a[i - 1] : 0.0f, right = i < n - 1 ? a[i + 1] : 0.0f;
            b[i] = 0.5f * a[i] + 0.25f * (left + right);
        }
        grid.sync();
        float *swap = a;
        a = b;
        b = swap;
    }
}

__global__ void is_cooperative(int *out) {
    if (threadIdx.x == 0) {
        out[blockIdx.x] = cg::this_grid().is_valid();
    }
}

int main() {
    int supported = 0;
    HIP_CHECK(hipDeviceGetAttribute(&supported, hipDeviceAttributeCooperativeLaunch, 0));
    EXPECT_EQ(supported, 1);

    int n = 500, steps = 7;
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = (float)(i % 11 == 0 ? 64 : 0);
    }
    Buffer<float> da(a), db(n);
    float *pa = da, *pb = db;
    void *arguments[] = {&pa, &pb, &n, &steps};
    HIP_CHECK(hipLaunchCooperativeKernel((void *)smooth, dim3(4), dim3(64), arguments, 0, 0));
    HIP_CHECK(hipDeviceSynchronize());
    HIP_CHECK(hipLaunchCooperativeKernel(smooth, dim3(3), dim3(128), arguments, 0, nullptr));
    HIP_CHECK(hipDeviceSynchronize());
    // The second launch began from `a` again, which step 6 of the first had written last.
    auto relax = [&](int count) {
        for (int step = 0; step < count; step++) {
            for (int i = 0; i < n; i++) {
                b[i] = 0.5f * a[i] +
                       0.25f * ((i > 0 ? a[i - 1] : 0.0f) + (i < n - 1 ? a[i + 1] : 0.0f));
            }
            a.swap(b);
        }
    };
    relax(6);
    relax(7);
    std::vector<float> got = db.get();
    for (int i = 0; i < n; i++) {
        EXPECT_NEAR(got[i], a[i], 1e-6);
    }

    Buffer<int> valid(2);
    int *pv = valid;
    void *more[] = {&pv};
    HIP_CHECK(hipLaunchCooperativeKernel((void *)is_cooperative, dim3(2), dim3(32), more, 0, 0));
    HIP_CHECK(hipDeviceSynchronize());
    expect_all("cooperative", valid.get(), [](int) { return 1; });
    return finish();
}
