// Coalesced groups: the threads of a wave that are in the same branch.
#include "expect.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

// One atomic for all threads of a wave that want a slot.
__device__ int add_together(int *counter) {
    cg::coalesced_group active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0) {
        first = atomicAdd(counter, (int)active.size());
    }
    return active.shfl(first, 0) + (int)active.thread_rank();
}

__global__ void filter(const int *in, int n, int *out, int *counter) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 5 == 0) {
        out[add_together(counter)] = in[i];
    }
}

__global__ void ranks(int *out) {
    int i = threadIdx.x;
    out[i] = -1;
    if (i % 3 == 1) {
        cg::coalesced_group group = cg::coalesced_threads();
        int next = group.shfl_down(i, 1);
        group.sync();
        out[i] = next;
    }
}

int main() {
    std::vector<int> numbers(1000);
    int want = 0;
    long long sum = 0;
    for (int i = 0; i < 1000; i++) {
        numbers[i] = i * 31 % 997;
        if (numbers[i] % 5 == 0) {
            want++;
            sum += numbers[i];
        }
    }
    Buffer<int> in(numbers), out(1000), counter(1);
    counter.zero();
    out.zero();
    filter<<<8, 128>>>(in, 1000, out, counter);
    expect_launched();
    EXPECT_EQ(counter.get()[0], want);
    std::vector<int> kept = out.get();
    long long got = 0;
    for (int i = 0; i < 1000; i++) {
        EXPECT(kept[i] % 5 == 0);
        got += kept[i];
    }
    EXPECT_EQ(got, sum);

    const int warp = device_warp_size();
    Buffer<int> next(64);
    ranks<<<1, 64>>>(next);
    expect_launched();
    expect_all("ranks", next.get(), [&](int i) {
        return i % 3 != 1 ? -1 : i % warp + 3 < warp ? i + 3 : i;
    });
    return finish();
}
