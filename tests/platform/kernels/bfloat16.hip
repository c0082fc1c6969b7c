// <hip/hip_bf16.h>: conversions, arithmetic, pairs; worked out by hand from 8 bits of precision.
#include "expect.h"

#include <hip/hip_bf16.h>
#include <hip/hip_math_constants.h>

__global__ void kernel(float *f, int *i) {
    // Between 1 and 2 the numbers are 1/128 apart, between 256 and 512 they are 2 apart.
    f[0] = __bfloat162float(__float2bfloat16(1.0f + 1.0f / 256));
    f[1] = __bfloat162float(__float2bfloat16(1.0f + 3.0f / 256));
    f[2] = __bfloat162float(__float2bfloat16_rz(-1.0f - 3.0f / 512));
    f[3] = __bfloat162float(__float2bfloat16_ru(1.0f + 1.0f / 512));
    f[4] = __bfloat162float(__float2bfloat16_rd(-1.0f - 1.0f / 512));
    __hip_bfloat16 a = 256.0f, b = 3.0f, c = a + b;
    f[5] = c;
    f[6] = a * b;
    f[7] = __hfma(a, b, __hip_bfloat16(1.0f));
    f[8] = __hmax(a, b) - __hmin(a, b);
    f[9] = hsqrt(a);
    f[10] = __bfloat162float(__habs(-b)) + (float)__hneg(b);
    __hip_bfloat162 pair = __floats2bfloat162_rn(1.5f, -2.0f), sum = __hadd2(pair, pair);
    f[11] = __low2float(sum);
    f[12] = __high2float(sum);
    float2 both = __bfloat1622float2(__hfma2(pair, pair, sum));
    f[13] = both.x;
    f[14] = both.y;
    f[15] = __float2bfloat16(-HIP_INF_F);
    c = b;
    c += b;
    c /= __hip_bfloat16(4.0f);
    f[16] = c;
    i[0] = __bfloat16_as_ushort(__hip_bfloat16(1.0f));
    i[1] = a > b && a >= b && b < a && b <= a && a != b && !(a == b);
    i[2] = __hgt(a, b) && !__hlt(a, b) && __hne(a, b) && !__heq(a, b);
    i[3] = __hisnan(__float2bfloat16(HIP_NAN_F)) && !__hisnan(a);
    i[4] = __hisinf(__float2bfloat16(HIP_INF_F)) != 0;
    i[5] = __bfloat162int_rn(__hip_bfloat16(2.5f)) + 10 * __bfloat162int_ru(__hip_bfloat16(2.5f));
    i[6] = (int)sizeof(__hip_bfloat16) * 10 + (int)sizeof(__hip_bfloat162);
    i[7] = (float)__ushort_as_bfloat16(0x4049) == 3.140625f;
}

int main() {
    Buffer<float> floats(17);
    Buffer<int> ints(8);
    kernel<<<1, 1>>>(floats, ints);
    expect_launched();
    const float want[17] = {1,
                            1 + 1.0f / 64,
                            -1,
                            1 + 1.0f / 128,
                            -1 - 1.0f / 128,
                            260,
                            768,
                            768,
                            253,
                            16,
                            0,
                            3,
                            -4,
                            5.25f,
                            0,
                            -__builtin_inff(),
                            1.5f};
    expect_all("floats", floats.get(), [&](int k) { return want[k]; });
    const int want_ints[8] = {0x3f80, 1, 1, 1, 1, 2 + 30, 24, 1};
    expect_all("ints", ints.get(), [&](int k) { return want_ints[k]; });
    EXPECT_NEAR(__bfloat162float(__float2bfloat16(3.14159f)), 3.140625, 1e-9);
    EXPECT_NEAR(HIP_PI, std::acos(-1.0), 1e-15);
    EXPECT_EQ(HIP_PI_F, (float)HIP_PI);
    EXPECT(HIP_INF > 1e308 && HIP_NAN != HIP_NAN);
    EXPECT_NEAR(HIP_LN2 * HIP_L2E + HIP_LGE * HIP_LNT + HIP_LG2 * HIP_L2T, 3.0, 1e-15);
    EXPECT_NEAR(HIP_SQRT_TWO * HIP_SQRT_HALF + HIP_2_OVER_PI * HIP_PIO2, 2.0, 1e-15);
    return finish();
}
