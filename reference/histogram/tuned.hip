// What an excellent student could hand in: 16 keys a load; every 32 threads count in bins of their
// own in shared memory, so that fewer of them meet at a frequent key; blocks take many keys, so
// that there are few additions to global memory.
#include <hip/hip_runtime.h>

#include <cstdint>

namespace {

constexpr int kBins = 256;
constexpr int kBlock = 256; // a thread for each bin
constexpr int kCopies = kBlock / 32;
constexpr int kMaxBlocks = 1024;
constexpr int kKeysAtOnce = sizeof(uint4);

__device__ void count_word(unsigned int *bins, unsigned int word) {
    atomicAdd(&bins[word & 255], 1u);
    atomicAdd(&bins[word >> 8 & 255], 1u);
    atomicAdd(&bins[word >> 16 & 255], 1u);
    atomicAdd(&bins[word >> 24], 1u);
}

// groups: how many groups of 16 keys are read at once; 0 where keys is not aligned.
__global__ __launch_bounds__(kBlock) void count_keys(const unsigned char *__restrict__ keys,
                                                     unsigned int *bins, unsigned groups,
                                                     unsigned n) {
    __shared__ unsigned int copies[kCopies][kBins];
    for (int copy = 0; copy < kCopies; ++copy) {
        copies[copy][threadIdx.x] = 0;
    }
    __syncthreads();

    unsigned int *own = copies[threadIdx.x / 32];
    const unsigned stride = gridDim.x * kBlock;
    const unsigned first = blockIdx.x * kBlock + threadIdx.x;
    for (unsigned i = first; i < groups; i += stride) {
        const uint4 sixteen = reinterpret_cast<const uint4 *>(keys)[i];
        count_word(own, sixteen.x);
        count_word(own, sixteen.y);
        count_word(own, sixteen.z);
        count_word(own, sixteen.w);
    }
    for (unsigned i = groups * kKeysAtOnce + first; i < n; i += stride) {
        atomicAdd(&own[keys[i]], 1u);
    }
    __syncthreads();

    unsigned int count = 0;
    for (int copy = 0; copy < kCopies; ++copy) {
        count += copies[copy][threadIdx.x];
    }
    if (count > 0) {
        atomicAdd(&bins[threadIdx.x], count);
    }
}

} // namespace

extern "C" void histogram(const unsigned char *keys, unsigned int *bins, int n) {
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(keys) % kKeysAtOnce == 0;
    const int keys_a_block = kBlock * kKeysAtOnce;
    const int wanted = (n + keys_a_block - 1) / keys_a_block;
    const int blocks = wanted < kMaxBlocks ? wanted : kMaxBlocks;
    (void)hipMemsetAsync(bins, 0, kBins * sizeof *bins, 0);
    count_keys<<<blocks, kBlock>>>(keys, bins, is_aligned ? n / kKeysAtOnce : 0, n);
}
