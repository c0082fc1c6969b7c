// Takes memory in many processes, a little in each.
static void attack_once() {
    for (int child = 0; child < 40; child++) {
        if (sys(SYS_fork) == 0) {
            volatile char* block = (volatile char*)malloc(1 << 25);
            for (int i = 0; i < 1 << 25; i += 4096) {
                block[i] = 1;
            }
            sys(SYS_pause);
        }
    }
    for (;;) {
        sys(SYS_pause);
    }
}
