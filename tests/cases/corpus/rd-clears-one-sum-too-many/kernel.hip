#include <hip/hip_runtime.h>

__global__ void add_up(const float *in, float *sum, int n) {
    float partial[4];
    for (int j = 0; j <= 4; j++) partial[j] = 0;
    for (int i = 0; i < n; i++) partial[i % 4] += in[i];
    *sum = (partial[0] + partial[1]) + (partial[2] + partial[3]);
}

extern "C" void reduction(const float *in, float *sum, int n) {
    add_up<<<1, 1>>>(in, sum, n);
}
