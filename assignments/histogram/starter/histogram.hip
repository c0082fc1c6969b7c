// Histogram of bytes: bins[b] = how many of the n keys are b. See README.md.
#include <hip/hip_runtime.h>

__global__ void count_keys(const unsigned char *keys, unsigned int *bins, int n) {
    // TODO: which key is this thread's, and does it exist?
    // TODO: count it. Other threads count the same key at the same time.
    // Later: count in __shared__ memory first, and add the block's counts to bins at its end.
}

// keys (n bytes) and bins (256 numbers, not yet 0) are device pointers.
extern "C" void histogram(const unsigned char *keys, unsigned int *bins, int n) {
    int threads = 256;
    int blocks = 1; // TODO: enough blocks for every n, such as 1, 256, 257 and 1000.
    // TODO: bins holds garbage; something has to make it 0 first.
    count_keys<<<blocks, threads>>>(keys, bins, n);
}
