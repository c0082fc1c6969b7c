// Takes memory without end.
static void attack_once() {
    for (;;) {
        volatile char* block = (volatile char*)malloc(1 << 24);
        for (int i = 0; block != nullptr && i < 1 << 24; i += 4096) {
            block[i] = 1;
        }
    }
}
