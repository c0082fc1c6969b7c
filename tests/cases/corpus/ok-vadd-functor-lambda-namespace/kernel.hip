#include <hip/hip_runtime.h>

#include <cstdio>

namespace course {
namespace {

struct Shape {
    int count;
    __host__ __device__ bool holds(int i) const { return i < count; }
};

template <typename F>
__global__ void apply(const float* a, const float* b, float* c, Shape shape, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (shape.holds(i)) c[i] = f(a[i], b[i]);
    if (i == 0 && shape.count == 1) printf("one element\n");
}

}  // namespace
}  // namespace course

extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    auto plus = [] __device__(float x, float y) { return x + y; };
    course::apply<<<dim3((n + 127) / 128), dim3(128)>>>(a, b, c, course::Shape{n}, plus);
    if (hipGetLastError() != hipSuccess) std::fprintf(stderr, "launch failed\n");
}
