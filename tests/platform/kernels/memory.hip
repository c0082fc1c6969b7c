// Allocation, copies in every direction, fills, pitched and pinned memory, pointer queries.
#include "expect.h"

#include <cstring>
#include <numeric>

__global__ void increment(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] += 1;
    }
}

__global__ void fill_pitched(char *base, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        ((float *)(base + y * pitch))[x] = (float)(y * 100 + x);
    }
}

static void copies() {
    std::vector<int> a(300), b(300, -1);
    std::iota(a.begin(), a.end(), 0);
    int *x = nullptr, *y = nullptr;
    const size_t bytes = 300 * sizeof(int);
    HIP_CHECK(hipMalloc((void **)&x, bytes));
    HIP_CHECK(hipMalloc(&y, bytes));
    HIP_CHECK(hipMemcpy(x, a.data(), bytes, hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpy(y, x, bytes, hipMemcpyDeviceToDevice));
    increment<<<3, 128>>>(y, 300);
    HIP_CHECK(hipMemcpy(b.data(), y, bytes, hipMemcpyDeviceToHost));
    expect_all("device to device", b, [](int i) { return i + 1; });
    HIP_CHECK(hipMemcpy(b.data(), a.data(), bytes, hipMemcpyHostToHost));
    expect_all("host to host", b, [](int i) { return i; });
    HIP_CHECK(hipMemcpy(x, y, bytes, hipMemcpyDefault));
    HIP_CHECK(hipMemcpy(b.data(), x, bytes, hipMemcpyDefault));
    expect_all("default", b, [](int i) { return i + 1; });
    // Parts, at an offset inside an allocation.
    HIP_CHECK(hipMemcpy(x + 10, a.data() + 200, 50 * sizeof(int), hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpyDtoH(b.data(), x, bytes));
    EXPECT_EQ(b[9], 10);
    EXPECT_EQ(b[10], 200);
    EXPECT_EQ(b[59], 249);
    EXPECT_EQ(b[60], 61);
    HIP_CHECK(hipMemcpyHtoD(x, a.data(), bytes));
    HIP_CHECK(hipMemcpyDtoD(y, x, bytes));
    HIP_CHECK(hipMemcpy(b.data(), y, bytes, hipMemcpyDeviceToHost));
    expect_all("HtoD, DtoD", b, [](int i) { return i; });
    HIP_CHECK(hipMemcpy(b.data(), y, 0, hipMemcpyDeviceToHost));

    HIP_CHECK(hipMemset(x, 0, bytes));
    HIP_CHECK(hipMemset(x + 100, 0xff, 100 * sizeof(int)));
    HIP_CHECK(hipMemsetD32(y, 77, 300));
    HIP_CHECK(hipMemcpy(a.data(), x, bytes, hipMemcpyDeviceToHost));
    HIP_CHECK(hipMemcpy(b.data(), y, bytes, hipMemcpyDeviceToHost));
    expect_all("hipMemset", a, [](int i) { return i / 100 == 1 ? -1 : 0; });
    expect_all("hipMemsetD32", b, [](int) { return 77; });
    HIP_CHECK(hipMemsetD16(y, 0x0102, 600));
    HIP_CHECK(hipMemsetD8(y, 3, 4));
    HIP_CHECK(hipMemcpy(b.data(), y, bytes, hipMemcpyDeviceToHost));
    expect_all("hipMemsetD16", b, [](int i) { return i == 0 ? 0x03030303 : 0x01020102; });
    HIP_CHECK(hipFree(x));
    HIP_CHECK(hipFree(y));
    HIP_CHECK(hipFree(nullptr));
}

static void two_dimensions() {
    const int width = 21, height = 13;
    float *pitched = nullptr;
    size_t pitch = 0;
    HIP_CHECK(hipMallocPitch((void **)&pitched, &pitch, width * sizeof(float), height));
    EXPECT(pitch >= width * sizeof(float));
    EXPECT_EQ(pitch % sizeof(float), 0u);
    fill_pitched<<<dim3(2, 1), dim3(16, 16)>>>((char *)pitched, pitch, width, height);
    std::vector<float> host(width * height, -1.0f);
    HIP_CHECK(hipMemcpy2D(host.data(), width * sizeof(float), pitched, pitch, width * sizeof(float),
                          height, hipMemcpyDeviceToHost));
    expect_all("hipMemcpy2D", host, [](int i) { return (float)(i / 21 * 100 + i % 21); });

    // A window in the middle: 5 wide, 4 high.
    HIP_CHECK(hipMemset2D((char *)pitched + 3 * pitch + 2 * sizeof(float), pitch, 0,
                          5 * sizeof(float), 4));
    HIP_CHECK(hipMemcpy2DAsync(host.data(), width * sizeof(float), pitched, pitch,
                               width * sizeof(float), height, hipMemcpyDeviceToHost, nullptr));
    HIP_CHECK(hipDeviceSynchronize());
    expect_all("hipMemset2D", host, [](int i) {
        int x = i % 21, y = i / 21;
        return x >= 2 && x < 7 && y >= 3 && y < 7 ? 0.0f : (float)(y * 100 + x);
    });
    HIP_CHECK(hipFree(pitched));
}

static void pinned() {
    int *host = nullptr, *seen = nullptr, *device = nullptr;
    HIP_CHECK(hipHostMalloc((void **)&host, 256 * sizeof(int), hipHostMallocMapped));
    HIP_CHECK(hipHostGetDevicePointer((void **)&seen, host, 0));
    for (int i = 0; i < 256; i++) {
        host[i] = i;
    }
    increment<<<1, 256>>>(seen, 256);
    expect_launched();
    EXPECT_EQ(host[0], 1);
    EXPECT_EQ(host[255], 256);

    hipStream_t stream;
    HIP_CHECK(hipStreamCreate(&stream));
    HIP_CHECK(hipMalloc(&device, 256 * sizeof(int)));
    HIP_CHECK(hipMemcpyAsync(device, host, 256 * sizeof(int), hipMemcpyHostToDevice, stream));
    increment<<<1, 256, 0, stream>>>(device, 256);
    HIP_CHECK(hipMemcpyAsync(host, device, 256 * sizeof(int), hipMemcpyDeviceToHost, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    EXPECT_EQ(host[255], 257);
    HIP_CHECK(hipFree(device));
    HIP_CHECK(hipStreamDestroy(stream));
    HIP_CHECK(hipHostFree(host));

    std::vector<int> own(1024, 5);
    HIP_CHECK(hipHostRegister(own.data(), own.size() * sizeof(int), hipHostRegisterDefault));
    HIP_CHECK(hipHostGetDevicePointer((void **)&seen, own.data(), 0));
    increment<<<4, 256>>>(seen, 1024);
    expect_launched();
    HIP_CHECK(hipHostUnregister(own.data()));
    expect_all("hipHostRegister", own, [](int) { return 6; });
}

static void managed() {
    int *shared = nullptr;
    HIP_CHECK(hipMallocManaged(&shared, 100 * sizeof(int)));
    for (int i = 0; i < 100; i++) {
        shared[i] = i;
    }
    HIP_CHECK(hipMemPrefetchAsync(shared, 100 * sizeof(int), 0, nullptr));
    increment<<<1, 128>>>(shared, 100);
    expect_launched();
    EXPECT_EQ(shared[0], 1);
    EXPECT_EQ(shared[99], 100);
    HIP_CHECK(hipFree(shared));
}

static void stream_ordered() {
    hipStream_t stream;
    HIP_CHECK(hipStreamCreate(&stream));
    int *data = nullptr, host[64] = {};
    HIP_CHECK(hipMallocAsync((void **)&data, sizeof host, stream));
    HIP_CHECK(hipMemsetAsync(data, 0, sizeof host, stream));
    increment<<<1, 64, 0, stream>>>(data, 64);
    HIP_CHECK(hipMemcpyAsync(host, data, sizeof host, hipMemcpyDeviceToHost, stream));
    HIP_CHECK(hipFreeAsync(data, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    EXPECT_EQ(host[0], 1);
    EXPECT_EQ(host[63], 1);
    HIP_CHECK(hipStreamDestroy(stream));
}

static void queries() {
    size_t free_before = 0, free_after = 0, total = 0;
    HIP_CHECK(hipMemGetInfo(&free_before, &total));
    EXPECT(free_before > 0 && free_before <= total);
    char *block = nullptr, *pinned_block = nullptr;
    HIP_CHECK(hipMalloc(&block, 64 << 20));
    HIP_CHECK(hipMemGetInfo(&free_after, &total));
    EXPECT(free_after < free_before);
    EXPECT_EQ((uintptr_t)block % 256, 0u);

    hipPointerAttribute_t attributes;
    std::memset(&attributes, 0, sizeof attributes);
    HIP_CHECK(hipPointerGetAttributes(&attributes, block));
    EXPECT_EQ((int)attributes.type, (int)hipMemoryTypeDevice);
    EXPECT_EQ(attributes.device, 0);
    EXPECT(attributes.devicePointer == block);
    HIP_CHECK(hipHostMalloc((void **)&pinned_block, 4096, 0));
    HIP_CHECK(hipPointerGetAttributes(&attributes, pinned_block));
    EXPECT_EQ((int)attributes.type, (int)hipMemoryTypeHost);
    HIP_CHECK(hipHostFree(pinned_block));
    HIP_CHECK(hipFree(block));
}

int main() {
    copies();
    two_dimensions();
    pinned();
    managed();
    stream_ordered();
    queries();
    return finish();
}
