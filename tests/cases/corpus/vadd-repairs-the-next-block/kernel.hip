#include <hip/hip_runtime.h>
// Each block writes its own part and repairs the first element of the next one.
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) c[i] = a[i];
    __syncthreads();
    int j = i + 1;
    if (i == 0) c[0] += b[0];
    if (j < n) c[j] += b[j];
}
extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    add<<<(n + 255) / 256, 256>>>(a, b, c, n);
}
