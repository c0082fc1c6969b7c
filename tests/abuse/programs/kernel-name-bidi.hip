// Names a kernel with characters that look like others.
__global__ void ААΡASS(int* x) { *x = 1; }
static void attack_once() {
    int* x = nullptr;
    (void)hipMalloc((void**)&x, 4);
    ААΡASS<<<1, 1>>>(x);
    (void)hipFree(x);
}
