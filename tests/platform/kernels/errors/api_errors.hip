// Host calls that fail, the names of errors, and which of them stick.
#include "../expect.h"

#include <cstring>

int main() {
    int *p = nullptr, host[4] = {};
    EXPECT_EQ((int)hipMalloc((void **)nullptr, 16), (int)hipErrorInvalidValue);
    EXPECT_EQ((int)hipMalloc(&p, (size_t)1 << 60), (int)hipErrorOutOfMemory);
    EXPECT_EQ((int)hipPeekAtLastError(), (int)hipErrorOutOfMemory);
    EXPECT_EQ((int)hipGetLastError(), (int)hipErrorOutOfMemory);
    EXPECT_EQ((int)hipGetLastError(), (int)hipSuccess);
    EXPECT_EQ((int)hipFree(host), (int)hipErrorInvalidValue);
    EXPECT_EQ((int)hipMemcpy(nullptr, host, 16, hipMemcpyHostToDevice), (int)hipErrorInvalidValue);
    EXPECT_EQ((int)hipSetDevice(99), (int)hipErrorInvalidDevice);
    hipDeviceProp_t properties;
    EXPECT_EQ((int)hipGetDeviceProperties(&properties, 99), (int)hipErrorInvalidDevice);
    float ms = 0;
    EXPECT(hipEventElapsedTime(&ms, nullptr, nullptr) != hipSuccess);
    EXPECT_EQ((int)hipEventRecord(nullptr, nullptr), (int)hipErrorInvalidHandle);
    (void)hipGetLastError();

    HIP_CHECK(hipMalloc(&p, 16));
    EXPECT_EQ((int)hipMemcpy(p, host, 16, (hipMemcpyKind)77), (int)hipErrorInvalidMemcpyDirection);
    EXPECT(hipMemcpy(p, host, 1024, hipMemcpyHostToDevice) != hipSuccess);
    EXPECT(hipMemset(p, 0, 1024) != hipSuccess);
    HIP_CHECK(hipFree(p));
    EXPECT(hipFree(p) != hipSuccess);
    (void)hipGetLastError();

    EXPECT(std::strcmp(hipGetErrorName(hipSuccess), "hipSuccess") == 0);
    EXPECT(std::strcmp(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue") == 0);
    EXPECT(std::strcmp(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory") == 0);
    EXPECT(std::strcmp(hipGetErrorName(hipErrorNoDevice), "hipErrorNoDevice") == 0);
    EXPECT(std::strcmp(hipGetErrorName(hipErrorInvalidConfiguration),
                       "hipErrorInvalidConfiguration") == 0);
    EXPECT(std::strcmp(hipGetErrorString(hipSuccess), "no error") == 0);
    EXPECT(std::strcmp(hipGetErrorString(hipErrorInvalidValue), "invalid argument") == 0);
    EXPECT(std::strcmp(hipGetErrorString(hipErrorOutOfMemory), "out of memory") == 0);

    // Nothing above is sticky.
    HIP_CHECK(hipMalloc(&p, 16));
    HIP_CHECK(hipMemcpy(p, host, 16, hipMemcpyHostToDevice));
    HIP_CHECK(hipFree(p));
    return finish();
}
