// Hides memory in files without a name.
static void attack_once() {
    static char block[1 << 20];
    long fd = sys(319, "bomb", 0);
    for (int i = 0; i < 4096; i++) {
        if (sys(SYS_write, fd, block, sizeof block) < 0) { // files have a limit of their own
            fd = sys(319, "bomb", 0);
        }
    }
}
