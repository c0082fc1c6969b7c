#include <hip/hip_runtime.h>
// Lanes vote in the round that is theirs: those of other rounds must not be counted.
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % warpSize, voters = 0;
    for (int round = 0; round < 4; round++) {
        if (lane % 4 == round) voters = __popcll(__ballot(1));
    }
    if (i < n) c[i] = voters == warpSize / 4 ? a[i] + b[i] : -1.0f;
}
extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
