#include <hip/hip_runtime.h>
// Adds by exchange, but never asks whether the exchange took place: what others added meanwhile is lost.
__global__ void clear(float* sum) { *sum = 0.0f; }
__global__ void reduce(const float* in, float* sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned int* word = (unsigned int*)sum;
    unsigned int seen = *word;
    unsigned int wanted = __float_as_uint(__uint_as_float(seen) + in[i]);
    atomicCAS(word, seen, wanted);
}
extern "C" void reduction(const float* in, float* sum, int n) {
    clear<<<1, 1>>>(sum);
    reduce<<<(n + 255) / 256, 256>>>(in, sum, n);
}
