// Streams and events: order, independence, waiting, callbacks, times.
#include "expect.h"

#include <atomic>

__global__ void add(int *data, int amount) {
    data[threadIdx.x] += amount;
}
__global__ void multiply(int *data, int factor) {
    data[threadIdx.x] *= factor;
}
__global__ void copy_plus(const int *from, int *to, int amount) {
    to[threadIdx.x] = from[threadIdx.x] + amount;
}
// Keeps a stream busy for a while.
__global__ void work(float *data, int rounds) {
    float x = data[threadIdx.x];
    for (int i = 0; i < rounds; i++) {
        x = x * 0.999f + 1.0f;
    }
    data[threadIdx.x] = x;
}

static void event_order() {
    hipStream_t first, second;
    hipEvent_t ready;
    HIP_CHECK(hipStreamCreateWithFlags(&first, hipStreamNonBlocking));
    HIP_CHECK(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    HIP_CHECK(hipEventCreateWithFlags(&ready, hipEventDisableTiming));
    Buffer<int> a(64), b(64);
    Buffer<float> load(64);
    HIP_CHECK(hipMemsetAsync(a, 0, 64 * sizeof(int), first));
    HIP_CHECK(hipMemsetAsync(load, 0, 64 * sizeof(float), first));
    work<<<1, 64, 0, first>>>(load, 20000);
    add<<<1, 64, 0, first>>>(a, 5);
    HIP_CHECK(hipEventRecord(ready, first));
    HIP_CHECK(hipStreamWaitEvent(second, ready, 0));
    copy_plus<<<1, 64, 0, second>>>(a, b, 1);
    HIP_CHECK(hipStreamSynchronize(second));
    expect_all("after the event", b.get(), [](int) { return 6; });
    HIP_CHECK(hipEventSynchronize(ready));
    HIP_CHECK(hipEventQuery(ready));
    HIP_CHECK(hipStreamSynchronize(first));
    HIP_CHECK(hipStreamQuery(first));
    HIP_CHECK(hipEventDestroy(ready));
    HIP_CHECK(hipStreamDestroy(first));
    HIP_CHECK(hipStreamDestroy(second));
}

// The default stream and ordinary streams wait for each other.
static void default_stream() {
    hipStream_t stream;
    HIP_CHECK(hipStreamCreate(&stream));
    Buffer<int> data(64);
    HIP_CHECK(hipMemset(data, 0, 64 * sizeof(int)));
    add<<<1, 64>>>(data, 1);
    multiply<<<1, 64, 0, stream>>>(data, 10);
    add<<<1, 64>>>(data, 2);
    multiply<<<1, 64, 0, stream>>>(data, 10);
    HIP_CHECK(hipDeviceSynchronize());
    expect_all("default stream", data.get(), [](int) { return 120; });
    HIP_CHECK(hipStreamDestroy(stream));
}

static void times() {
    hipEvent_t start, middle, stop;
    HIP_CHECK(hipEventCreate(&start));
    HIP_CHECK(hipEventCreate(&middle));
    HIP_CHECK(hipEventCreate(&stop));
    Buffer<float> load(64);
    load.zero();
    HIP_CHECK(hipEventRecord(start));
    work<<<1, 64>>>(load, 50000);
    HIP_CHECK(hipEventRecord(middle, nullptr));
    work<<<1, 64>>>(load, 50000);
    HIP_CHECK(hipEventRecord(stop, nullptr));
    HIP_CHECK(hipEventSynchronize(stop));
    float front = -1, back = -1, all = -1;
    HIP_CHECK(hipEventElapsedTime(&front, start, middle));
    HIP_CHECK(hipEventElapsedTime(&back, middle, stop));
    HIP_CHECK(hipEventElapsedTime(&all, start, stop));
    EXPECT(front > 0 && back > 0);
    EXPECT(all < 60000.0f);
    EXPECT_NEAR(front + back, all, 1e-2);
    HIP_CHECK(hipEventDestroy(start));
    HIP_CHECK(hipEventDestroy(middle));
    HIP_CHECK(hipEventDestroy(stop));
}

static std::atomic<int> calls{0};
static int seen_value = 0;
static void on_host(void *argument) {
    seen_value = *(int *)argument;
    calls++;
}
static void on_stream(hipStream_t, hipError_t status, void *argument) {
    if (status == hipSuccess) {
        calls += *(int *)argument;
    }
}

static void callbacks() {
    hipStream_t stream;
    HIP_CHECK(hipStreamCreateWithPriority(&stream, hipStreamDefault, 0));
    int *host = nullptr, hundred = 100;
    HIP_CHECK(hipHostMalloc((void **)&host, sizeof(int), hipHostMallocDefault));
    Buffer<int> data(1);
    *host = 41;
    HIP_CHECK(hipMemcpyAsync(data, host, sizeof(int), hipMemcpyHostToDevice, stream));
    add<<<1, 1, 0, stream>>>(data, 1);
    HIP_CHECK(hipMemcpyAsync(host, data, sizeof(int), hipMemcpyDeviceToHost, stream));
    HIP_CHECK(hipLaunchHostFunc(stream, on_host, host));
    HIP_CHECK(hipStreamAddCallback(stream, on_stream, &hundred, 0));
    HIP_CHECK(hipStreamSynchronize(stream));
    EXPECT_EQ(seen_value, 42);
    EXPECT_EQ(calls.load(), 101);
    HIP_CHECK(hipHostFree(host));
    HIP_CHECK(hipStreamDestroy(stream));
}

// Chunks in four streams, the textbook overlap of copies and kernels.
static void pipeline() {
    const int n = 4096, parts = 4, part = n / parts;
    int *host = nullptr;
    HIP_CHECK(hipHostMalloc((void **)&host, n * sizeof(int), hipHostMallocDefault));
    for (int i = 0; i < n; i++) {
        host[i] = i;
    }
    Buffer<int> data(n);
    hipStream_t streams[parts];
    for (int p = 0; p < parts; p++) {
        HIP_CHECK(hipStreamCreate(&streams[p]));
        int *h = host + p * part, *d = data + p * part;
        HIP_CHECK(hipMemcpyAsync(d, h, part * sizeof(int), hipMemcpyHostToDevice, streams[p]));
        multiply<<<1, part, 0, streams[p]>>>(d, 3);
        HIP_CHECK(hipMemcpyAsync(h, d, part * sizeof(int), hipMemcpyDeviceToHost, streams[p]));
    }
    HIP_CHECK(hipDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        EXPECT_EQ(host[i], 3 * i);
    }
    for (hipStream_t stream : streams) {
        HIP_CHECK(hipStreamDestroy(stream));
    }
    HIP_CHECK(hipHostFree(host));
}

int main() {
    int least = 1, greatest = 1;
    HIP_CHECK(hipDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(greatest <= least);
    event_order();
    default_stream();
    times();
    callbacks();
    pipeline();
    return finish();
}
