#include <hip/hip_runtime.h>

constexpr int THREADS = 256;

__global__ void rows_of(const float *in, float *out, int columns) {
    __shared__ float largest[THREADS / 32];
    __shared__ float sum;
    const float *from = in + (size_t)blockIdx.x * columns;
    float *to = out + (size_t)blockIdx.x * columns;
    int wave = threadIdx.x / warpSize, waves = THREADS / warpSize;
    float own = -INFINITY;
    for (int i = threadIdx.x; i < columns; i += THREADS) {
        own = fmaxf(own, from[i]);
    }
    for (int distance = warpSize / 2; distance > 0; distance /= 2) {
        own = fmaxf(own, __shfl_xor(own, distance));
    }
    if (threadIdx.x % warpSize == 0) {
        largest[wave] = own;
    }
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    float most = largest[0];
    for (int i = 1; i < waves - 1; i++) {
        most = fmaxf(most, largest[i]);
    }
    float part = 0;
    for (int i = threadIdx.x; i < columns; i += THREADS) {
        part += expf(from[i] - most);
    }
    atomicAdd(&sum, part);
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += THREADS) {
        to[i] = expf(from[i] - most) / sum;
    }
}

extern "C" void softmax(const float *in, float *out, int rows, int columns) {
    rows_of<<<rows, THREADS>>>(in, out, columns);
}
