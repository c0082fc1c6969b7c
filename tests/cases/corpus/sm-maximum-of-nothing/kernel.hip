#include <hip/hip_runtime.h>

__global__ void rows_of(const float *in, float *out, int columns) {
    __shared__ float maxima[64], sums[64];
    int t = threadIdx.x;
    const float *row = in + (size_t)blockIdx.x * columns;
    float m = -INFINITY, sum = 0;
    for (int i = t; i < columns; i += 64) {
        float larger = fmaxf(m, row[i]);
        sum = sum * expf(m - larger) + expf(row[i] - larger);
        m = larger;
    }
    maxima[t] = m;
    sums[t] = sum;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) {
            float larger = fmaxf(maxima[t], maxima[t + half]);
            sums[t] = sums[t] * expf(maxima[t] - larger) +
                      sums[t + half] * expf(maxima[t + half] - larger);
            maxima[t] = larger;
        }
        __syncthreads();
    }
    for (int i = t; i < columns; i += 64) {
        out[(size_t)blockIdx.x * columns + i] = expf(row[i] - maxima[0]) / sums[0];
    }
}

extern "C" void softmax(const float *in, float *out, int rows, int columns) {
    rows_of<<<rows, 64>>>(in, out, columns);
}
