// Atomics on global and shared memory, on every type that HIP has them for.
#include "expect.h"

#include <climits>

__global__ void integers(int *i, unsigned *u, unsigned long long *l) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&i[0], t);
    atomicSub(&i[1], 2);
    atomicMin(&i[2], -t);
    atomicMax(&i[3], t);
    atomicAnd(&i[4], ~(1 << (t % 8)));
    atomicOr(&i[5], 1 << (t % 20));
    atomicXor(&i[6], t);
    atomicAdd(&u[0], 1u);
    atomicSub(&u[1], 1u);
    atomicMin(&u[2], (unsigned)t + 3);
    atomicMax(&u[3], 0x80000000u + t);
    atomicInc(&u[4], 9u);
    atomicDec(&u[5], 9u);
    atomicAnd(&u[6], ~(1u << (t % 4)));
    atomicOr(&u[7], 1u << (t % 32));
    atomicXor(&u[8], 1u << (t % 32));
    atomicAdd(&l[0], 1ull << 33);
    atomicMin(&l[1], (unsigned long long)t);
    atomicMax(&l[2], (1ull << 40) + t);
    atomicOr(&l[3], 1ull << (t % 64));
    atomicAnd(&l[4], ~(1ull << (t % 64)));
    atomicXor(&l[5], 1ull << (t % 64));
    atomicAdd_system(&i[7], 1);
    atomicMax_system(&u[9], (unsigned)t);
}

__global__ void floats(float *f, double *d) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&f[0], 0.5f);
    atomicSub(&f[1], 0.25f);
    atomicMin(&f[2], (float)-t);
    atomicMax(&f[3], (float)t);
    atomicAdd(&d[0], 0.125);
    atomicMin(&d[1], (double)t - 7);
    atomicMax(&d[2], (double)t);
    unsafeAtomicAdd(&f[4], 1.0f);
}

// Every ticket is handed out once.
__global__ void tickets(int *next, int *taken, int n) {
    int ticket = atomicAdd(next, 1);
    if (ticket < n) {
        taken[ticket] += 1;
    }
}

// Exchange moves tokens round; none is lost or doubled.
__global__ void exchange(int *slot, int *kept) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    kept[t] = atomicExch(slot, t);
}

__global__ void float_exchange(float *slot, float *kept) {
    kept[threadIdx.x] = atomicExch(slot, (float)threadIdx.x);
}

__device__ float atomic_multiply(float *p, float factor) {
    int *bits = (int *)p;
    int old = atomicAdd(bits, 0), assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(__int_as_float(assumed) * factor));
    } while (old != assumed);
    return __int_as_float(old);
}
__global__ void multiply(float *p, unsigned long long *wide) {
    atomic_multiply(p, threadIdx.x % 2 ? 2.0f : 0.5f);
    unsigned long long seen = atomicAdd(wide, 0ull), before;
    do {
        before = seen;
        seen = atomicCAS(wide, before, before + (1ull << 32));
    } while (seen != before);
}

__global__ void histogram(const unsigned char *data, int n, unsigned *bins) {
    __shared__ unsigned local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        local[b] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[data[i]], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        atomicAdd(&bins[b], local[b]);
    }
}

__global__ void shared_counters(int *out) {
    __shared__ int count, smallest;
    __shared__ float sum;
    if (threadIdx.x == 0) {
        count = 0;
        smallest = INT_MAX;
        sum = 0.0f;
    }
    __syncthreads();
    if (threadIdx.x % 3 == 0) {
        atomicAdd(&count, 1);
    }
    atomicMin(&smallest, 1000 - (int)threadIdx.x);
    atomicAdd(&sum, 2.0f);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = count;
        out[1] = smallest;
        out[2] = (int)sum;
    }
}

int main() {
    const int n = 4 * 96;
    Buffer<int> i(std::vector<int>{0, 0, 100, -100, 0xff, 0, 0, 0});
    Buffer<unsigned> u(std::vector<unsigned>{0, n, 1000, 0, 0, 0, 0xff, 0, 0, 0});
    Buffer<unsigned long long> l(std::vector<unsigned long long>{0, 77, 0, 0, ~0ull, 0});
    integers<<<4, 96>>>(i, u, l);
    expect_launched();
    std::vector<int> gi = i.get();
    int all_xor = 0;
    for (int t = 0; t < n; t++) {
        all_xor ^= t;
    }
    EXPECT_EQ(gi[0], n * (n - 1) / 2);
    EXPECT_EQ(gi[1], -2 * n);
    EXPECT_EQ(gi[2], -(n - 1));
    EXPECT_EQ(gi[3], n - 1);
    EXPECT_EQ(gi[4], 0);
    EXPECT_EQ(gi[5], (1 << 20) - 1);
    EXPECT_EQ(gi[6], all_xor);
    EXPECT_EQ(gi[7], n);
    std::vector<unsigned> gu = u.get();
    EXPECT_EQ(gu[0], (unsigned)n);
    EXPECT_EQ(gu[1], 0u);
    EXPECT_EQ(gu[2], 3u);
    EXPECT_EQ(gu[3], 0x80000000u + n - 1);
    EXPECT_EQ(gu[4], (unsigned)(n % 10));
    EXPECT_EQ(gu[5], (10 - n % 10) % 10u);
    EXPECT_EQ(gu[6], 0xf0u);
    EXPECT_EQ(gu[7], ~0u);
    EXPECT_EQ(gu[8], n / 32 % 2 ? ~0u : 0u);
    EXPECT_EQ(gu[9], (unsigned)n - 1);
    std::vector<unsigned long long> gl = l.get();
    EXPECT_EQ(gl[0], (1ull << 33) * n);
    EXPECT_EQ(gl[1], 0ull);
    EXPECT_EQ(gl[2], (1ull << 40) + n - 1);
    EXPECT_EQ(gl[3], ~0ull);
    EXPECT_EQ(gl[4], 0ull);
    EXPECT_EQ(gl[5], n / 64 % 2 ? ~0ull : 0ull);

    Buffer<float> f(std::vector<float>{0, 0, 5, -5, 0});
    Buffer<double> d(std::vector<double>{0, 5, -5});
    floats<<<4, 96>>>(f, d);
    expect_launched();
    std::vector<float> gf = f.get();
    EXPECT_EQ(gf[0], 0.5f * n);
    EXPECT_EQ(gf[1], -0.25f * n);
    EXPECT_EQ(gf[2], -(float)(n - 1));
    EXPECT_EQ(gf[3], (float)(n - 1));
    EXPECT_EQ(gf[4], (float)n);
    std::vector<double> gd = d.get();
    EXPECT_EQ(gd[0], 0.125 * n);
    EXPECT_EQ(gd[1], -7.0);
    EXPECT_EQ(gd[2], (double)(n - 1));

    Buffer<int> next(1), taken(500);
    next.zero();
    taken.zero();
    tickets<<<6, 100>>>(next, taken, 500);
    expect_launched();
    expect_all("taken", taken.get(), [](int) { return 1; });
    EXPECT_EQ(next.get()[0], 600);

    Buffer<int> slot(std::vector<int>{-1}), kept(256);
    exchange<<<2, 128>>>(slot, kept);
    expect_launched();
    std::vector<int> times(257, 0);
    for (int k : kept.get()) {
        times[k + 1]++;
    }
    times[slot.get()[0] + 1]++;
    expect_all("tokens", times, [](int) { return 1; });

    Buffer<float> float_slot(std::vector<float>{64.0f}), float_kept(64);
    float_exchange<<<1, 64>>>(float_slot, float_kept);
    expect_launched();
    float sum = float_slot.get()[0];
    for (float k : float_kept.get()) {
        sum += k;
    }
    EXPECT_EQ(sum, 64.0f + 63 * 32);

    Buffer<float> product(std::vector<float>{3.0f});
    Buffer<unsigned long long> wide(std::vector<unsigned long long>{1});
    multiply<<<1, 64>>>(product, wide);
    expect_launched();
    EXPECT_EQ(product.get()[0], 3.0f);
    EXPECT_EQ(wide.get()[0], (64ull << 32) + 1);

    std::vector<unsigned char> bytes(10000);
    std::vector<unsigned> want(256, 0);
    for (int k = 0; k < 10000; k++) {
        bytes[k] = (unsigned char)(k * k / 7);
        want[bytes[k]]++;
    }
    Buffer<unsigned char> data(bytes);
    Buffer<unsigned> bins(256);
    bins.zero();
    histogram<<<5, 128>>>(data, 10000, bins);
    expect_launched();
    expect_all("bins", bins.get(), [&](int b) { return want[b]; });

    Buffer<int> counters(3);
    shared_counters<<<1, 100>>>(counters);
    expect_launched();
    std::vector<int> c = counters.get();
    EXPECT_EQ(c[0], 34);
    EXPECT_EQ(c[1], 901);
    EXPECT_EQ(c[2], 200);
    return finish();
}
