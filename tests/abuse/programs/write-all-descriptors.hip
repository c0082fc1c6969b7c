// Writes junk to every descriptor that it has.
static void attack_once() {
    static char junk[4096];
    std::memset(junk, 0xa5, sizeof junk);
    for (long fd = 3; fd < 64; fd++) {
        DO("write", sys(SYS_write, fd, junk, sizeof junk));
        DO("pwrite", sys(18, fd, junk, sizeof junk, 0));
        DO("truncate", sys(SYS_ftruncate, fd, 0));
        DO("grow", sys(SYS_ftruncate, fd, 1l << 30));
    }
}
