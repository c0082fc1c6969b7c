// What an excellent student could hand in: the lanes of a warp, or a whole block where rows are
// long, walk along a row together. One walk finds both the maximum and the sum: whenever the
// maximum grows, the sum so far is scaled down ("online" softmax). The second walk, whose loads
// mostly come from the cache, writes the result.
//
// Shuffles go over 32 lanes: that is a warp or half a wave of 64.
#include <hip/hip_runtime.h>

#include <cfloat>
#include <cstddef>

namespace {

constexpr int kLanes = 32;
constexpr int kBlock = 256;
constexpr int kWarps = kBlock / kLanes;
constexpr int kLongRow = 1024; // from here on a row gets a block

// The maximum of some elements and the sum of exp(x - maximum) over them. Of no elements: a finite
// maximum, since the difference of two infinities is no number.
struct Part {
    float largest = -FLT_MAX;
    float sum = 0.0f;
};

__device__ Part joined(Part a, Part b) {
    Part both;
    both.largest = fmaxf(a.largest, b.largest);
    both.sum = a.sum * expf(a.largest - both.largest) + b.sum * expf(b.largest - both.largest);
    return both;
}

__device__ Part part_of_lanes(Part part) {
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
        Part other;
        other.largest = __shfl_xor(part.largest, distance, kLanes);
        other.sum = __shfl_xor(part.sum, distance, kLanes);
        part = joined(part, other);
    }
    return part;
}

__device__ Part part_of_thread(const float *x, int first, int step, int columns) {
    Part part;
    for (int i = first; i < columns; i += step) {
        const float value = x[i];
        if (value > part.largest) {
            part.sum *= expf(part.largest - value);
            part.largest = value;
        }
        part.sum += expf(value - part.largest);
    }
    return part;
}

__device__ void write_row(const float *x, float *y, Part row, int first, int step, int columns) {
    const float factor = 1.0f / row.sum;
    for (int i = first; i < columns; i += step) {
        y[i] = expf(x[i] - row.largest) * factor;
    }
}

__global__ __launch_bounds__(kBlock) void softmax_short(const float *__restrict__ in,
                                                        float *__restrict__ out, int rows,
                                                        int columns) {
    const int lane = threadIdx.x % kLanes;
    const int row = blockIdx.x * kWarps + threadIdx.x / kLanes;
    if (row >= rows) {
        return; // all lanes of the warp at once
    }
    const size_t start = static_cast<size_t>(row) * columns;
    const Part part = part_of_lanes(part_of_thread(in + start, lane, kLanes, columns));
    write_row(in + start, out + start, part, lane, kLanes, columns);
}

__global__ __launch_bounds__(kBlock) void softmax_long(const float *__restrict__ in,
                                                       float *__restrict__ out, int columns) {
    __shared__ float largest[kWarps];
    __shared__ float sums[kWarps];
    const size_t start = static_cast<size_t>(blockIdx.x) * columns;
    Part part = part_of_lanes(part_of_thread(in + start, threadIdx.x, kBlock, columns));
    if (threadIdx.x % kLanes == 0) {
        largest[threadIdx.x / kLanes] = part.largest;
        sums[threadIdx.x / kLanes] = part.sum;
    }
    __syncthreads();
    part = Part();
    for (int warp = 0; warp < kWarps; ++warp) {
        Part other;
        other.largest = largest[warp];
        other.sum = sums[warp];
        part = joined(part, other);
    }
    write_row(in + start, out + start, part, threadIdx.x, kBlock, columns);
}

} // namespace

extern "C" void softmax(const float *in, float *out, int rows, int columns) {
    if (columns < kLongRow) {
        softmax_short<<<(rows + kWarps - 1) / kWarps, kBlock>>>(in, out, rows, columns);
    } else {
        softmax_long<<<rows, kBlock>>>(in, out, columns);
    }
}
