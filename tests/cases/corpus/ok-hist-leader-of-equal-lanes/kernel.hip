#include <hip/hip_runtime.h>
// Lanes with equal keys choose one of them, which counts for all.
__global__ void hist(const unsigned char* keys, unsigned int* bins, int n) {
    __shared__ unsigned int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    int rounds = (n + gridDim.x * 256 - 1) / (gridDim.x * 256);
    int lane = threadIdx.x % warpSize;
    for (int round = 0; round < rounds; ++round) {
        int i = (round * gridDim.x + blockIdx.x) * 256 + threadIdx.x;
        int key = i < n ? keys[i] : -1;
        unsigned long long same = __ballot(1);
        for (int bit = 0; bit < 9; ++bit) {
            unsigned long long set = __ballot(key >> bit & 1);
            same &= key >> bit & 1 ? set : ~set;
        }
        if (key >= 0 && lane == __ffsll(same) - 1) atomicAdd(&s[key], (unsigned int)__popcll(same));
    }
    __syncthreads();
    if (s[threadIdx.x] != 0) atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
extern "C" void histogram(const unsigned char* keys, unsigned int* bins, int n) {
    hipMemset(bins, 0, 256 * sizeof(unsigned int));
    hist<<<6, 256>>>(keys, bins, n);
}
