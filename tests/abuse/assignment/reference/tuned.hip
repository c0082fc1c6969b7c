// What an excellent student could hand in: 16 bytes a load, two in flight per array and thread,
// and every element once. The scalar tail covers what does not fill a float4; pointers that are not
// aligned to 16 bytes take the scalar kernel.
#include <hip/hip_runtime.h>

#include <cstdint>

namespace {

constexpr int kBlock = 256;
constexpr int kMaxBlocks = 8192;

__global__ __launch_bounds__(kBlock) void add_float4(const float *__restrict__ a,
                                                     const float *__restrict__ b,
                                                     float *__restrict__ c, int n) {
    const int vectors = n / 4;
    const int stride = gridDim.x * kBlock;
    const int first = blockIdx.x * kBlock + threadIdx.x;
    const float4 *a4 = reinterpret_cast<const float4 *>(a);
    const float4 *b4 = reinterpret_cast<const float4 *>(b);
    float4 *c4 = reinterpret_cast<float4 *>(c);

    // The index is unsigned so that it cannot overflow near the largest n.
    for (unsigned i = first; i < static_cast<unsigned>(vectors); i += stride) {
        const float4 x = a4[i];
        const float4 y = b4[i];
        c4[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }

    const int tail = vectors * 4 + first;
    if (first < 4 && tail < n) {
        c[tail] = a[tail] + b[tail];
    }
}

__global__ __launch_bounds__(kBlock) void add_scalar(const float *__restrict__ a,
                                                     const float *__restrict__ b,
                                                     float *__restrict__ c, int n) {
    const unsigned stride = gridDim.x * kBlock;
    for (unsigned i = blockIdx.x * kBlock + threadIdx.x; i < static_cast<unsigned>(n);
         i += stride) {
        c[i] = a[i] + b[i];
    }
}

bool is_aligned(const void *pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0;
}

int blocks_for(int items) {
    const int blocks = (items + kBlock - 1) / kBlock;
    return blocks < 1 ? 1 : blocks > kMaxBlocks ? kMaxBlocks : blocks;
}

} // namespace

extern "C" void attack(const float *a, const float *b, float *c, int n) {
    if (is_aligned(a) && is_aligned(b) && is_aligned(c)) {
        add_float4<<<blocks_for(n / 4), kBlock>>>(a, b, c, n);
    } else {
        add_scalar<<<blocks_for(n), kBlock>>>(a, b, c, n);
    }
}
