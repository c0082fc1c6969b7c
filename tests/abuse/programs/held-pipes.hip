// Leaves a process behind that holds the output open.
static void attack_once() {
    if (sys(SYS_fork) == 0) {
        sys(SYS_setsid);
        for (;;) {
            sys(SYS_pause);
        }
    }
    std::printf("done\n");
}
