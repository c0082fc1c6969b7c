// float4 and its relatives: layout, construction, operators, vector loads and stores.
#include "expect.h"

static_assert(sizeof(float4) == 16 && alignof(float4) == 16, "float4");
static_assert(sizeof(float3) == 12 && alignof(float3) == 4, "float3");
static_assert(sizeof(float2) == 8 && alignof(float2) == 8, "float2");
static_assert(sizeof(double2) == 16 && alignof(double2) == 16, "double2");
static_assert(sizeof(int4) == 16 && alignof(int4) == 16, "int4");
static_assert(sizeof(uchar4) == 4 && alignof(uchar4) == 4, "uchar4");
static_assert(sizeof(short2) == 4 && sizeof(ushort4) == 8 && sizeof(char1) == 1, "small ones");
static_assert(sizeof(longlong2) == 16 && sizeof(ulong4) == 32, "long ones");

__global__ void add4(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) {
        float4 x = reinterpret_cast<const float4 *>(a)[i], y = ((const float4 *)b)[i];
        reinterpret_cast<float4 *>(c)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else {
        for (int k = 4 * i; k < n; k++) {
            c[k] = a[k] + b[k];
        }
    }
}

__host__ __device__ float use_operators(float4 a, float4 b) {
    float4 sum = a + b, difference = a - b, product = a * b, quotient = a / b;
    float4 scaled = 2.0f * a + b * 0.5f;
    scaled += a;
    scaled -= b;
    scaled *= 2;
    scaled /= 4.0f;
    float4 negative = -a;
    bool same = a == a, other = a != b;
    return sum.x + difference.y + product.z + quotient.w + scaled.x + scaled.w + negative.y +
           (same ? 100 : 0) + (other ? 1000 : 0);
}

__host__ __device__ int use_integers(int4 a, uint2 b) {
    int4 r = a % 3;
    r = r + (a << 1) + (a & 6) + (a | 1) + (a ^ 5);
    r++;
    ++r;
    r--;
    int4 inverted = ~a;
    uint2 s = b >> 1u;
    return r.x + 2 * r.y + 3 * r.z + 4 * r.w + inverted.x + (int)s.x + (int)s.y;
}

__global__ void on_device(float *floats, int *ints) {
    float4 braces = {1.0f, 2.0f, 3.0f, 4.0f};
    floats[0] = use_operators(braces, make_float4(5, 6, 7, 8));
    ints[0] = use_integers(make_int4(7, 8, 9, 10), make_uint2(11, 12));
    float3 v = make_float3(1, 2, 3);
    v.y = 20;
    float3 w = v + make_float3(1, 1, 1);
    floats[1] = w.x + w.y + w.z;
    double2 d(0.5, 0.25);
    floats[2] = (float)(d.x + d.y);
    uchar4 pixel = make_uchar4(10, 20, 30, 255);
    ints[1] = pixel.x + pixel.y + pixel.z + pixel.w;
}

__global__ void sum_points(const float3 *points, int n, float3 *out) {
    __shared__ float3 partial[64];
    int t = threadIdx.x;
    float3 sum = make_float3(0, 0, 0);
    for (int i = t; i < n; i += 64) {
        sum += points[i];
    }
    partial[t] = sum;
    __syncthreads();
    for (int stride = 32; stride > 0; stride /= 2) {
        if (t < stride) {
            partial[t] += partial[t + stride];
        }
        __syncthreads();
    }
    if (t == 0) {
        *out = partial[0];
    }
}

__global__ void gray(const uchar4 *in, unsigned char *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        uchar4 p = in[y * width + x];
        out[y * width + x] = (unsigned char)((p.x * 77 + p.y * 150 + p.z * 29) >> 8);
    }
}

int main() {
    const int n = 1003;
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = 0.5f * i;
    }
    Buffer<float> da(a), db(b), dc(n);
    add4<<<2, 128>>>(da, db, dc, n);
    expect_launched();
    expect_all("add4", dc.get(), [](int i) { return 1.5f * i; });

    Buffer<float> floats(3);
    Buffer<int> ints(2);
    on_device<<<1, 1>>>(floats, ints);
    expect_launched();
    std::vector<float> f = floats.get();
    std::vector<int> k = ints.get();
    EXPECT_NEAR(f[0], use_operators(make_float4(1, 2, 3, 4), make_float4(5, 6, 7, 8)), 1e-6);
    EXPECT_EQ(f[1], 27.0f);
    EXPECT_EQ(f[2], 0.75f);
    EXPECT_EQ(k[0], use_integers(make_int4(7, 8, 9, 10), make_uint2(11, 12)));
    EXPECT_EQ(k[1], 315);

    std::vector<float3> points(200);
    for (int i = 0; i < 200; i++) {
        points[i] = make_float3(i, 2 * i, -i);
    }
    Buffer<float3> in(points), out(1);
    sum_points<<<1, 64>>>(in, 200, out);
    expect_launched();
    float3 sum = out.get()[0];
    EXPECT_EQ(sum.x, 19900.0f);
    EXPECT_EQ(sum.y, 39800.0f);
    EXPECT_EQ(sum.z, -19900.0f);

    const int width = 33, height = 17;
    std::vector<uchar4> image(width * height);
    for (int i = 0; i < width * height; i++) {
        image[i] = make_uchar4(i % 256, i * 3 % 256, i * 7 % 256, 255);
    }
    Buffer<uchar4> pixels(image);
    Buffer<unsigned char> grays(width * height);
    gray<<<dim3(3, 2), dim3(16, 16)>>>(pixels, grays, width, height);
    expect_launched();
    expect_all("gray", grays.get(),
               [&](int i) { return (image[i].x * 77 + image[i].y * 150 + image[i].z * 29) >> 8; });
    return finish();
}
