// The baseline that speedup is measured against: every block scans 256 elements in log2(256) steps
// (Hillis and Steele), its total goes to an array of totals, that array is scanned in the same way,
// and what lies before a block is added to its elements.
#include <hip/hip_runtime.h>

static const int block = 256;

__global__ void scan_blocks(const float *in, float *out, float *totals, int n) {
    __shared__ float sums[2][block];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int from = 0;
    sums[0][threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int distance = 1; distance < block; distance *= 2) {
        float sum = sums[from][threadIdx.x];
        if (threadIdx.x >= distance) {
            sum += sums[from][threadIdx.x - distance];
        }
        from = 1 - from;
        sums[from][threadIdx.x] = sum;
        __syncthreads();
    }
    if (i < n) {
        out[i] = sums[from][threadIdx.x];
    }
    if (threadIdx.x == block - 1) {
        totals[blockIdx.x] = sums[from][threadIdx.x];
    }
}

__global__ void add_totals(float *out, const float *totals, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n) {
        out[i] += totals[blockIdx.x - 1];
    }
}

// totals: room for the totals of this level and of all above it.
static void scan_level(const float *in, float *out, float *totals, int n) {
    int blocks = (n + block - 1) / block;
    scan_blocks<<<blocks, block>>>(in, out, totals, n);
    if (blocks > 1) {
        scan_level(totals, totals, totals + blocks, blocks);
        add_totals<<<blocks, block>>>(out, totals, n);
    }
}

extern "C" void scan(const float *in, float *out, int n) {
    // Kept from call to call: allocating takes longer than scanning.
    static float *totals = nullptr;
    static int room = 0;
    int needed = n / (block - 1) + 8;
    if (needed > room) {
        (void)hipFree(totals);
        room = hipMalloc((void **)&totals, needed * sizeof(float)) == hipSuccess ? needed : 0;
    }
    if (room > 0) {
        scan_level(in, out, totals, n);
    }
}
