// Prints to standard error without end, past the C library.
static void attack_once() {
    static char block[65536];
    for (;;) {
        sys(SYS_write, 2, block, sizeof block);
    }
}
