// The object-oriented corner of device code: virtual functions, function pointers, unions, constant
// tables, parameter packs, recursion through pointers.
#include "expect.h"

struct Shape {
    __device__ virtual float area() const { return 0.0f; }
    __host__ __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float side;
    __host__ __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};
struct Circle : Shape {
    float radius;
    __host__ __device__ explicit Circle(float r) : radius(r) {}
    __device__ float area() const override { return 3.0f * radius * radius; }
};

// Objects with virtual functions are made where they are used.
__global__ void areas(float *out) {
    Square square((float)threadIdx.x);
    Circle circle((float)threadIdx.x);
    const Shape *shape = threadIdx.x % 2 ? (const Shape *)&square : (const Shape *)&circle;
    out[threadIdx.x] = shape->area();
}

typedef int (*Operation)(int, int);
__device__ int add(int a, int b) {
    return a + b;
}
__device__ int multiply(int a, int b) {
    return a * b;
}

__global__ void through_pointers(int *out) {
    Operation operation = threadIdx.x % 3 == 0 ? add : multiply;
    out[threadIdx.x] = operation((int)threadIdx.x, 4);
}

union Bits {
    float number;
    unsigned word;
    unsigned char bytes[4];
};

__global__ void unions(unsigned *out) {
    Bits bits;
    bits.number = (float)(1 << threadIdx.x);
    out[threadIdx.x] = (bits.word >> 23) - 127;
}

template <class... Numbers> __global__ void sum_of(int *out, Numbers... numbers) {
    out[threadIdx.x] = (int)(numbers + ...) + (int)threadIdx.x;
}

__global__ void tables(int *out) {
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    constexpr int offsets[3] = {10, 20, 30};
    int total = 0;
    for (int month : days) {
        total += month;
    }
    out[threadIdx.x] = days[threadIdx.x % 12] + offsets[threadIdx.x % 3] + total;
}

extern "C" __global__ void plain_name(int *out) {
    out[threadIdx.x] = 9;
}

int main() {
    Buffer<float> floats(32);
    areas<<<1, 32>>>(floats);
    expect_launched();
    expect_all("areas", floats.get(), [](int i) { return (i % 2 ? 1.0f : 3.0f) * i * i; });

    Buffer<int> ints(48);
    through_pointers<<<1, 48>>>(ints);
    expect_launched();
    expect_all("through_pointers", ints.get(), [](int i) { return i % 3 == 0 ? i + 4 : i * 4; });

    Buffer<unsigned> words(16);
    unions<<<1, 16>>>(words);
    expect_launched();
    expect_all("unions", words.get(), [](int i) { return i; });

    sum_of<<<1, 48>>>(ints.data, 1, 2.5, 3u, (char)4);
    expect_launched();
    expect_all("sum_of", ints.get(), [](int i) { return 10 + i; });

    tables<<<1, 48>>>(ints);
    expect_launched();
    const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    expect_all("tables", ints.get(), [&](int i) { return days[i % 12] + 10 * (i % 3 + 1) + 365; });

    plain_name<<<1, 48>>>(ints);
    expect_launched();
    expect_all("plain_name", ints.get(), [](int) { return 9; });
    return finish();
}
