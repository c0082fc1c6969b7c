#include <hip/hip_runtime.h>
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float row_of_a[256];
    int row = __builtin_amdgcn_readfirstlane(blockIdx.y);
    int column = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
    float sum = 0.0f;
    for (int start = 0; start < k; start += 256) {
        int i = start + (int)threadIdx.x;
        row_of_a[threadIdx.x] = i < k ? a[(size_t)row * k + i] : 0.0f;
        __builtin_amdgcn_s_barrier();
        int stop = k - start < 256 ? k - start : 256;
        for (int j = 0; j < stop && column < n; ++j) sum = fmaf(row_of_a[j], b[(size_t)(start + j) * n + column], sum);
        __builtin_amdgcn_s_barrier();
    }
    if (row < m && column < n) c[(size_t)row * n + column] = sum;
}
extern "C" void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
    multiply<<<dim3((n + 255) / 256, m), 256>>>(a, b, c, m, n, k);
}
