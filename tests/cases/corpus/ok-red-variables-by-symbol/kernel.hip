#include <hip/hip_runtime.h>

constexpr int THREADS = 128;
constexpr int BLOCKS = 32;

__constant__ int count;
__managed__ int rounds;
__device__ float partials[BLOCKS * THREADS];
__device__ const float zero = 0.0f;

__global__ void add_up(const float *in) {
    int first = blockIdx.x * THREADS + threadIdx.x;
    float sum = zero;
    for (int i = first; i < count; i += BLOCKS * THREADS) {
        sum += in[i];
    }
    partials[first] = sum;
}

__global__ void finish(const float *from, float *sum) {
    float total = zero;
    for (int i = 0; i < rounds * THREADS; i++) {
        total += from[i];
    }
    *sum = total;
}

extern "C" void reduction(const float *in, float *sum, int n) {
    hipMemcpyToSymbol(HIP_SYMBOL(count), &n, sizeof n);
    hipDeviceSynchronize();
    rounds = BLOCKS;
    add_up<<<BLOCKS, THREADS>>>(in);
    float *from = nullptr;
    hipGetSymbolAddress(reinterpret_cast<void **>(&from), HIP_SYMBOL(partials));
    float first = 0;
    hipMemcpyFromSymbol(&first, HIP_SYMBOL(partials), sizeof first);
    if (first != first) {
        return;
    }
    finish<<<1, 1>>>(from, sum);
    hipDeviceSynchronize();
}
