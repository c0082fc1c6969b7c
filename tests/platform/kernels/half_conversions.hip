// Halves: conversions in all rounding modes, comparisons of pairs, clamped arithmetic. Between 1024
// and 2048 the numbers are 1 apart, between 2048 and 4096 they are 2 apart.
#include "expect.h"

#include <hip/hip_fp16.h>

__global__ void to_half(float *out) {
    int k = 0;
    out[k++] = __float2half_rn(1024.75f);
    out[k++] = __float2half_rz(-1024.75f);
    out[k++] = __float2half_ru(1024.25f);
    out[k++] = __float2half_rd(-1024.25f);
    out[k++] = __float2half_rz(1e6f);
    out[k++] = __float2half_ru(1e6f);
    out[k++] = (float)__float2half_ru(1e-9f) * 16777216.0f;
    out[k++] = __float2half_rd(1e-9f);
    out[k++] = __int2half_rn(2049);
    out[k++] = __int2half_ru(2049);
    out[k++] = __uint2half_rd(2051u);
    out[k++] = __short2half_rz((short)-2051);
    out[k++] = __ushort2half_rn((unsigned short)7);
    out[k++] = __ll2half_rd(-2049ll);
    out[k++] = __ull2half_ru(2049ull);
}

__global__ void from_half(long long *out) {
    __half a = 2.5f, b = -2.5f;
    int k = 0;
    out[k++] = __half2int_rn(a) + 10 * __half2int_rz(b);
    out[k++] = __half2int_ru(a) + 10 * __half2int_rd(b);
    out[k++] = __half2uint_rn(a) + 10 * __half2uint_ru(a);
    out[k++] = __half2short_rd(b) + 10 * __half2short_ru(b);
    out[k++] = __half2ushort_rz(a) + 10 * __half2ushort_ru(a);
    out[k++] = __half2ll_rn(b) + 10 * __half2ll_rd(b);
    out[k++] = (long long)(__half2ull_rd(a) + 10 * __half2ull_ru(a));
}

__device__ float two(__half2 v) {
    return (float)v.x + 10 * (float)v.y;
}

__global__ void compare(float *out) {
    __half nan = (__half)nanf("");
    __half2 a(__half(1), __half(2)), b(__half(1), __half(3)), n(__half(1), nan);
    int k = 0;
    out[k++] = two(__heq2(a, b));
    out[k++] = two(__hne2(a, b));
    out[k++] = two(__hle2(a, b));
    out[k++] = two(__hgt2(b, a));
    out[k++] = two(__hequ2(a, n));
    out[k++] = two(__hne2(a, n));
    out[k++] = __hbeq2(a, a) + 10 * __hbeq2(a, b) + 100 * __hble2(a, b) + 1000 * __hbge2(a, b);
    out[k++] = __hbltu2(n, b) + 10 * __hbleu2(n, b) + 100 * __hbeq2(n, n);
    out[k++] = __hltu(nan, a.x) + 10 * __hlt(nan, a.x) + 100 * __hgeu(a.x, nan);
    out[k++] = two(__hmax2(a, b)) + two(__hmin2(a, b));
    out[k++] = two(__hisnan2(n));
    out[k++] = __hadd_sat(a.x, a.y);
    out[k++] = __hsub_sat(a.x, a.y);
    out[k++] = __hmul_sat(__half(0.5f), __half(0.5f));
    out[k++] = __hfma_sat(nan, a.x, a.y);
    out[k++] = two(__hadd2_sat(a, __half2(__half(-0.5f), __half(-1.75f))));
    out[k++] =
        two(__hfma2_sat(a, __half2(__half(0.5f), __half(0.25f)), __half2(__half(0), __half(0))));
    __half h = 1.5f;
    __half2 pair = b;
    float sum = h++;
    sum += 10 * (float)++h;
    sum += 100 * (float)h--;
    sum += 1000 * (float)--h;
    out[k++] = sum;
    sum = two(++pair);
    sum += two(pair--);
    out[k++] = sum;
    out[k++] = __hisnan(__hmax_nan(nan, a.x)) && (float)__hmin_nan(a.x, a.y) == 1.0f;
}

int main() {
    const float want[] = {1025, -1024, 1025, -1025, 65504, __builtin_inff(), 1, 0, 2048, 2050,
                          2050, -2050, 7,    -2050, 2050};
    Buffer<float> halves(sizeof want / sizeof want[0]);
    to_half<<<1, 1>>>(halves);
    expect_launched();
    expect_all("to_half", halves.get(), [&](int i) { return want[i]; });

    const long long integers[] = {2 - 20, 3 - 30, 2 + 30, -3 - 20, 2 + 30, -2 - 30, 2 + 30};
    Buffer<long long> numbers(sizeof integers / sizeof integers[0]);
    from_half<<<1, 1>>>(numbers);
    expect_launched();
    expect_all("from_half", numbers.get(), [&](int i) { return integers[i]; });

    const float truth[] = {1,        10,
                           11,       10,
                           11,       10,
                           101,      10,
                           101,      1 + 30 + 1 + 20,
                           10,       1,
                           0,        0.25f,
                           0,        0.5f + 2.5f,
                           0.5f + 5, 1.5f + 35 + 350 + 1500,
                           42 + 42,  1};
    Buffer<float> results(sizeof truth / sizeof truth[0]);
    compare<<<1, 1>>>(results);
    expect_launched();
    expect_all("compare", results.get(), [&](int i) { return truth[i]; });
    EXPECT_EQ((float)__float2half_rz(1024.75f), 1024.0f);
    return finish();
}
