// Calls the kernel by its x32 numbers.
static void attack_once() {
    TRY("x32", sys(0x40000000 + 321, 5, 0, 0));
}
