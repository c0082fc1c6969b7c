// Details that students meet: assert that holds, empty grids of work, volatile, const and restrict
// pointers, pointers to pointers, structs of pointers, 64-bit indices, bool and enum parameters.
#include "expect.h"

#include <cassert>
#include <cstdint>

enum class Mode { copy, negate };

struct Arrays {
    const float *in;
    float *out;
    int64_t n;
};

__global__ void by_struct(Arrays arrays, Mode mode, bool twice) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    assert(arrays.in != nullptr && arrays.n >= 0);
    if (i < arrays.n) {
        float x = arrays.in[i];
        x = mode == Mode::negate ? -x : x;
        arrays.out[i] = twice ? 2 * x : x;
    }
}

__global__ void rows(float **matrix, int columns) {
    matrix[blockIdx.x][threadIdx.x] += (float)(blockIdx.x * columns + threadIdx.x);
}

// A linked list in device memory.
struct Node {
    int value;
    Node *next;
};
__global__ void link(Node *nodes, int n) {
    int i = threadIdx.x;
    nodes[i].value = i * i;
    nodes[i].next = i + 1 < n ? &nodes[i + 1] : nullptr;
}
__global__ void walk(const Node *first, int *sum) {
    *sum = 0;
    for (const Node *node = first; node != nullptr; node = node->next) {
        *sum += node->value;
    }
}

__global__ void volatile_reads(volatile int *data, int n) {
    __shared__ volatile int values[64];
    int t = threadIdx.x;
    values[t] = data[t];
    __syncthreads();
    data[t] = values[n - 1 - t];
}

// min, max and abs over the integer types, with mixed arguments and with warpSize.
__global__ void mixed(long long *out, int n, size_t bytes, unsigned char small) {
    out[0] = min(n, 3) + (int)max(bytes, (size_t)2) + min(small, small) + max(n, small);
    out[1] =
        abs(-5) + abs(-6l) + abs(-7ll) + min(n, (int)blockDim.x) + max((unsigned)n, blockDim.x);
    out[2] = min(warpSize, 1000) + (warpSize > 32 ? 64 : 32) - 2 * warpSize;
    unsigned as_unsigned = warpSize;
    out[3] = as_unsigned == (unsigned)warpSize && (int)threadIdx.x < warpSize;
    out[4] = std::min({7, 5, 6}) + std::max(2, 4);
}

__global__ void nothing_to_do(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = 1.0f;
    }
}

int main() {
    const int n = 333;
    std::vector<float> numbers(n);
    for (int i = 0; i < n; i++) {
        numbers[i] = (float)i;
    }
    Buffer<float> in(numbers), out(n);
    Arrays arrays = {in, out, n};
    by_struct<<<3, 128>>>(arrays, Mode::negate, true);
    expect_launched();
    expect_all("by_struct", out.get(), [](int i) { return -2.0f * i; });

    Buffer<float> first(50), second(50);
    first.zero();
    second.zero();
    Buffer<float *> table(std::vector<float *>{first.data, second.data});
    rows<<<2, 50>>>(table, 50);
    expect_launched();
    expect_all("first row", first.get(), [](int i) { return i; });
    expect_all("second row", second.get(), [](int i) { return 50 + i; });

    Buffer<Node> nodes(40);
    Buffer<int> sum(1);
    link<<<1, 40>>>(nodes, 40);
    walk<<<1, 1>>>(nodes, sum);
    expect_launched();
    EXPECT_EQ(sum.get()[0], 39 * 40 * 79 / 6);

    std::vector<int> ints(64);
    for (int i = 0; i < 64; i++) {
        ints[i] = i;
    }
    Buffer<int> data(ints);
    volatile_reads<<<1, 64>>>(data, 64);
    expect_launched();
    expect_all("volatile", data.get(), [](int i) { return 63 - i; });

    Buffer<long long> results(5);
    mixed<<<1, 1>>>(results, 10, 20, 30);
    expect_launched();
    const long long want[5] = {3 + 20 + 30 + 30, 5 + 6 + 7 + 1 + 10, 0, 1, 9};
    expect_all("mixed", results.get(), [&](int i) { return want[i]; });

    nothing_to_do<<<1, 64>>>(nullptr, 0);
    nothing_to_do<<<1, 64>>>(out, 0);
    expect_launched();
    return finish();
}
