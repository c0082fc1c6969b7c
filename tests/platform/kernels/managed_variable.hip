// A __managed__ variable: one name for both sides.
#include "expect.h"

__managed__ int total = 3;
__managed__ float values[32];

__global__ void accumulate() {
    values[threadIdx.x] *= 2.0f;
    if (threadIdx.x == 0) {
        total += 4;
    }
}

int main() {
    for (int i = 0; i < 32; i++) {
        values[i] = (float)i;
    }
    accumulate<<<1, 32>>>();
    expect_launched();
    EXPECT_EQ(total, 7);
    for (int i = 0; i < 32; i++) {
        EXPECT_EQ(values[i], 2.0f * i);
    }
    total = 10;
    accumulate<<<1, 32>>>();
    expect_launched();
    EXPECT_EQ(total, 14);
    return finish();
}
