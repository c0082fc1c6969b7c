// Sum of a vector: sum[0] = in[0] + in[1] + ... + in[n-1]. See README.md.
#include <hip/hip_runtime.h>

__global__ void add_up(const float *in, float *sum, int n) {
    // TODO: add up the elements of this block: in __shared__ memory, with __syncthreads() between
    // the steps. Threads behind the end of the vector take part with 0.
    // TODO: add the block's result to sum[0]. Other blocks do so at the same time.
}

// in (n floats) and sum (one float, not yet 0) are device pointers.
extern "C" void reduction(const float *in, float *sum, int n) {
    int threads = 256;
    int blocks = 1; // TODO: enough blocks for every n, such as 1, 256, 257 and 1000.
    // TODO: sum[0] holds garbage; something has to make it 0 first.
    add_up<<<blocks, threads>>>(in, sum, n);
}
