// Writes to address 8.
static void attack_once() {
    *(volatile int*)8 = 1;
}
