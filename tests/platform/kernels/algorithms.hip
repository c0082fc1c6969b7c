// Larger patterns: bitonic sort, sparse matrix times vector, n bodies, softmax, Monte Carlo,
// three-phase scan.
#include "expect.h"

__global__ void bitonic(int *data) {
    __shared__ int values[256];
    int t = threadIdx.x;
    values[t] = data[t];
    __syncthreads();
    for (int size = 2; size <= 256; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            int partner = t ^ stride;
            if (partner > t) {
                bool up = (t & size) == 0;
                if ((values[t] > values[partner]) == up) {
                    int swap = values[t];
                    values[t] = values[partner];
                    values[partner] = swap;
                }
            }
            __syncthreads();
        }
    }
    data[t] = values[t];
}

__global__ void spmv(const int *row_start, const int *columns, const float *values, const float *x,
                     float *y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int k = row_start[row]; k < row_start[row + 1]; k++) {
            sum += values[k] * x[columns[k]];
        }
        y[row] = sum;
    }
}

__device__ float3 attraction(float4 on, float4 by, float3 sum) {
    float3 r = make_float3(by.x - on.x, by.y - on.y, by.z - on.z);
    float square = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
    float inverse = rsqrtf(square), factor = by.w * inverse * inverse * inverse;
    sum.x += r.x * factor;
    sum.y += r.y * factor;
    sum.z += r.z * factor;
    return sum;
}
__global__ void bodies(const float4 *positions, float4 *forces, int n) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = i < n ? positions[i] : make_float4(0, 0, 0, 0);
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int start = 0; start < n; start += blockDim.x) {
        int k = start + threadIdx.x;
        tile[threadIdx.x] = k < n ? positions[k] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (unsigned j = 0; j < blockDim.x; j++) {
            sum = attraction(mine, tile[j], sum);
        }
        __syncthreads();
    }
    if (i < n) {
        forces[i] = make_float4(sum.x, sum.y, sum.z, 0.0f);
    }
}

// One block a row: two reductions through shared memory.
__global__ void softmax(const float *in, float *out, int columns) {
    __shared__ float scratch[128];
    const float *row = in + blockIdx.x * columns;
    int t = threadIdx.x;
    float largest = -INFINITY;
    for (int c = t; c < columns; c += 128) {
        largest = fmaxf(largest, row[c]);
    }
    scratch[t] = largest;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (t < s) {
            scratch[t] = fmaxf(scratch[t], scratch[t + s]);
        }
        __syncthreads();
    }
    largest = scratch[0];
    __syncthreads();
    float sum = 0.0f;
    for (int c = t; c < columns; c += 128) {
        sum += expf(row[c] - largest);
    }
    scratch[t] = sum;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (t < s) {
            scratch[t] += scratch[t + s];
        }
        __syncthreads();
    }
    for (int c = t; c < columns; c += 128) {
        out[blockIdx.x * columns + c] = expf(row[c] - largest) / scratch[0];
    }
}

__global__ void throw_darts(unsigned long long *hits, int throws_each) {
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u;
    unsigned mine = 0;
    for (int k = 0; k < throws_each; k++) {
        state = state * 1664525u + 1013904223u;
        float x = (state >> 8) * (1.0f / 16777216.0f);
        state = state * 1664525u + 1013904223u;
        float y = (state >> 8) * (1.0f / 16777216.0f);
        mine += x * x + y * y < 1.0f ? 1u : 0u;
    }
    atomicAdd(hits, (unsigned long long)mine);
}

// Scan of any length: scan blocks, scan their sums, add.
__global__ void scan_blocks(const int *in, int *out, int *sums, int n) {
    __shared__ int values[2][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, from = 0;
    values[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        values[1 - from][t] = values[from][t] + (t >= d ? values[from][t - d] : 0);
        __syncthreads();
        from = 1 - from;
    }
    if (i < n) {
        out[i] = values[from][t];
    }
    if (t == 255 && sums != nullptr) {
        sums[blockIdx.x] = values[from][t];
    }
}
__global__ void add_offsets(int *data, const int *offsets, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (blockIdx.x > 0 && i < n) {
        data[i] += offsets[blockIdx.x - 1];
    }
}

static void test_sort_and_scan() {
    std::vector<int> jumbled(256);
    for (int i = 0; i < 256; i++) {
        jumbled[i] = i * 101 % 256;
    }
    Buffer<int> data(jumbled);
    bitonic<<<1, 256>>>(data);
    expect_launched();
    expect_all("bitonic", data.get(), [](int i) { return i; });

    const int n = 3000, blocks = (n + 255) / 256;
    std::vector<int> numbers(n), want(n);
    int sum = 0;
    for (int i = 0; i < n; i++) {
        numbers[i] = i * 7 % 13 - 6;
        want[i] = sum += numbers[i];
    }
    Buffer<int> in(numbers), out(n), sums(blocks), offsets(blocks);
    scan_blocks<<<blocks, 256>>>(in, out, sums, n);
    scan_blocks<<<1, 256>>>(sums, offsets, nullptr, blocks);
    add_offsets<<<blocks, 256>>>(out, offsets, n);
    expect_launched();
    expect_all("scan", out.get(), [&](int i) { return want[i]; });
}

static void test_spmv() {
    const int rows = 300;
    std::vector<int> start(1, 0), columns;
    std::vector<float> values, x(rows), want(rows);
    for (int r = 0; r < rows; r++) {
        x[r] = (float)(r % 9);
    }
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < r % 6; k++) {
            columns.push_back((r * 7 + k * 31) % rows);
            values.push_back((float)(k + 1));
            want[r] += values.back() * x[columns.back()];
        }
        start.push_back((int)columns.size());
    }
    Buffer<int> ds(start), dcolumns(columns);
    Buffer<float> dv(values), dx(x), dy(rows);
    spmv<<<3, 128>>>(ds, dcolumns, dv, dx, dy, rows);
    expect_launched();
    expect_all("spmv", dy.get(), [&](int i) { return want[i]; });
}

static void test_bodies() {
    const int n = 150;
    std::vector<float4> positions(n);
    for (int i = 0; i < n; i++) {
        positions[i] = make_float4(i % 7, i % 11, i % 13, 1 + i % 3);
    }
    Buffer<float4> dp(positions), df(n);
    bodies<<<3, 64, 64 * sizeof(float4)>>>(dp, df, n);
    expect_launched();
    std::vector<float4> forces = df.get();
    for (int i = 0; i < n; i++) {
        double fx = 0;
        for (const float4 &p : positions) {
            double x = p.x - positions[i].x, y = p.y - positions[i].y, z = p.z - positions[i].z;
            fx += x * p.w * std::pow(x * x + y * y + z * z + 0.01, -1.5);
        }
        EXPECT_NEAR(forces[i].x, fx, 1e-4);
    }
}

static void test_softmax() {
    const int rows = 5, columns = 300;
    std::vector<float> in(rows * columns);
    for (int i = 0; i < rows * columns; i++) {
        in[i] = (float)(i * 13 % 29) * 0.25f;
    }
    Buffer<float> di(in), out(rows * columns);
    softmax<<<rows, 128>>>(di, out, columns);
    expect_launched();
    std::vector<float> got = out.get();
    for (int r = 0; r < rows; r++) {
        double sum = 0, total = 0;
        for (int c = 0; c < columns; c++) {
            sum += std::exp(in[r * columns + c]);
            total += got[r * columns + c];
        }
        EXPECT_NEAR(total, 1.0, 1e-5);
        EXPECT_NEAR(got[r * columns + 17], std::exp(in[r * columns + 17]) / sum, 1e-5);
    }
}

int main() {
    test_sort_and_scan();
    test_spmv();
    test_bodies();
    test_softmax();
    Buffer<unsigned long long> hits(1);
    hits.zero();
    throw_darts<<<8, 128>>>(hits, 200);
    expect_launched();
    double pi = 4.0 * (double)hits.get()[0] / (8 * 128 * 200);
    EXPECT(pi > 3.1 && pi < 3.18);
    return finish();
}
