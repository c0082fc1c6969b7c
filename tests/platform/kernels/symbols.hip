// __constant__ and __device__ variables from both sides.
#include "expect.h"

__constant__ float coefficients[8];
__constant__ int scale;
static __constant__ double offset_value = 2.5;
__device__ int counter = 5;
__device__ float table[16];
static __device__ int hidden[4] = {1, 2, 3, 4};
namespace inner {
__device__ unsigned long long total;
}
struct Config {
    int width, height;
    float ratio;
};
__constant__ Config config;
__device__ const int primes[5] = {2, 3, 5, 7, 11};

__global__ void use_all(float *out) {
    int i = threadIdx.x;
    out[i] = coefficients[i] * scale + (float)offset_value + config.width * config.ratio +
             primes[i % 5] + hidden[i % 4];
}

__global__ void fill_hidden() {
    hidden[threadIdx.x] = 10 * threadIdx.x;
}
__global__ void fill() {
    table[threadIdx.x] = 1.5f * threadIdx.x;
    if (threadIdx.x == 0) {
        counter += 10;
        inner::total = 1ull << 40;
    }
}

int main() {
    float values[8];
    for (int i = 0; i < 8; i++) {
        values[i] = (float)(i + 1);
    }
    int factor = 3;
    Config wanted = {4, 5, 0.5f};
    HIP_CHECK(hipMemcpyToSymbol(coefficients, values, sizeof values));
    HIP_CHECK(
        hipMemcpyToSymbol(HIP_SYMBOL(scale), &factor, sizeof factor, 0, hipMemcpyHostToDevice));
    HIP_CHECK(hipMemcpyToSymbol(config, &wanted, sizeof wanted));

    Buffer<float> out(8);
    use_all<<<1, 8>>>(out);
    expect_launched();
    const int primes_here[5] = {2, 3, 5, 7, 11};
    expect_all("use_all", out.get(),
               [&](int i) { return (i + 1) * 3 + 2.5f + 2.0f + primes_here[i % 5] + i % 4 + 1; });

    // Part of a symbol, by offset; copies in a stream.
    hipStream_t stream;
    HIP_CHECK(hipStreamCreate(&stream));
    float two[2] = {100.0f, 200.0f};
    HIP_CHECK(hipMemcpyToSymbolAsync(coefficients, two, sizeof two, 2 * sizeof(float),
                                     hipMemcpyHostToDevice, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    use_all<<<1, 8, 0, stream>>>(out);
    HIP_CHECK(hipStreamSynchronize(stream));
    std::vector<float> again = out.get();
    EXPECT_EQ(again[2], 300 + 2.5f + 2 + 5 + 3);
    EXPECT_EQ(again[3], 600 + 2.5f + 2 + 7 + 4);

    fill<<<1, 16>>>();
    fill_hidden<<<1, 4>>>();
    expect_launched();
    std::vector<float> table_here(16);
    int counter_here = 0, hidden_here[4] = {};
    unsigned long long total_here = 0;
    HIP_CHECK(hipMemcpyFromSymbol(table_here.data(), table, 16 * sizeof(float)));
    HIP_CHECK(hipMemcpyFromSymbol(&counter_here, HIP_SYMBOL(counter), sizeof(int)));
    HIP_CHECK(hipMemcpyFromSymbol(&total_here, inner::total, sizeof total_here));
    HIP_CHECK(hipMemcpyFromSymbolAsync(hidden_here, hidden, sizeof hidden_here, 0,
                                       hipMemcpyDeviceToHost, stream));
    HIP_CHECK(hipStreamSynchronize(stream));
    expect_all("table", table_here, [](int i) { return 1.5f * i; });
    EXPECT_EQ(counter_here, 15);
    EXPECT_EQ(total_here, 1ull << 40);
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(hidden_here[i], 10 * i);
    }

    // The address of a symbol is an ordinary device pointer.
    void *address = nullptr;
    size_t bytes = 0;
    HIP_CHECK(hipGetSymbolAddress(&address, table));
    HIP_CHECK(hipGetSymbolSize(&bytes, table));
    EXPECT_EQ(bytes, 16 * sizeof(float));
    HIP_CHECK(hipMemset(address, 0, bytes));
    HIP_CHECK(hipMemcpyFromSymbol(table_here.data(), table, 8 * sizeof(float), 8 * sizeof(float)));
    EXPECT_EQ(table_here[0], 0.0f);
    EXPECT_EQ(table_here[7], 0.0f);
    EXPECT_EQ(table_here[8], 12.0f);
    HIP_CHECK(hipStreamDestroy(stream));
    return finish();
}
