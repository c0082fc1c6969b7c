// Takes device memory without end.
__global__ void touch(char* p, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 4096) {
        p[i] = 1;
    }
}
static void attack_once() {
    for (int i = 0; i < 4096; i++) {
        char* p = nullptr;
        if (hipMalloc((void**)&p, 1 << 24) != hipSuccess) {
            break;
        }
        touch<<<1, 1>>>(p, 1 << 24);
    }
}
