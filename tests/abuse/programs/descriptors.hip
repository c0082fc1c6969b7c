// Opens files without end.
static void attack_once() {
    long count = 0;
    while (sys(SYS_open, "/dev/null", READ, 0) >= 0 && count < 1000000) {
        count++;
    }
    DO("open", count);
    escaped |= count > 4096;
    for (long fd = 7; fd < 4096; fd++) {
        sys(SYS_close, fd);
    }
}
