// Clocks in a kernel go forward.
#include "expect.h"

__global__ void measure(long long *out, float *data) {
    long long start = clock64(), wall = wall_clock64();
    float x = data[threadIdx.x];
    for (int i = 0; i < 1000; i++) {
        x = x * 0.5f + 1.0f;
    }
    data[threadIdx.x] = x;
    out[2 * threadIdx.x] = clock64() - start;
    out[2 * threadIdx.x + 1] = wall_clock64() - wall;
}

int main() {
    Buffer<long long> out(64);
    Buffer<float> data(32);
    data.zero();
    measure<<<1, 32>>>(out, data);
    expect_launched();
    for (long long ticks : out.get()) {
        EXPECT(ticks >= 0);
    }
    return finish();
}
