#include <hip/hip_runtime.h>

struct Shape {
    int count, stride;
};
__constant__ Shape shape;

__global__ void add(const float *a, const float *b, float *c) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < shape.count; i += shape.stride) {
        c[i] = a[i] + b[i];
    }
}

extern "C" void vector_add(const float *a, const float *b, float *c, int n) {
    shape.count = n;
    shape.stride = 64 * 128;
    add<<<64, 128>>>(a, b, c);
}
