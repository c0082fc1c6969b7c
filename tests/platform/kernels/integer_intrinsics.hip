// Bit and integer intrinsics, reinterpretation and conversions.
#include "expect.h"

__global__ void bits(int *out) {
    int k = 0;
    out[k++] = (int)__popc(0xf0f0u);
    out[k++] = (int)__popcll(0xff00000000000001ull);
    out[k++] = __clz(1) + __clz(0) * 100;
    out[k++] = __clzll(1) + __clzll(0) * 100;
    out[k++] = __ffs(8) + __ffs(0) * 100;
    out[k++] = __ffsll(1ll << 40);
    out[k++] = (int)(__brev(1u) >> 28);
    out[k++] = (int)(__brevll(1ull) >> 60);
    out[k++] = __mul24(1000, -3);
    out[k++] = __mulhi(1 << 30, 12);
    out[k++] = (int)__umulhi(1u << 31, 6u);
    out[k++] = (int)__mul64hi(1ll << 62, 20);
    out[k++] = (int)__umul64hi(1ull << 63, 10);
    out[k++] = (int)__sad(3, -4, 10u);
    out[k++] = (int)__usad(3u, 9u, 1u);
    out[k++] = __float_as_int(1.0f) >> 20;
    out[k++] = (int)(__float_as_uint(-2.0f) >> 28);
    out[k++] = (int)__int_as_float(0x40400000);
    out[k++] = (int)__uint_as_float(0x40800000u);
    out[k++] = (int)(__double_as_longlong(1.0) >> 52);
    out[k++] = (int)__longlong_as_double(0x4014000000000000ll);
    out[k++] = (int)__hiloint2double(__double2hiint(6.0), __double2loint(6.0));
    out[k++] = __float2int_rn(2.5f) + 10 * __float2int_rz(-2.5f);
    out[k++] = __float2int_ru(2.1f) + 10 * __float2int_rd(2.9f);
    out[k++] = (int)__int2float_rn(16777217) - 16777216;
    out[k++] = __double2int_rn(3.5) + (int)__double2ll_rz(4.9);
    out[k++] = (int)__byte_perm(0x03020100u, 0x07060504u, 0x7531u);
    out[k++] = (int)__funnelshift_l(0x80000000u, 0x1u, 1);
    out[k++] = (int)__funnelshift_r(0x80000000u, 0x1u, 31);
}

__global__ void fields(unsigned long long *out) {
    int k = 0;
    out[k++] = __bitextract_u32(0xabcd1234u, 8, 12);
    out[k++] = __bitextract_u64(0xabcdef0123456789ull, 36, 16);
    out[k++] = __bitinsert_u32(0xffffffffu, 0x5u, 4, 4);
    out[k++] = __bitinsert_u64(0, 0xabcull, 40, 8);
    out[k++] = __lastbit_u32_u32(0x50u) + 100ull * __lastbit_u32_u64(1ull << 50);
    out[k++] = __lastbit_u32_u64(0);
    out[k++] = __funnelshift_lc(0x80000000u, 1u, 1) + 10ull * __funnelshift_lc(7u, 1u, 40);
    out[k++] = __funnelshift_rc(0x80000000u, 1u, 31) + 10ull * __funnelshift_rc(7u, 5u, 32);
    out[k++] = (unsigned)__fns32(0b10110, 0, 2) + 10u * (unsigned)__fns64(0b10110, 3, -1);
    out[k++] = __fns(0b10110, 1, 0) == 1 && __fns(0b10110, 0, 0) == -1 && __fns(6, 0, 3) == -1;
    out[k++] = (unsigned long long)__ll2float_ru(16777217) - 16777216;
    out[k++] = (unsigned long long)__int2float_rd(16777219) - 16777216;
    out[k++] = (unsigned long long)-__int2float_rz(-16777219) - 16777216;
    out[k++] = (unsigned long long)__ull2double_ru((1ull << 53) + 1) - (1ull << 53);
    out[k++] = (unsigned long long)__ll2double_rd((1ll << 53) + 3) - (1ull << 53);
    out[k++] = __float_as_uint(__double2float_ru(1.0 + 1e-12));
    out[k++] = __float_as_uint(__double2float_rz(-1.0 - 1e-12));
    out[k++] = __float_as_uint(__double2float_rd(-1.0 - 1e-12));
}

__global__ void through_cache(const int *__restrict__ in, int *__restrict__ out) {
    int i = threadIdx.x;
    out[i] = __ldg(&in[63 - i]) + 1;
}

int main() {
    const int want[] = {8, 9, 31 + 3200, 63 + 6400, 4, 41,    8,          8, -3000, 3,
                        3, 5, 5,         17,        7, 0x3f8, 0xc,        3, 4,     0x3ff,
                        5, 6, 2 - 20,    3 + 20,    0, 4 + 4, 0x07050301, 3, 3};
    const int count = sizeof want / sizeof want[0];
    Buffer<int> out(count);
    bits<<<1, 1>>>(out);
    expect_launched();
    expect_all("bits", out.get(), [&](int i) { return want[i]; });

    const unsigned long long want_fields[] = {0xd12,      0xdef0,     0xffffff5f, 0xbcull << 40,
                                              4 + 5000,   0xffffffff, 3 + 70,     3 + 50,
                                              2 + 20,     1,          2,          2,
                                              2,          2,          2,          0x3f800001,
                                              0xbf800000, 0xbf800001};
    Buffer<unsigned long long> some(sizeof want_fields / sizeof want_fields[0]);
    fields<<<1, 1>>>(some);
    expect_launched();
    expect_all("fields", some.get(), [&](int i) { return want_fields[i]; });

    std::vector<int> numbers(64);
    for (int i = 0; i < 64; i++) {
        numbers[i] = i;
    }
    Buffer<int> in(numbers), reversed(64);
    through_cache<<<1, 64>>>(in, reversed);
    expect_launched();
    expect_all("through_cache", reversed.get(), [](int i) { return 64 - i; });
    return finish();
}
