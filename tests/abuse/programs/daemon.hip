// Leaves a process behind, in a session of its own.
static void attack_once() {
    if (sys(SYS_fork) == 0) {
        sys(SYS_setsid);
        if (sys(SYS_fork) == 0) {
            for (;;) {
                sys(SYS_pause);
            }
        }
        sys(SYS_exit_group, 0);
    }
}
