// Matrix transposition: out[column][row] = in[row][column], both row-major. See README.md.
#include <hip/hip_runtime.h>

__global__ void transpose_elements(const float *in, float *out, int rows, int columns) {
    // TODO: which row and column of in are this thread's?
    // TODO: copy that element to its place in out, but only if it exists.
    // Later: go through a tile in __shared__ memory, so that reads and writes are both along rows.
}

// in (rows x columns) and out (columns x rows) are device pointers.
extern "C" void transpose(const float *in, float *out, int rows, int columns) {
    dim3 threads(16, 16);
    dim3 blocks(1, 1); // TODO: enough blocks for every shape, such as 1 x 53, 16 x 16 and 997 x 3.
    transpose_elements<<<blocks, threads>>>(in, out, rows, columns);
}
