// Occupancy and kernel attributes.
#include "expect.h"

__global__ void scale(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] *= 2.0f;
    }
}

__global__ void __launch_bounds__(128) hungry(float *data) {
    __shared__ float big[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
        big[i] = data[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) {
        data[i] = big[4095 - i];
    }
}

int main() {
    int grid = 0, block = 0;
    HIP_CHECK(hipOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0));
    EXPECT(grid > 0 && block > 0 && block <= 1024);
    HIP_CHECK(hipOccupancyMaxPotentialBlockSize(&grid, &block, hungry, 0, 0));
    EXPECT(block <= 128);

    int blocks = 0, fewer = 0;
    HIP_CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0));
    EXPECT(blocks >= 1);
    HIP_CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, scale, 256, 40000));
    EXPECT(fewer >= 1 && fewer <= blocks);
    HIP_CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, hungry, 128, 0));
    EXPECT(fewer >= 1 && fewer <= 4);

    hipFuncAttributes attributes;
    HIP_CHECK(hipFuncGetAttributes(&attributes, (const void *)hungry));
    EXPECT_EQ(attributes.sharedSizeBytes, 16384u);
    EXPECT_EQ(attributes.maxThreadsPerBlock, 128);
    HIP_CHECK(hipFuncGetAttributes(&attributes, reinterpret_cast<const void *>(scale)));
    EXPECT_EQ(attributes.sharedSizeBytes, 0u);
    EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
    HIP_CHECK(hipFuncSetAttribute((const void *)scale, hipFuncAttributeMaxDynamicSharedMemorySize,
                                  32768));
    HIP_CHECK(hipFuncSetCacheConfig((const void *)scale, hipFuncCachePreferL1));

    std::vector<float> values(4096);
    for (int i = 0; i < 4096; i++) {
        values[i] = (float)i;
    }
    Buffer<float> data(values);
    hungry<<<1, 128>>>(data);
    scale<<<(4096 + block - 1) / block, block>>>(data, 4096);
    expect_launched();
    expect_all("data", data.get(), [](int i) { return 2.0f * (4095 - i); });
    return finish();
}
