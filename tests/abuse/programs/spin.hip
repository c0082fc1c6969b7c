// Never returns.
static void attack_once() {
    for (volatile int x = 0;;) {
        x = x + 1;
    }
}
