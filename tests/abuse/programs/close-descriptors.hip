// Closes all descriptors.
static void attack_once() {
    for (long fd = 0; fd < 1024; fd++) {
        sys(SYS_close, fd);
    }
}
