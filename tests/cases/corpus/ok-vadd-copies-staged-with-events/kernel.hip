#include <hip/hip_runtime.h>
__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
/* Chunks go through two sets of buffers; three streams work at different ones. */
constexpr int CHUNK = 777;
static float *ta[2], *tb[2], *tc[2];
static hipStream_t in, work, out;
static hipEvent_t filled[2], added[2], drained[2];
static void setup() {
    hipStreamCreateWithFlags(&in, hipStreamNonBlocking);
    hipStreamCreate(&work);
    hipStreamCreateWithFlags(&out, hipStreamNonBlocking);
    for (int i = 0; i < 2; i++) {
        hipMalloc((void**)&ta[i], CHUNK * sizeof(float));
        hipMalloc((void**)&tb[i], CHUNK * sizeof(float));
        hipMalloc((void**)&tc[i], CHUNK * sizeof(float));
        hipEventCreateWithFlags(&filled[i], hipEventDisableTiming);
        hipEventCreateWithFlags(&added[i], hipEventDisableTiming);
        hipEventCreateWithFlags(&drained[i], hipEventDisableTiming);
    }
}
extern "C" void vector_add(const float* a, const float* b, float* c, int n) {
    if (!in) setup();
    int round = 0;
    for (int at = 0; at < n; at += CHUNK, round++) {
        int k = round % 2, count = n - at < CHUNK ? n - at : CHUNK;
        size_t bytes = count * sizeof(float);
        if (round >= 2) hipStreamWaitEvent(in, added[k], 0);
        hipMemcpyAsync(ta[k], a + at, bytes, hipMemcpyDeviceToDevice, in);
        hipMemcpyAsync(tb[k], b + at, bytes, hipMemcpyDeviceToDevice, in);
        hipEventRecord(filled[k], in);
        hipStreamWaitEvent(work, filled[k], 0);
        if (round >= 2) hipStreamWaitEvent(work, drained[k], 0);
        add<<<(count + 127) / 128, 128, 0, work>>>(ta[k], tb[k], tc[k], count);
        hipEventRecord(added[k], work);
        hipStreamWaitEvent(out, added[k], 0);
        hipMemcpyAsync(c + at, tc[k], bytes, hipMemcpyDeviceToDevice, out);
        hipEventRecord(drained[k], out);
    }
    hipStreamSynchronize(out);
}
