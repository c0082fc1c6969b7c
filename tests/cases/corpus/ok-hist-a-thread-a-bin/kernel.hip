#include <hip/hip_runtime.h>
// No atomics: every thread looks at all keys and counts its own.
__global__ void histogram(const unsigned char* keys, unsigned int* bins, int n) {
    unsigned int count = 0;
    for (int i = 0; i < n; ++i) count += keys[i] == threadIdx.x;
    bins[threadIdx.x] = count;
}
