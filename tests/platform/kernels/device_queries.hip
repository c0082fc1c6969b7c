// What a device says about itself, and that it says the same in every way.
#include "expect.h"

#include <cstring>

static int attribute(hipDeviceAttribute_t which) {
    int value = -1;
    HIP_CHECK(hipDeviceGetAttribute(&value, which, 0));
    return value;
}

int main() {
    int count = 0, device = -1;
    HIP_CHECK(hipInit(0));
    HIP_CHECK(hipGetDeviceCount(&count));
    EXPECT(count >= 1);
    HIP_CHECK(hipSetDevice(0));
    HIP_CHECK(hipGetDevice(&device));
    EXPECT_EQ(device, 0);

    hipDeviceProp_t p;
    HIP_CHECK(hipGetDeviceProperties(&p, 0));
    EXPECT(std::strlen(p.name) > 0);
    EXPECT(std::strlen(p.gcnArchName) > 0);
    EXPECT_EQ(p.warpSize, attribute(hipDeviceAttributeWarpSize));
    EXPECT_EQ(p.maxThreadsPerBlock, attribute(hipDeviceAttributeMaxThreadsPerBlock));
    EXPECT_EQ(p.maxThreadsPerBlock, 1024);
    EXPECT_EQ((int)p.sharedMemPerBlock, attribute(hipDeviceAttributeMaxSharedMemoryPerBlock));
    EXPECT_EQ(p.sharedMemPerBlock, 65536u);
    EXPECT_EQ(p.maxThreadsDim[0], attribute(hipDeviceAttributeMaxBlockDimX));
    EXPECT_EQ(p.maxThreadsDim[1], attribute(hipDeviceAttributeMaxBlockDimY));
    EXPECT_EQ(p.maxThreadsDim[2], attribute(hipDeviceAttributeMaxBlockDimZ));
    EXPECT_EQ(p.maxGridSize[0], attribute(hipDeviceAttributeMaxGridDimX));
    EXPECT_EQ(p.maxGridSize[1], attribute(hipDeviceAttributeMaxGridDimY));
    EXPECT_EQ(p.maxGridSize[2], attribute(hipDeviceAttributeMaxGridDimZ));
    EXPECT_EQ(p.multiProcessorCount, attribute(hipDeviceAttributeMultiprocessorCount));
    EXPECT_EQ(p.clockRate, attribute(hipDeviceAttributeClockRate));
    EXPECT_EQ(p.memoryClockRate, attribute(hipDeviceAttributeMemoryClockRate));
    EXPECT_EQ(p.memoryBusWidth, attribute(hipDeviceAttributeMemoryBusWidth));
    EXPECT_EQ(p.l2CacheSize, attribute(hipDeviceAttributeL2CacheSize));
    EXPECT_EQ(p.major, attribute(hipDeviceAttributeComputeCapabilityMajor));
    EXPECT_EQ(p.minor, attribute(hipDeviceAttributeComputeCapabilityMinor));
    EXPECT_EQ(p.maxThreadsPerMultiProcessor,
              attribute(hipDeviceAttributeMaxThreadsPerMultiProcessor));
    EXPECT_EQ(p.regsPerBlock, attribute(hipDeviceAttributeMaxRegistersPerBlock));
    EXPECT(p.totalGlobalMem > (64u << 20));
    EXPECT(p.totalConstMem >= 65536);
    EXPECT(p.multiProcessorCount > 0 && p.clockRate > 0 && p.memoryBusWidth > 0);

    char name[256] = "";
    HIP_CHECK(hipDeviceGetName(name, sizeof name, 0));
    EXPECT(std::strcmp(name, p.name) == 0);
    size_t total = 0;
    HIP_CHECK(hipDeviceTotalMem(&total, 0));
    EXPECT_EQ(total, p.totalGlobalMem);
    int major = -1, minor = -1;
    HIP_CHECK(hipDeviceComputeCapability(&major, &minor, 0));
    EXPECT_EQ(major, p.major);
    EXPECT_EQ(minor, p.minor);
    int driver = 0, runtime = 0;
    HIP_CHECK(hipDriverGetVersion(&driver));
    HIP_CHECK(hipRuntimeGetVersion(&runtime));
    EXPECT(driver > 0 && runtime > 0);
    size_t heap = 0;
    HIP_CHECK(hipDeviceGetLimit(&heap, hipLimitMallocHeapSize));
    EXPECT(heap > 0);
    unsigned flags = ~0u;
    HIP_CHECK(hipGetDeviceFlags(&flags));
    HIP_CHECK(hipDeviceSetCacheConfig(hipFuncCachePreferShared));

    int can_access = -1;
    HIP_CHECK(hipDeviceCanAccessPeer(&can_access, 0, 0));
    EXPECT_EQ(can_access, 0); // a device is no peer of itself
    EXPECT_EQ(hipDeviceCanAccessPeer(&can_access, 0, count), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceEnablePeerAccess(count, 0), hipErrorInvalidDevice);
    EXPECT_EQ(hipDeviceDisablePeerAccess(count), hipErrorInvalidDevice);
    (void)hipGetLastError();
    if (p.memoryPoolsSupported) {
        hipMemPool_t pool = nullptr;
        unsigned long long threshold = ~0ull;
        HIP_CHECK(hipDeviceGetDefaultMemPool(&pool, 0));
        HIP_CHECK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
        void *ptr = nullptr;
        HIP_CHECK(hipMallocAsync(&ptr, 4096, nullptr));
        HIP_CHECK(hipFreeAsync(ptr, nullptr));
        HIP_CHECK(hipDeviceSynchronize());
        HIP_CHECK(hipMemPoolTrimTo(pool, 0));
    }
    HIP_CHECK(hipDeviceReset());
    HIP_CHECK(hipDeviceSynchronize());
    return finish();
}
