// Sleeps.
static void attack_once() {
    for (;;) {
        sys(SYS_pause);
    }
}
