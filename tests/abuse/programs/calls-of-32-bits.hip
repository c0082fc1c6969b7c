// Calls the kernel by its 32-bit entry, which has other numbers.
static void attack_once() {
    long result;
    asm volatile("int $0x80" : "=a"(result) : "a"(21), "b"(0) : "memory"); // mount
    TRY("int 0x80", result);
}
