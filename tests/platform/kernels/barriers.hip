// Block barriers: in loops, in branches that the whole block takes, in device functions, and the
// forms that count.
#include "expect.h"

__global__ void sum_tree(const int *in, int *out, int n) {
    __shared__ int partial[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int stride = 128; stride > 0; stride >>= 1) {
        if (t < stride) {
            partial[t] += partial[t + stride];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = partial[0];
    }
}

// Hillis and Steele's scan with two buffers.
__global__ void scan(const int *in, int *out) {
    __shared__ int buffer[2][128];
    int t = threadIdx.x, from = 0;
    buffer[0][t] = in[t];
    __syncthreads();
    for (int distance = 1; distance < 128; distance *= 2) {
        int to = 1 - from;
        buffer[to][t] =
            t >= distance ? buffer[from][t] + buffer[from][t - distance] : buffer[from][t];
        __syncthreads();
        from = to;
    }
    out[t] = buffer[from][t];
}

// Blelloch's scan: two sweeps over a tree, each level behind a barrier.
__global__ void scan_tree(const int *in, int *out) {
    __shared__ int tree[256];
    int t = threadIdx.x;
    tree[2 * t] = in[2 * t];
    tree[2 * t + 1] = in[2 * t + 1];
    int offset = 1;
    for (int d = 128; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
        }
        offset *= 2;
    }
    __syncthreads();
    if (t == 0) {
        tree[255] = 0;
    }
    for (int d = 1; d < 256; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            int kept = tree[left];
            tree[left] = tree[right];
            tree[right] += kept;
        }
    }
    __syncthreads();
    out[2 * t] = tree[2 * t];
    out[2 * t + 1] = tree[2 * t + 1];
}

__device__ void exchange(int *shared, int step) {
    int t = threadIdx.x, value = shared[(t + step) % blockDim.x];
    __syncthreads();
    shared[t] = value;
    __syncthreads();
}

__global__ void branches(int *out, int rounds) {
    __shared__ int shared[96];
    int t = threadIdx.x;
    shared[t] = t;
    __syncthreads();
    for (int round = 0; round < rounds; round++) {
        if (round % 3 == 2) {
            continue;
        }
        if ((round + blockIdx.x) % 2 == 0) {
            exchange(shared, 1);
        } else {
            exchange(shared, 5);
        }
    }
    out[blockIdx.x * 96 + t] = shared[t];
}

__global__ void voting(int *out, int limit) {
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    int count = __syncthreads_count(t < limit);
    int all = __syncthreads_and(t >= 0);
    int not_all = __syncthreads_and(t != 17);
    int any = __syncthreads_or(t == 99);
    int none = __syncthreads_or(t > 1000);
    if (t == 50) {
        out[0] = count;
        out[1] = all != 0;
        out[2] = not_all != 0;
        out[3] = any != 0;
        out[4] = none != 0;
    }
}

// The whole block leaves a loop in the same round.
__global__ void until_sorted(int *data, int *rounds, int n) {
    __shared__ int line[64];
    int t = threadIdx.x;
    line[t] = t < n ? data[t] : 1 << 30;
    __syncthreads();
    int round = 0;
    while (true) {
        int changed = 0, left = 2 * t + (round & 1);
        if (left + 1 < 64 && line[left] > line[left + 1]) {
            int swap = line[left];
            line[left] = line[left + 1];
            line[left + 1] = swap;
            changed = 1;
        }
        round++;
        int more = __syncthreads_or(changed);
        if (!more && round > 1 && round % 2 == 0) {
            int unsorted = t < 63 && line[t] > line[t + 1];
            if (!__syncthreads_or(unsorted)) {
                break;
            }
        }
    }
    if (t < n) {
        data[t] = line[t];
    }
    if (t == 0) {
        *rounds = round;
    }
}

int main() {
    std::vector<int> numbers(1000);
    long long total = 0;
    for (int i = 0; i < 1000; i++) {
        numbers[i] = i * 7 % 31;
        total += numbers[i];
    }
    Buffer<int> in(numbers), sums(4);
    sum_tree<<<4, 256>>>(in, sums, 1000);
    expect_launched();
    long long got = 0;
    for (int s : sums.get()) {
        got += s;
    }
    EXPECT_EQ(got, total);

    Buffer<int> scanned(128);
    scan<<<1, 128>>>(in, scanned);
    expect_launched();
    std::vector<int> prefix(257, 0);
    for (int i = 0; i < 256; i++) {
        prefix[i + 1] = prefix[i] + numbers[i];
    }
    expect_all("scan", scanned.get(), [&](int i) { return prefix[i + 1]; });
    Buffer<int> exclusive(256);
    scan_tree<<<1, 128>>>(in, exclusive);
    expect_launched();
    expect_all("scan_tree", exclusive.get(), [&](int i) { return prefix[i]; });

    Buffer<int> moved(192);
    branches<<<2, 96>>>(moved, 7);
    expect_launched();
    expect_all("branches", moved.get(), [](int i) {
        int steps = 0;
        for (int round = 0; round < 7; round++) {
            steps += round % 3 == 2 ? 0 : (round + i / 96) % 2 == 0 ? 1 : 5;
        }
        return (i % 96 + steps) % 96;
    });

    Buffer<int> votes(5);
    voting<<<1, dim3(20, 5)>>>(votes, 42);
    expect_launched();
    std::vector<int> v = votes.get();
    EXPECT_EQ(v[0], 42);
    EXPECT_EQ(v[1], 1);
    EXPECT_EQ(v[2], 0);
    EXPECT_EQ(v[3], 1);
    EXPECT_EQ(v[4], 0);

    std::vector<int> jumbled(50);
    for (int i = 0; i < 50; i++) {
        jumbled[i] = (i * 37 + 11) % 50;
    }
    Buffer<int> line(jumbled), rounds(1);
    until_sorted<<<1, 64>>>(line, rounds, 50);
    expect_launched();
    expect_all("until_sorted", line.get(), [](int i) { return i; });
    EXPECT(rounds.get()[0] >= 2);
    return finish();
}
