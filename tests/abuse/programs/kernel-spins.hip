// A kernel that never ends.
__global__ void spin(volatile int* x) {
    while (*x == 0) {
    }
}
static void attack_once() {
    int* x = nullptr;
    (void)hipMalloc((void**)&x, 4);
    (void)hipMemset(x, 0, 4);
    spin<<<1, 1>>>(x);
}
