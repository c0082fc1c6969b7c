// Kernels as C++ knows them: templates, namespaces, static and anonymous ones, lambdas, functors,
// structs by value, launch bounds.
#include "expect.h"

template <class T> __global__ void axpy(T a, const T *x, T *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

template <int Size, class Op> __global__ void apply(int *data, Op op) {
    __shared__ int copy[Size];
    copy[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = op(copy[Size - 1 - threadIdx.x]);
}

struct Double {
    __device__ int operator()(int x) const { return 2 * x; }
};
struct Add {
    int amount;
    __host__ __device__ int operator()(int x) const { return x + amount; }
};

namespace outer {
namespace inner {
__global__ void write(int *out) {
    out[threadIdx.x] = 1;
}
} // namespace inner
__global__ void write(int *out) {
    out[threadIdx.x] = 2;
}
} // namespace outer
namespace {
__global__ void write(int *out) {
    out[threadIdx.x] = 3;
}
} // namespace
static __global__ void write_static(int *out) {
    out[threadIdx.x] = 4;
}

struct Matrix {
    int rows, columns;
    float values[6];
    char name[5];
};
__global__ void by_value(Matrix m, double extra, float3 shift, float *out, bool flag, short tiny) {
    int i = threadIdx.x;
    out[i] = m.values[i] + m.rows * 10 + m.columns + (float)extra + shift.z + m.name[4] +
             (flag ? 1000 : 0) + tiny;
}

template <class F> __global__ void for_each(int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        f(i);
    }
}

__global__ void __launch_bounds__(64) bounded(int *out) {
    out[threadIdx.x] = 5;
}
__global__ __launch_bounds__(128, 2) void bounded_twice(int *out) {
    out[threadIdx.x] = 6;
}

__forceinline__ __device__ int square(int x) {
    return x * x;
}
__noinline__ __device__ int cube(int x) {
    return x * square(x);
}
__host__ __device__ int both(int x) {
    return x + 1;
}
__device__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void functions(int *out) {
    int i = threadIdx.x;
    out[i] = square(i) + cube(i) + both(i) + fibonacci(i);
}

template <class T> struct Traits;
template <> struct Traits<float> {
    static constexpr int factor = 3;
};
template <> struct Traits<int> {
    static constexpr int factor = 7;
};
template <class T> __global__ void traits(T *out) {
    constexpr int factor = Traits<T>::factor;
    if constexpr (factor == 3) {
        out[threadIdx.x] = (T)(factor * threadIdx.x);
    } else {
        out[threadIdx.x] = (T)(factor + threadIdx.x);
    }
}

int main() {
    std::vector<double> x(100, 2.0), y(100, 1.0);
    Buffer<double> dx(x), dy(y);
    axpy<<<2, 64>>>(3.0, dx.data, dy.data, 100);
    hipLaunchKernelGGL(axpy<double>, dim3(2), dim3(64), 0, 0, 1.0, dx, dy, 100);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(axpy<double>), 2, 64, 0, nullptr, 1.0, dx, dy, 100);
    expect_launched();
    expect_all("axpy", dy.get(), [](int) { return 11.0; });

    std::vector<int> numbers(64);
    for (int i = 0; i < 64; i++) {
        numbers[i] = i;
    }
    Buffer<int> data(numbers);
    apply<64><<<1, 64>>>(data.data, Double());
    apply<64><<<1, 64>>>(data.data, Add{5});
    int captured = 100;
    apply<64><<<1, 64>>>(data.data, [=] __device__(int v) { return v + captured; });
    expect_launched();
    expect_all("apply", data.get(), [](int i) { return 2 * (63 - i) + 105; });

    Buffer<int> out(64);
    outer::inner::write<<<1, 64>>>(out);
    expect_launched();
    expect_all("inner", out.get(), [](int) { return 1; });
    outer::write<<<1, 64>>>(out);
    expect_launched();
    expect_all("outer", out.get(), [](int) { return 2; });
    write<<<1, 64>>>(out);
    expect_launched();
    expect_all("anonymous", out.get(), [](int) { return 3; });
    write_static<<<1, 64>>>(out);
    expect_launched();
    expect_all("static", out.get(), [](int) { return 4; });
    bounded<<<1, 64>>>(out);
    expect_launched();
    expect_all("bounded", out.get(), [](int) { return 5; });
    bounded_twice<<<1, 64>>>(out);
    expect_launched();
    expect_all("bounded_twice", out.get(), [](int) { return 6; });

    Matrix m = {2, 3, {1, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 7}};
    Buffer<float> values(6);
    by_value<<<1, 6>>>(m, 0.5, make_float3(1, 2, 3), values, true, (short)-4);
    expect_launched();
    expect_all("by_value", values.get(),
               [](int i) { return i + 1 + 23 + 0.5f + 3 + 7 + 1000 - 4; });

    Buffer<int> squares(1000);
    int *target = squares;
    for_each<<<3, 128>>>(1000, [target] __device__(int i) { target[i] = i * i; });
    expect_launched();
    expect_all("for_each", squares.get(), [](int i) { return i * i; });

    Buffer<int> results(10);
    functions<<<1, 10>>>(results);
    expect_launched();
    const int fib[10] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
    expect_all("functions", results.get(),
               [&](int i) { return i * i + i * i * i + both(i) + fib[i]; });

    Buffer<float> floats(10);
    traits<<<1, 10>>>(floats.data);
    traits<<<1, 10>>>(results.data);
    expect_launched();
    expect_all("traits<float>", floats.get(), [](int i) { return 3.0f * i; });
    expect_all("traits<int>", results.get(), [](int i) { return 7 + i; });
    return finish();
}
