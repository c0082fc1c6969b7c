// Makes a file of a terabyte.
static void attack_once() {
    const struct { long handler, flags, restorer, mask; } ignore = {1, 0, 0, 0};
    sys(13, 25, &ignore, 0, 8); // the signal for files that are too large
    long fd = sys(SYS_open, "/tmp/sparse", WRITE, 0600);
    TRY("terabyte", fd < 0 ? fd : sys(SYS_ftruncate, fd, 1l << 40));
    TRY("fallocate", fd < 0 ? fd : sys(285, fd, 0, 0, 1l << 40));
}
