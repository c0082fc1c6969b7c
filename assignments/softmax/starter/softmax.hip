// Softmax of each row: out = exp(in - max) / sum of exp(in - max) over the row. See README.md.
#include <hip/hip_runtime.h>

__global__ void softmax_rows(const float *in, float *out, int rows, int columns) {
    // TODO: which row is this thread's, and does it exist?
    // TODO: find the largest element of the row.
    // TODO: add up exp(x - largest) over the row.
    // TODO: write exp(x - largest) / sum for each element.
    // Later: let many threads work on one row.
}

// in and out (rows x columns each, row-major) are device pointers.
extern "C" void softmax(const float *in, float *out, int rows, int columns) {
    int threads = 128;
    int blocks = 1; // TODO: enough blocks for every number of rows.
    softmax_rows<<<blocks, threads>>>(in, out, rows, columns);
}
