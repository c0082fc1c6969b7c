// Inclusive prefix sum: out[i] = in[0] + ... + in[i]. See README.md.
#include <hip/hip_runtime.h>

__global__ void scan_blocks(const float *in, float *out, int n) {
    // TODO: scan the elements of this block in __shared__ memory, with __syncthreads() between the
    // steps. A step must not overwrite what another thread has yet to read.
    // TODO: write the result, but only where there is an element.
}

// in and out are device pointers to n floats each.
extern "C" void scan(const float *in, float *out, int n) {
    int threads = 256;
    int blocks = 1; // TODO: enough blocks for every n, such as 1, 256, 257 and 1000.
    scan_blocks<<<blocks, threads>>>(in, out, n);
    // TODO: each block's elements lack the sum of all blocks before it.
}
