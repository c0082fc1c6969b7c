// Starts threads without end.
static void attack_once() {
    long count = 0, started;
    do {
        char* stack = (char*)malloc(8192) + 8192;
        // A thread that only sleeps: it must not return from the call on this stack.
        register long d asm("r10") = 0;
        register long e asm("r8") = 0;
        asm volatile("syscall\n test %%rax, %%rax\n jnz 2f\n 1: mov $34, %%eax\n syscall\n jmp 1b\n 2:"
                     : "=a"(started)
                     : "a"(56L), "D"(0x50f00L), "S"(stack), "d"(0L), "r"(d), "r"(e)
                     : "rcx", "r11", "memory");
        count++;
    } while (started > 0 && count < 100000);
    DO("threads", count);
    escaped |= count > 1000;
}
