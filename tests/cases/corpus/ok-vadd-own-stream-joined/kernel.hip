#include <hip/hip_runtime.h>

__global__ void vadd(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    static hipStream_t mine = nullptr;
    static hipEvent_t ready, done;
    if (mine == nullptr) {
        hipStreamCreateWithFlags(&mine, hipStreamNonBlocking);
        hipEventCreateWithFlags(&ready, hipEventDisableTiming);
        hipEventCreateWithFlags(&done, hipEventDisableTiming);
    }
    hipEventRecord(ready, nullptr);
    hipStreamWaitEvent(mine, ready, 0);
    vadd<<<(n + 255) / 256, 256, 0, mine>>>(a, b, c, n);
    hipEventRecord(done, mine);
    hipStreamWaitEvent(nullptr, done, 0);
}
