// Shuffles of every direction, width and type, for waves of 32 and of 64 lanes.
#include "expect.h"

__global__ void directions(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, value = 10 * threadIdx.x;
    out[i] = __shfl(value, 5);
    out[n + i] = __shfl_up(value, 3);
    out[2 * n + i] = __shfl_down(value, 2);
    out[3 * n + i] = __shfl_xor(value, 1);
    out[4 * n + i] = __shfl(value, (threadIdx.x + 1) % warpSize);
    out[5 * n + i] = __shfl(value, 3, 8);
    out[6 * n + i] = __shfl_up(value, 1, 16);
    out[7 * n + i] = __shfl_down(value, 4, 8);
    out[8 * n + i] = __shfl_xor(value, 6, 8);
}

static int expected(int test, int i, int warp) {
    int lane = i % warp, base = i - lane;
    int in8 = lane % 8, base8 = i - in8, in16 = lane % 16;
    switch (test) {
    case 0:
        return 10 * (base + 5);
    case 1:
        return 10 * (lane >= 3 ? i - 3 : i);
    case 2:
        return 10 * (lane + 2 < warp ? i + 2 : i);
    case 3:
        return 10 * (i ^ 1);
    case 4:
        return 10 * (base + (i + 1) % warp);
    case 5:
        return 10 * (base8 + 3);
    case 6:
        return 10 * (in16 >= 1 ? i - 1 : i);
    case 7:
        return 10 * (in8 + 4 < 8 ? i + 4 : i);
    default:
        return 10 * (base8 + (in8 ^ 6));
    }
}

template <class T> __global__ void typed(T *out, T start) {
    T value = start + (T)threadIdx.x;
    out[threadIdx.x] = __shfl_xor(value, 7);
}
template <class T> static void run_typed(const char *name, T start) {
    Buffer<T> out(64);
    typed<<<1, 64>>>(out.data, start);
    expect_launched();
    expect_all(name, out.get(), [&](int i) { return start + (T)(i ^ 7); });
}

__global__ void with_mask(int *out) {
    int lane = threadIdx.x % warpSize;
    unsigned long long everyone = __ballot(1);
    int sum = lane;
    for (int offset = warpSize / 2; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(everyone, sum, offset);
    }
    int first = __shfl_sync(everyone, sum, 0);
    int up = __shfl_up_sync(everyone, lane, 1);
    int flipped = __shfl_xor_sync(everyone, lane, 2);
    out[threadIdx.x] = first + up + flipped;
}

// Only the even lanes take part.
__global__ void half_of_them(int *out) {
    int i = threadIdx.x;
    out[i] = -1;
    if (i % 2 == 0) {
        out[i] = __shfl_xor(i, 2);
    }
}

// Inclusive scan of a wave.
__global__ void wave_scan(const int *in, int *out) {
    int lane = threadIdx.x % warpSize, value = in[threadIdx.x];
    for (int distance = 1; distance < warpSize; distance *= 2) {
        int from = __shfl_up(value, distance);
        if (lane >= distance) {
            value += from;
        }
    }
    out[threadIdx.x] = value;
}

// Lanes run through the second dimension of a block as well.
__global__ void two_dimensions(int *out) {
    int flat = threadIdx.x + blockDim.x * threadIdx.y;
    out[flat] = __shfl(flat, 9);
}

int main() {
    const int warp = device_warp_size(), n = 2 * 128;
    EXPECT(warp == 32 || warp == 64);
    Buffer<int> out(9 * n);
    directions<<<2, 128>>>(out, n);
    expect_launched();
    expect_all("directions", out.get(), [&](int i) { return expected(i / n, i % n % 128, warp); });

    run_typed<int>("int", -3);
    run_typed<unsigned>("unsigned", 4000000000u);
    run_typed<long long>("long long", -(1ll << 40));
    run_typed<unsigned long long>("unsigned long long", 1ull << 63);
    run_typed<float>("float", 0.5f);
    run_typed<double>("double", -1e100);

    Buffer<int> masked(128);
    with_mask<<<1, 128>>>(masked);
    expect_launched();
    expect_all("with_mask", masked.get(), [&](int i) {
        int lane = i % warp;
        return warp * (warp - 1) / 2 + (lane > 0 ? lane - 1 : 0) + (lane ^ 2);
    });

    Buffer<int> some(64);
    half_of_them<<<1, 64>>>(some);
    expect_launched();
    expect_all("half_of_them", some.get(), [](int i) { return i % 2 ? -1 : i ^ 2; });

    std::vector<int> numbers(128);
    for (int i = 0; i < 128; i++) {
        numbers[i] = i * 5 % 13;
    }
    Buffer<int> in(numbers), scanned(128);
    wave_scan<<<1, 128>>>(in, scanned);
    expect_launched();
    expect_all("wave_scan", scanned.get(), [&](int i) {
        int sum = 0;
        for (int k = i / warp * warp; k <= i; k++) {
            sum += numbers[k];
        }
        return sum;
    });

    Buffer<int> flat(16 * 8);
    two_dimensions<<<1, dim3(16, 8)>>>(flat);
    expect_launched();
    expect_all("two_dimensions", flat.get(), [&](int i) { return i / warp * warp + 9; });
    return finish();
}
