// The ways to launch a kernel, and what order one stream guarantees.
#include "expect.h"

struct Pair {
    short first;
    double second;
};

__global__ void combine(int *out, char a, Pair pair, float b, const int *table, long long c) {
    extern __shared__ int shared[];
    int i = threadIdx.x;
    shared[i] = table[i];
    __syncthreads();
    out[blockIdx.x * blockDim.x + i] =
        a + pair.first + (int)pair.second + (int)b + shared[blockDim.x - 1 - i] + (int)(c >> 40);
}

__global__ void append(int *data, int factor) {
    data[threadIdx.x] = data[threadIdx.x] * 10 + factor;
}
__global__ void nothing() {}

int main() {
    std::vector<int> table(64);
    for (int i = 0; i < 64; i++) {
        table[i] = 100 * i;
    }
    Buffer<int> dt(table), out(128);
    auto want = [](int i) { return 1 + 2 + 3 + 4 + 100 * (63 - i % 64) + 5; };
    char a = 1;
    Pair pair = {2, 3.5};
    float b = 4.25f;
    long long c = 5ll << 40;
    int *pout = out;
    const int *ptable = dt;

    combine<<<2, 64, 64 * sizeof(int)>>>(out, a, pair, b, dt, c);
    expect_launched();
    expect_all("chevrons", out.get(), want);

    out.zero();
    hipLaunchKernelGGL(combine, dim3(2), dim3(64), 64 * sizeof(int), nullptr, pout, a, pair, b,
                       ptable, c);
    expect_launched();
    expect_all("hipLaunchKernelGGL", out.get(), want);

    out.zero();
    void *arguments[] = {&pout, &a, &pair, &b, &ptable, &c};
    HIP_CHECK(hipLaunchKernel((const void *)combine, dim3(2), dim3(64), arguments, 64 * sizeof(int),
                              nullptr));
    HIP_CHECK(hipDeviceSynchronize());
    expect_all("hipLaunchKernel", out.get(), want);

    out.zero();
    void (*kernel)(int *, char, Pair, float, const int *, long long) = combine;
    kernel<<<2, 64, 64 * sizeof(int)>>>(out, a, pair, b, dt, c);
    expect_launched();
    expect_all("pointer", out.get(), want);

    // Launches of one stream run one after the other.
    Buffer<int> data(32);
    hipStream_t stream;
    HIP_CHECK(hipStreamCreate(&stream));
    for (hipStream_t s : {(hipStream_t) nullptr, stream}) {
        HIP_CHECK(hipMemsetAsync(data, 0, 32 * sizeof(int), s));
        for (int k = 1; k <= 8; k++) {
            append<<<1, 32, 0, s>>>(data, k);
        }
        HIP_CHECK(hipStreamSynchronize(s));
        expect_all("append", data.get(), [](int) { return 12345678; });
    }
    HIP_CHECK(hipStreamDestroy(stream));

    for (int i = 0; i < 100; i++) {
        nothing<<<3, 64>>>();
    }
    expect_launched();
    return finish();
}
