#include <hip/hip_runtime.h>
__global__ void reduce(const float* in, float* sum, int n) {
    __shared__ float warps[32];
    int t = threadIdx.x, lane = t % warpSize, warp = t / warpSize;
    float v = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v += in[i];
    for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down(v, d);
    if (lane == 0) warps[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < blockDim.x / warpSize ? warps[lane] : 0.0f;
        for (int d = warpSize / 2; d > 0; d /= 2) v += __shfl_down(v, d);
        if (lane == 0) atomicAdd(sum, v);
    }
}
extern "C" void reduction(const float* in, float* sum, int n) {
    hipMemsetAsync(sum, 0, sizeof(float));
    reduce<<<16, 512>>>(in, sum, n);
}
