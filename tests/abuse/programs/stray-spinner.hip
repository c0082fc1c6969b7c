// Leaves a process behind that spins.
static void attack_once() {
    if (sys(SYS_fork) == 0) {
        for (volatile int x = 0;;) {
            x = x + 1;
        }
    }
}
