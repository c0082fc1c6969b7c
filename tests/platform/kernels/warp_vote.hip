// Votes, lane numbers, masks, and shared memory exchanged within a wave.
#include "expect.h"

__global__ void votes(unsigned long long *ballots, int *flags) {
    int i = threadIdx.x, lane = i % warpSize;
    ballots[i] = __ballot(lane % 3 == 0);
    flags[i] = (__any(lane == 7) ? 1 : 0) + (__any(lane > 64) ? 2 : 0) +
               (__all(lane >= 0) ? 4 : 0) + (__all(lane != 7) ? 8 : 0) +
               ((int)__lane_id() == lane ? 16 : 0);
}

__global__ void masks(int *out) {
    int i = threadIdx.x, lane = i % warpSize;
    unsigned long long everyone = __activemask();
    unsigned long long even = __ballot_sync(everyone, lane % 2 == 0);
    int any = __any_sync(everyone, lane == 3), all = __all_sync(everyone, lane < warpSize);
    out[i] = __popcll(everyone) * 1000 + __popcll(even) * 10 + any + 2 * all;
}

// Each side of a branch votes among itself.
__global__ void divided(int *out) {
    int i = threadIdx.x;
    if (i % 4 == 1) {
        out[i] = __popcll(__ballot(1));
    } else {
        out[i] = __popcll(__ballot(i % 4 == 2)) + 100;
    }
}

// Compaction: the rank of a lane among those that keep their element.
__global__ void compact(const int *in, int *out, int *count) {
    __shared__ int base;
    int i = threadIdx.x, lane = i % warpSize, keep = in[i] % 3 == 0;
    if (i == 0) {
        base = 0;
    }
    __syncthreads();
    unsigned long long kept = __ballot(keep);
    int rank = __popcll(kept & ((1ull << lane) - 1)), start = 0;
    if (lane == 0) {
        start = atomicAdd(&base, __popcll(kept));
    }
    start = __shfl(start, 0);
    if (keep) {
        out[start + rank] = in[i];
    }
    __syncthreads();
    if (i == 0) {
        *count = base;
    }
}

__global__ void through_shared(int *out) {
    __shared__ int values[128];
    int i = threadIdx.x, lane = i % warpSize, first = i - lane;
    values[i] = i;
    __syncwarp();
    int next = values[first + (lane + 1) % warpSize];
    __syncwarp();
    values[i] = next * 2;
    __syncwarp(__activemask());
    out[i] = values[first + (lane + 1) % warpSize];
}

// A block sum out of wave sums.
__global__ void block_sum(const float *in, int n, float *out) {
    __shared__ float sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
    int waves = (blockDim.x + warpSize - 1) / warpSize;
    float value = i < n ? in[i] : 0.0f;
    for (int offset = warpSize / 2; offset > 0; offset >>= 1) {
        value += __shfl_down(value, offset);
    }
    if (lane == 0) {
        sums[wave] = value;
    }
    __syncthreads();
    if (wave == 0) {
        value = lane < waves ? sums[lane] : 0.0f;
        for (int offset = warpSize / 2; offset > 0; offset >>= 1) {
            value += __shfl_down(value, offset);
        }
        if (lane == 0) {
            atomicAdd(out, value);
        }
    }
}

int main() {
    const int warp = device_warp_size();
    unsigned long long thirds = 0;
    for (int lane = 0; lane < warp; lane += 3) {
        thirds |= 1ull << lane;
    }
    Buffer<unsigned long long> ballots(128);
    Buffer<int> flags(128), out(128);
    votes<<<1, 128>>>(ballots, flags);
    expect_launched();
    expect_all("ballots", ballots.get(), [&](int) { return thirds; });
    expect_all("flags", flags.get(), [](int) { return 1 + 4 + 16; });

    masks<<<1, 128>>>(out);
    expect_launched();
    expect_all("masks", out.get(), [&](int) { return warp * 1000 + warp / 2 * 10 + 3; });

    divided<<<1, 128>>>(out);
    expect_launched();
    expect_all("divided", out.get(), [&](int i) { return i % 4 == 1 ? warp / 4 : warp / 4 + 100; });

    std::vector<int> numbers(256);
    int threes = 0;
    long long sum_of_threes = 0;
    for (int i = 0; i < 256; i++) {
        numbers[i] = i * 29 % 101;
        if (numbers[i] % 3 == 0) {
            threes++;
            sum_of_threes += numbers[i];
        }
    }
    Buffer<int> in(numbers), packed(256), count(1);
    compact<<<1, 256>>>(in, packed, count);
    expect_launched();
    EXPECT_EQ(count.get()[0], threes);
    std::vector<int> packed_here(threes);
    HIP_CHECK(hipMemcpy(packed_here.data(), packed, threes * sizeof(int), hipMemcpyDeviceToHost));
    long long got = 0;
    for (int value : packed_here) {
        EXPECT(value % 3 == 0);
        got += value;
    }
    EXPECT_EQ(got, sum_of_threes);

    through_shared<<<1, 128>>>(out);
    expect_launched();
    expect_all("through_shared", out.get(),
               [&](int i) { return 2 * (i / warp * warp + (i % warp + 2) % warp); });

    std::vector<float> values(1000);
    float want = 0.0f;
    for (int i = 0; i < 1000; i++) {
        values[i] = (float)(i % 9);
        want += values[i];
    }
    Buffer<float> summands(values), total(1);
    total.zero();
    block_sum<<<4, 256>>>(summands, 1000, total);
    expect_launched();
    EXPECT_EQ(total.get()[0], want);
    return finish();
}
