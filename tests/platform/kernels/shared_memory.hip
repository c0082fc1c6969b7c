// Static and dynamic shared memory: several arrays, two dimensions, structs, carving, kernels that
// share a device function.
#include "expect.h"

__global__ void reverse_static(int *data) {
    __shared__ int copy[128];
    int i = threadIdx.x;
    copy[i] = data[blockIdx.x * 128 + i];
    __syncthreads();
    data[blockIdx.x * 128 + i] = copy[127 - i];
}

__global__ void transpose(const float *in, float *out, int rows, int columns) {
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < columns && y < rows) {
        tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    }
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < rows && y < columns) {
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
    }
}

extern __shared__ double dynamic_doubles[];
__global__ void reverse_dynamic(double *data) {
    int i = threadIdx.x, n = blockDim.x;
    dynamic_doubles[i] = data[i];
    __syncthreads();
    data[i] = dynamic_doubles[n - 1 - i];
}

// Static arrays come first, dynamic memory after them; one dynamic array is carved into two.
__global__ void carve(int *out, int n) {
    __shared__ int fixed[64];
    HIP_DYNAMIC_SHARED(char, raw)
    int *ints = (int *)raw;
    float *floats = (float *)(raw + n * sizeof(int));
    int i = threadIdx.x;
    fixed[i] = 1000 * i;
    ints[i] = i;
    floats[i] = 0.5f * i;
    __syncthreads();
    int j = (i + 1) % n;
    out[i] = fixed[j] + ints[j] + (int)(2 * floats[j]);
}

struct Particle {
    float4 position;
    double mass;
    char tag;
};
__global__ void structs(float *out) {
    __shared__ Particle particles[32];
    __shared__ bool ready[32];
    int i = threadIdx.x;
    particles[i].position = make_float4(i, 2 * i, 3 * i, 4 * i);
    particles[i].mass = i * 0.25;
    particles[i].tag = (char)i;
    ready[i] = true;
    __syncthreads();
    const Particle &p = particles[31 - i];
    float sum = p.position.x + p.position.y + p.position.z + p.position.w + (float)p.mass + p.tag;
    out[i] = ready[31 - i] ? sum : -1.0f;
}

// A device function that reaches the dynamic memory of whichever kernel called it.
__device__ int neighbour(int i, int n) {
    extern __shared__ int values[];
    return values[(i + 1) % n];
}
__global__ void with_static(int *out) {
    __shared__ int offset[96];
    extern __shared__ int values[];
    int i = threadIdx.x;
    offset[i] = 100;
    values[i] = i;
    __syncthreads();
    out[i] = neighbour(i, blockDim.x) + offset[95 - i];
}
__global__ void without_static(int *out) {
    extern __shared__ int values[];
    values[threadIdx.x] = 7 * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = neighbour(threadIdx.x, blockDim.x);
}

__global__ void single_value(const int *in, int *out) {
    __shared__ int total;
    if (threadIdx.x == 0) {
        total = in[blockIdx.x];
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = total + threadIdx.x;
}

int main() {
    std::vector<int> numbers(512);
    for (int i = 0; i < 512; i++) {
        numbers[i] = i;
    }
    Buffer<int> data(numbers);
    reverse_static<<<4, 128>>>(data);
    expect_launched();
    expect_all("reverse_static", data.get(), [](int i) { return i / 128 * 128 + 127 - i % 128; });

    const int rows = 37, columns = 50;
    std::vector<float> matrix(rows * columns);
    for (int i = 0; i < rows * columns; i++) {
        matrix[i] = (float)i;
    }
    Buffer<float> in(matrix), out(rows * columns);
    transpose<<<dim3((columns + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(in, out, rows,
                                                                             columns);
    expect_launched();
    expect_all("transpose", out.get(), [](int i) { return i % rows * columns + i / rows; });

    std::vector<double> doubles(300);
    for (int i = 0; i < 300; i++) {
        doubles[i] = i * 0.5;
    }
    Buffer<double> reversed(doubles);
    reverse_dynamic<<<1, 300, 300 * sizeof(double)>>>(reversed);
    expect_launched();
    expect_all("reverse_dynamic", reversed.get(), [](int i) { return (299 - i) * 0.5; });

    Buffer<int> carved(64);
    carve<<<1, 64, 64 * (sizeof(int) + sizeof(float))>>>(carved, 64);
    expect_launched();
    expect_all("carve", carved.get(), [](int i) { return (i + 1) % 64 * 1002; });

    Buffer<float> sums(32);
    structs<<<1, 32>>>(sums);
    expect_launched();
    expect_all("structs", sums.get(), [](int i) { return 11.25f * (31 - i); });

    Buffer<int> neighbours(96);
    with_static<<<1, 96, 96 * sizeof(int)>>>(neighbours);
    expect_launched();
    expect_all("with_static", neighbours.get(), [](int i) { return (i + 1) % 96 + 100; });
    without_static<<<1, 96, 96 * sizeof(int)>>>(neighbours);
    expect_launched();
    expect_all("without_static", neighbours.get(), [](int i) { return (i + 1) % 96 * 7; });

    Buffer<int> spread(512);
    single_value<<<4, 128>>>(data, spread);
    expect_launched();
    std::vector<int> first = data.get();
    expect_all("single_value", spread.get(), [&](int i) { return first[i / 128] + i % 128; });
    return finish();
}
