// Launches that a GPU refuses: each gives an error at once, and the next right one works.
#include "../expect.h"

__global__ void write(int *out) {
    out[threadIdx.x + blockIdx.x * blockDim.x] = 1;
}
__global__ void __launch_bounds__(128) bounded(int *out) {
    out[threadIdx.x] = 2;
}
__global__ void dynamic(int *out) {
    extern __shared__ int values[];
    values[threadIdx.x] = 3;
    out[threadIdx.x] = values[threadIdx.x];
}

#define EXPECT_REFUSED(launch)                                                                     \
    do {                                                                                           \
        launch;                                                                                    \
        hipError_t peeked = hipPeekAtLastError(), got = hipGetLastError();                         \
        EXPECT(peeked != hipSuccess);                                                              \
        EXPECT_EQ((int)peeked, (int)got);                                                          \
        EXPECT_EQ((int)hipGetLastError(), (int)hipSuccess);                                        \
        HIP_CHECK(hipDeviceSynchronize());                                                         \
    } while (0)

int main() {
    Buffer<int> out(1024);
    out.zero();
    EXPECT_REFUSED((write<<<1, 1025>>>(out)));
    EXPECT_REFUSED((write<<<1, dim3(64, 32)>>>(out)));
    EXPECT_REFUSED((write<<<0, 64>>>(out)));
    EXPECT_REFUSED((write<<<1, 0>>>(out)));
    EXPECT_REFUSED((write<<<1, dim3(1, 1, 1025)>>>(out)));
    EXPECT_REFUSED((bounded<<<1, 256>>>(out)));
    EXPECT_REFUSED((dynamic<<<1, 64, 65537>>>(out)));
    expect_all("untouched", out.get(), [](int) { return 0; });

    write<<<1, 1024>>>(out);
    expect_launched();
    expect_all("whole block", out.get(), [](int) { return 1; });
    bounded<<<1, 128>>>(out);
    dynamic<<<1, 64, 65536>>>(out);
    expect_launched();
    EXPECT_EQ(out.get()[63], 3);
    EXPECT_EQ(out.get()[64], 2);
    return finish();
}
