// <hip/hip_ext.h>: a launch between two events, as a template and by pointers to the arguments.
#include "expect.h"

#include <hip/hip_ext.h>

__global__ void scale(int *out, int factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i * factor;
}

int main() {
    Buffer<int> out(256);
    hipEvent_t start, stop;
    float ms = -1;
    HIP_CHECK(hipEventCreate(&start));
    HIP_CHECK(hipEventCreate(&stop));

    hipExtLaunchKernelGGL(scale, dim3(4), dim3(64), 0, 0, start, stop, 0, out.data, 3);
    HIP_CHECK(hipEventSynchronize(stop));
    HIP_CHECK(hipEventElapsedTime(&ms, start, stop));
    EXPECT(ms >= 0);
    expect_all("template", out.get(), [](int i) { return 3 * i; });

    int factor = 5;
    void *arguments[] = {&out.data, &factor};
    HIP_CHECK(hipExtLaunchKernel((const void *)scale, dim3(2), dim3(128), arguments, 0, nullptr,
                                 nullptr, stop, 0));
    HIP_CHECK(hipEventSynchronize(stop));
    expect_all("pointers", out.get(), [](int i) { return 5 * i; });

    hipExtLaunchKernelGGL(scale, dim3(4), dim3(64), 0, 0, nullptr, nullptr, hipExtAnyOrderLaunch,
                          out.data, 7);
    expect_launched();
    expect_all("no events", out.get(), [](int i) { return 7 * i; });
    HIP_CHECK(hipEventDestroy(start));
    HIP_CHECK(hipEventDestroy(stop));
    return finish();
}
