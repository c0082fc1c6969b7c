// What an excellent student could hand in: 16 bytes a load, the rest one by one.
#include <hip/hip_runtime.h>

#include <cstdint>

namespace {

constexpr int kBlock = 256;

__device__ float mixed(float x, float y) {
    return 0.75f * x + 0.25f * y;
}

// quads: how many groups of four are read as float4; 0 where a pointer is not aligned.
__global__ __launch_bounds__(kBlock) void mix(const float *__restrict__ x,
                                              const float *__restrict__ y, float *__restrict__ out,
                                              unsigned quads, unsigned n) {
    const unsigned stride = gridDim.x * kBlock;
    const unsigned first = blockIdx.x * kBlock + threadIdx.x;
    for (unsigned i = first; i < quads; i += stride) {
        const float4 a = reinterpret_cast<const float4 *>(x)[i];
        const float4 b = reinterpret_cast<const float4 *>(y)[i];
        reinterpret_cast<float4 *>(out)[i] = make_float4(mixed(a.x, b.x), mixed(a.y, b.y),
                                                         mixed(a.z, b.z), mixed(a.w, b.w));
    }
    for (unsigned i = quads * 4 + first; i < n; i += stride) {
        out[i] = mixed(x[i], y[i]);
    }
}

bool is_aligned(const void *pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0;
}

} // namespace

extern "C" void @name@(const float *x, const float *y, float *out, int n) {
    const int quads = is_aligned(x) && is_aligned(y) && is_aligned(out) ? n / 4 : 0;
    const int wanted = ((quads > 0 ? quads : n) + kBlock - 1) / kBlock;
    const int blocks = wanted < 8192 ? wanted : 8192;
    mix<<<blocks, kBlock>>>(x, y, out, quads, n);
}
