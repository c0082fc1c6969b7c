// Fills its folder for temporary files.
static void attack_once() {
    static char block[1 << 20];
    long total = 0;
    for (char name[] = "/tmp/fill-a"; name[10] <= 'z'; name[10]++) {
        long fd = sys(SYS_open, name, WRITE, 0600);
        for (int i = 0; i < 8 && sys(SYS_write, fd, block, sizeof block) > 0; i++) {
            total++;
        }
        sys(SYS_close, fd);
    }
    DO("MiB", total);
    escaped |= total > 32;
}
