// The kernels that measuring itself needs (reference/harness/probe.h has the numbers of `what`):
// an empty one, whose time is what a launch costs; a copy, whose bandwidth is the ceiling of any
// kernel that moves data; a read, to empty the caches; and random numbers, made where they are used.
#include <hip/hip_runtime.h>

enum { EMPTY = 0, COPY = 1, READ = 2, FILL = 3, ABSOLUTE = 16, SKEWED = 32 };
enum { I32 = 1, U32, I64, U64, F32, F64, I8, U8 };

static const int threads = 256;

__global__ void empty_kernel() {}

__global__ void copy_kernel(const float4 *from, float4 *to, long long count) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        to[i] = from[i];
    }
}

// The sum is never that number, which the compiler cannot know.
__global__ void read_kernel(const float4 *from, float4 *to, long long count) {
    float sum = 0;
    long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {
        float4 unit = from[i];
        sum += unit.x + unit.y + unit.z + unit.w;
    }
    if (sum == 12345.678f) {
        to[0].x = sum;
    }
}

__device__ inline unsigned long long mix(unsigned long long x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

template <typename T>
__global__ void fill_kernel(T *out, long long count, unsigned long long seed, double low,
                            double high, bool is_whole, int flags) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    unsigned long long bits = mix(seed + 0x9e3779b97f4a7c15ull * (unsigned long long)(i + 1));
    double share = (double)(bits >> 11) * (1.0 / 9007199254740992.0);
    double value = low + share * (flags & SKEWED ? share : 1) * (high - low);
    // A forgotten term has to show.
    double least = is_whole ? 1 : (high - low) / 256;
    if (!(flags & SKEWED) && value > -least && value < least) {
        value = high >= least ? least : -least;
    }
    if ((flags & ABSOLUTE) && value < 0) {
        value = -value;
    }
    out[i] = (T)value;
}

template <typename T>
static void fill(void *to, long long count, unsigned long long seed, double low, double high,
                 bool is_whole, int flags) {
    unsigned int blocks = (unsigned int)((count + threads - 1) / threads);
    fill_kernel<T><<<blocks, threads>>>((T *)to, count, seed, low, high, is_whole, flags);
}

static void fill_any(void *to, long long count, unsigned long long seed, double low, double high,
                     int type, int flags) {
    switch (type) {
    case I32: fill<int>(to, count, seed, low, high, true, flags); break;
    case U32: fill<unsigned int>(to, count, seed, low, high, true, flags); break;
    case I64: fill<long long>(to, count, seed, low, high, true, flags); break;
    case U64: fill<unsigned long long>(to, count, seed, low, high, true, flags); break;
    case F32: fill<float>(to, count, seed, low, high, false, flags); break;
    case F64: fill<double>(to, count, seed, low, high, false, flags); break;
    case I8: fill<signed char>(to, count, seed, low, high, true, flags); break;
    case U8: fill<unsigned char>(to, count, seed, low, high, true, flags); break;
    default: break;
    }
}

extern "C" void wg_probe(void *to, const void *from, long long count, long long seed, double low,
                         double high, int type, int what) {
    long long blocks = (count + threads - 1) / threads;
    switch (what & ~(ABSOLUTE | SKEWED)) {
    case EMPTY:
        empty_kernel<<<1, 1>>>();
        break;
    case COPY:
        copy_kernel<<<(unsigned int)blocks, threads>>>((const float4 *)from, (float4 *)to, count);
        break;
    case READ:
        read_kernel<<<(unsigned int)(blocks < 4096 ? blocks : 4096), threads>>>(
            (const float4 *)from, (float4 *)to, count);
        break;
    case FILL:
        fill_any(to, count, (unsigned long long)seed, low, high, type, what);
        break;
    default:
        break;
    }
}
