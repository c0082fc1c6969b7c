// What an excellent student could hand in: tiles of 32 x 32 through shared memory, so that global
// memory is read and written along rows, with a row of padding so that the columns of the tile lie
// on different banks. A thread moves four elements, all of whose loads are under way at once.
//
// Blocks are numbered along x only: y ends at 65535.
#include <hip/hip_runtime.h>

#include <cstddef>

namespace {

constexpr int kTile = 32;
constexpr int kRowsAtOnce = 8; // threads along y
constexpr int kWork = kTile / kRowsAtOnce;

__global__ __launch_bounds__(kTile *kRowsAtOnce) void transpose_tiles(const float *__restrict__ in,
                                                                      float *__restrict__ out,
                                                                      int rows, int columns,
                                                                      int tiles_across) {
    __shared__ float tile[kTile][kTile + 1];

    const int first_column = blockIdx.x % tiles_across * kTile;
    const int first_row = blockIdx.x / tiles_across * kTile;

    const int column = first_column + threadIdx.x;
    float values[kWork];
#pragma unroll
    for (int i = 0; i < kWork; ++i) {
        const int row = first_row + threadIdx.y + i * kRowsAtOnce;
        values[i] =
            row < rows && column < columns ? in[static_cast<size_t>(row) * columns + column] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < kWork; ++i) {
        tile[threadIdx.y + i * kRowsAtOnce][threadIdx.x] = values[i];
    }
    __syncthreads();

    // Rows of the output are columns of the tile.
    const int row = first_row + threadIdx.x;
#pragma unroll
    for (int i = 0; i < kWork; ++i) {
        const int out_row = first_column + threadIdx.y + i * kRowsAtOnce;
        if (out_row < columns && row < rows) {
            out[static_cast<size_t>(out_row) * rows + row] =
                tile[threadIdx.x][threadIdx.y + i * kRowsAtOnce];
        }
    }
}

} // namespace

extern "C" void transpose(const float *in, float *out, int rows, int columns) {
    const int tiles_across = (columns + kTile - 1) / kTile;
    const int tiles_down = (rows + kTile - 1) / kTile;
    const dim3 block(kTile, kRowsAtOnce);
    transpose_tiles<<<tiles_across * tiles_down, block>>>(in, out, rows, columns, tiles_across);
}
