// A lock between blocks, taken by one thread of each, around a plain read-modify-write.
#include "expect.h"

__device__ int lock_word = 0;

__global__ void guarded_add(int *total, int amount) {
    __shared__ int local;
    if (threadIdx.x == 0) {
        local = 0;
    }
    __syncthreads();
    atomicAdd(&local, amount);
    __syncthreads();
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock_word, 0, 1) != 0) {
        }
        __threadfence();
        *total += local;
        __threadfence();
        atomicExch(&lock_word, 0);
    }
}

int main() {
    Buffer<int> total(1);
    total.zero();
    guarded_add<<<50, 64>>>(total, 3);
    expect_launched();
    EXPECT_EQ(total.get()[0], 50 * 64 * 3);
    return finish();
}
