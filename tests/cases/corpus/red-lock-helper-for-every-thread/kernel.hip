#include <hip/hip_runtime.h>

struct Mutex {
    int *word;
    __device__ void take() {
        for (;;) {
            if (atomicExch(word, 1) == 0) {
                break;
            }
        }
        __threadfence();
    }
    __device__ void give_back() {
        __threadfence();
        atomicExch(word, 0);
    }
};

__device__ int word;

__global__ void clear(float *sum) { *sum = 0; }

__global__ void add_up(const float *in, float *sum, int n) {
    Mutex mutex{&word};
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        own += in[i];
    }
    mutex.take();
    *sum += own;
    mutex.give_back();
}

extern "C" void reduction(const float *in, float *sum, int n) {
    clear<<<1, 1>>>(sum);
    add_up<<<4, 128>>>(in, sum, n);
}
